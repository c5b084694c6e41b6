import { STATUS_CODES } from 'node:http'
import { format } from 'node:util'
import type Koa from 'koa'
import { restrictCaching } from '#kernel/store'

/** What may be thrown: HTTP exceptions have all of these members. */
interface Thrown extends Error {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly expose?: boolean
  readonly headers?: Record<string, string>
}

/** Headers that describe the body, or how long it may be kept; the body of an error is another one. */
const ofBody = [
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
 * Answers an error outside of JSON:API routes as text. Koa's own `onerror` does the same, but removes all headers, those
 * for security and the id of the request included.
 */
export function answerPlainError(this: Koa.Context, thrown: unknown): void {
  if (thrown === null || thrown === undefined) return
  const error = (thrown instanceof Error ? thrown : new Error(format('non-error thrown: %j', thrown))) as Thrown
  this.app.emit('error', error, this)
  if (this.headerSent || !this.writable) return
  for (const name of ofBody) this.remove(name)
  if (error.headers) this.set(error.headers)
  const status = statusOf(error)
  const text = (error.expose ? error.message : STATUS_CODES[status]) ?? ''
  this.status = status
  this.type = 'text'
  this.length = Buffer.byteLength(text)
  restrictCaching(this)
  this.res.end(text)
}

function statusOf({ status, statusCode }: Thrown): number {
  const given = Number(status ?? statusCode)
  return STATUS_CODES[given] ? given : 500
}
