import { STATUS_CODES } from 'node:http'
import { format } from 'node:util'
import type Koa from 'koa'
import { restrictCaching } from '#kernel/store'

/** The members of HTTP errors. */
interface ThrownError extends Error {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly expose?: boolean
  readonly headers?: Record<string, string>
}

/** Headers that describe the body or its caching; they do not apply to the body of an error. */
const bodyHeaders = [
  'Accept-Ranges',
  'Cache-Control',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Range',
  'Content-Type',
  'ETag',
  'Expires',
  'Last-Modified',
  'Transfer-Encoding',
]

/**
 * Responds to an error outside of JSON:API routes with text. Replaces Koa's `ctx.onerror`, which removes all headers,
 * including security headers and the request id.
 */
export function respondTextError(this: Koa.Context, thrown: unknown): void {
  if (thrown === null || thrown === undefined) return
  const error = (thrown instanceof Error ? thrown : new Error(format('non-error thrown: %j', thrown))) as ThrownError
  this.app.emit('error', error, this)
  if (this.headerSent || !this.writable) return
  for (const name of bodyHeaders) this.remove(name)
  if (error.headers) this.set(error.headers)
  const status = readStatus(error)
  const text = (error.expose ? error.message : STATUS_CODES[status]) ?? ''
  this.status = status
  this.type = 'text'
  this.length = Buffer.byteLength(text)
  if (this.state.variesByPrincipal) restrictCaching(this)
  this.res.end(text)
}

/** Returns 500 for a status that HTTP does not define. */
function readStatus({ status, statusCode }: ThrownError): number {
  const code = Number(status ?? statusCode)
  return STATUS_CODES[code] ? code : 500
}
