import { createHmac } from 'node:crypto'
import type { lookup } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { AddressRefused, guardedLookup, type IsAllowed } from './addresses.ts'

/** Milliseconds until an attempt fails. */
const timeout = 10_000

export interface Message {
  readonly url: string
  readonly secret: string
  /** The same for all attempts. */
  readonly id: string
  readonly body: string
}

/** Sends a signed message, and returns the status of the response. Follows no redirect. Rejects if there is no response. */
export function send(
  { url, secret, id, body }: Message,
  isAllowed: IsAllowed,
  signal: AbortSignal,
  resolver?: typeof lookup,
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
  const options = {
    method: 'POST',
    agent: false as const,
    headers,
    lookup: guardedLookup(isAllowed, resolver),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
  }
  return new Promise((done, fail) => {
    const sent = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, options, (response) => {
      done(response.statusCode ?? 0)
      response.on('error', () => {})
      response.destroy() // its body is not needed
    })
    sent.on('error', fail)
    sent.end(body)
  })
}

/** https://www.standardwebhooks.com: HMAC-SHA256 with the bytes that follow `whsec_` in Base64. */
export function sign(text: string, secret: string): string {
  return createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(text)
    .digest('base64')
}
