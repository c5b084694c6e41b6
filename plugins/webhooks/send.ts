import { createHmac } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { AddressRefused, guardedLookup, type IsAllowed } from './addresses.ts'
import { type ResolveHost, resolveHost } from './resolve-host.ts'

export interface Message {
  readonly url: string
  readonly secret: string
  /** The same for all attempts. */
  readonly id: string
  readonly body: string
}

export interface SendOptions {
  readonly isAllowed: IsAllowed
  /** Aborted when the service stops. */
  readonly signal: AbortSignal
  readonly resolve?: ResolveHost | undefined
  /** Milliseconds until an attempt fails. */
  readonly timeout?: number
}

/** Sends a signed message, and returns the status of the response. Follows no redirect. Rejects if there is no response. */
export function send(
  { url, secret, id, body }: Message,
  { isAllowed, signal, resolve = resolveHost, timeout = 10_000 }: SendOptions,
): Promise<number> {
  const target = new URL(url)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowed(host)) return Promise.reject(new AddressRefused(host))
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': `v1,${sign(`${id}.${timestamp}.${body}`, secret)}`,
  }
  const late = AbortSignal.timeout(timeout)
  const ended = AbortSignal.any([signal, late])
  const options = {
    method: 'POST',
    agent: false as const,
    headers,
    lookup: guardedLookup(isAllowed, (hostname) => resolve(hostname, ended)),
    signal: ended,
  }
  return new Promise((done, fail) => {
    const sent = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, options, (response) => {
      done(response.statusCode ?? 0)
      response.on('error', () => {})
      response.destroy() // its body is not needed
    })
    sent.on('upgrade', (response, socket) => {
      socket.destroy()
      done(response.statusCode ?? 0)
    })
    sent.on('error', (error) => fail(late.aborted ? new ResponseLate(timeout) : error))
    sent.end(body)
  })
}

class ResponseLate extends Error {
  constructor(timeout: number) {
    super(`The receiver did not respond within ${timeout / 1000} seconds.`)
  }
}

/** https://www.standardwebhooks.com: HMAC-SHA256 with the bytes that follow `whsec_` in Base64. */
export function sign(text: string, secret: string): string {
  return createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(text)
    .digest('base64')
}
