import { createHash } from 'node:crypto'
import type Koa from 'koa'

/** A response that is built once. */
export interface PreparedResponse {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

export function prepareResponse(
  content: string | Buffer,
  contentType = 'application/json',
  headers: Readonly<Record<string, string>> = {},
): PreparedResponse {
  const body = Buffer.from(content)
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  return { body, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-cache', ETag: etag, ...headers } }
}

/** Sends the response, or 304 if the client has it. */
export function sendResponse(ctx: Koa.Context, { body, headers }: PreparedResponse): undefined {
  ctx.set(headers)
  if (matchesEtag(ctx.get('If-None-Match'), headers.ETag ?? '')) ctx.status = 304
  else ctx.body = body
}

/** https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match; ignores Cache-Control of the request. */
function matchesEtag(header: string, etag: string): boolean {
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
