import { createHash } from 'node:crypto'
import type Koa from 'koa'

/** An answer that is made once. */
export interface Prepared {
  readonly body: Buffer
  readonly etag: string
  readonly contentType: string
}

export function prepare(text: string, contentType = 'application/json'): Prepared {
  const body = Buffer.from(text)
  return { body, contentType, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

/** 304 to a client that has it already. */
export function serve(ctx: Koa.Context, { body, etag, contentType }: Prepared): undefined {
  ctx.set('ETag', etag)
  ctx.set('Cache-Control', 'no-cache')
  ctx.set('Content-Type', contentType)
  if (isKnown(ctx.get('If-None-Match'), etag)) ctx.status = 304
  else ctx.body = body
}

/** https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match, whatever a reload says in Cache-Control. */
function isKnown(header: string, etag: string): boolean {
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
