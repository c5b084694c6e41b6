import { isIPv6 } from 'node:net'
import type Koa from 'koa'
import { hostInvalid, hostNotAllowed } from '../errors/core-errors.ts'
import { type Phrase, phrase } from '../errors/errors.ts'
import type { AppConfig } from '../model/app-config.ts'

/**
 * Refuses a request unless it names exactly one valid host: links and `Location` are built from it. Behind a trusted
 * proxy the forwarded host and scheme are checked as well, because they are used in its place.
 */
export function checkHost({ allowedHosts }: Pick<AppConfig, 'allowedHosts'>): Koa.Middleware {
  const allowed = new Set(allowedHosts)
  return (ctx, next) => {
    const host = readHost(ctx)
    if (allowed.size > 0 && !isAllowed(host, allowed)) throw hostNotAllowed({ host }, { source: { header: 'Host' } })
    ctx.state.isHostChecked = true
    return next()
  }
}

/** Whether links may be built from the request; not in the answer to a request that was refused for its host. */
export function isHostChecked(ctx: Koa.Context): boolean {
  return ctx.state.isHostChecked === true
}

/** `host` or `host:port`: a name, an IPv4 address, or an IPv6 address in brackets. */
export function isValidHost(value: string): boolean {
  const [found, address, port = '0'] = hostForm.exec(value) ?? []
  if (found === undefined || Number(port) > 65_535) return false
  return address === undefined || isIPv6(address)
}

/** Stricter than RFC 3986, which also allows `!$&'()*+,;=` and percent signs in a name. */
const hostForm = /^(?:[\w.~-]{1,255}|\[([\da-f:.]{2,45})\])(?::(\d{1,5}))?$/i

/** The host that Koa uses, too: the first that a trusted proxy forwards, or that of the request. */
function readHost({ req, headers, app }: Koa.Context): string {
  const host = headers.host ?? ''
  if (!isValidHost(host) || isRepeated(req.rawHeaders)) throw refusalOf('Host', aHost)
  if (!app.proxy) return host
  const scheme = firstOf(headers['x-forwarded-proto'])
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') throw refusalOf('X-Forwarded-Proto', aScheme)
  const forwarded = firstOf(headers['x-forwarded-host'])
  if (forwarded !== undefined && !isValidHost(forwarded)) throw refusalOf('X-Forwarded-Host', aHost)
  return forwarded ?? host
}

/** Of several proxies, the first has seen the client. An empty header counts as none. */
function firstOf(header: string | string[] | undefined): string | undefined {
  return header ? String(header).split(',', 1)[0]?.trim() : undefined
}

/** Node shows only the first of several headers of this name. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') times++
  }
  return times > 1
}

const aHost = phrase('one host name or address, with or without a port')
const aScheme = phrase('http or https')

function refusalOf(header: string, expected: Phrase): Error {
  return hostInvalid({ header, expected }, { source: { header } })
}

/** An entry without a port allows all ports. */
function isAllowed(host: string, allowed: ReadonlySet<string>): boolean {
  const name = host.toLowerCase()
  return allowed.has(name) || allowed.has(name.replace(/:\d+$/, ''))
}
