import { isIPv6 } from 'node:net'
import type Koa from 'koa'
import { type AppConfig, type Phrase, phrase } from '#kernel/store'
import { hostInvalid, hostNotAllowed } from './errors.ts'

/**
 * Rejects a request that does not have exactly one valid host, because links and `Location` contain it. Behind a trusted
 * proxy, the forwarded host and scheme replace the host and scheme of the request, and are checked as well.
 */
export function checkHost({ allowedHosts }: Pick<AppConfig, 'allowedHosts'>): Koa.Middleware {
  const allowed = new Set(allowedHosts)
  const valid: LastHost = { host: null }
  return (ctx, next) => {
    const host = readHost(ctx, valid)
    if (allowed.size > 0 && !isAllowed(host, allowed)) throw hostNotAllowed({ host }, { source: { header: 'Host' } })
    ctx.state.isHostChecked = true
    return next()
  }
}

/** The last valid host: most requests have the same one. */
interface LastHost {
  host: string | null
}

/** `host` or `host:port`, where host is a name, an IPv4 address, or an IPv6 address in brackets. */
export function isValidHost(value: string): boolean {
  const [found, address, port = '0'] = hostPattern.exec(value) ?? []
  if (found === undefined || Number(port) > 65_535) return false
  return address === undefined || isIPv6(address)
}

/** Stricter than RFC 3986, which allows `!$&'()*+,;=` and percent signs in a name. */
const hostPattern = /^(?:[\w.~-]{1,255}|\[([\da-f:.]{2,45})\])(?::(\d{1,5}))?$/i

/**
 * Returns the forwarded host of a trusted proxy, or the host of the request. Replaces lists of forwarded values by the one that
 * the proxy added, because `ctx.host` and `ctx.protocol` are the first of a list, which a client can send.
 */
function readHost({ req, headers, app, originalUrl }: Koa.Context, valid: LastHost): string {
  const sent = headers.host ?? ''
  const host = originalUrl.startsWith('/') ? sent : (hostOfTarget(originalUrl) ?? sent)
  const areValid = (sent === valid.host || isValidHost(sent)) && (host === sent || isValidHost(host))
  if (!areValid || isRepeated(req.rawHeaders, 'host')) throw createHostError('Host', hostForm)
  valid.host = sent
  headers.host = host
  if (!app.proxy) return host
  const scheme = readLastValue(headers['x-forwarded-proto'])
  if (scheme !== undefined && !/^https?$/.test(scheme)) throw createHostError('X-Forwarded-Proto', schemeForm)
  const forwarded = readLastValue(headers['x-forwarded-host'])
  if (forwarded !== undefined && !isValidHost(forwarded)) throw createHostError('X-Forwarded-Host', hostForm)
  if (scheme !== undefined) headers['x-forwarded-proto'] = scheme
  if (forwarded !== undefined) headers['x-forwarded-host'] = forwarded
  return forwarded ?? host
}

/** The host of a target in absolute form, which replaces the Host header: RFC 9112, 3.2.2. */
function hostOfTarget(target: string): string | undefined {
  return /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1]
}

/** The last entry of a list, which the trusted proxy added. Undefined if the header is missing or empty. */
function readLastValue(header: string | string[] | undefined): string | undefined {
  return header ? String(header).split(',').at(-1)?.trim() : undefined
}

/** Whether a header was sent more than once: Node discards all but the first of some, therefore reads raw headers. */
export function isRepeated(rawHeaders: readonly string[], header: string): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === header.length && name.toLowerCase() === header) count++
  }
  return count > 1
}

const hostForm = phrase('one host name or address, with or without a port')
const schemeForm = phrase('http or https')

function createHostError(header: string, expected: Phrase): Error {
  return hostInvalid({ header, expected }, { source: { header } })
}

/** An entry without a port allows all ports. */
function isAllowed(host: string, allowed: ReadonlySet<string>): boolean {
  const name = host.toLowerCase()
  return allowed.has(name) || allowed.has(name.replace(/:\d+$/, ''))
}
