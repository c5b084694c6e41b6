import { createHash } from 'node:crypto'
import createError from 'http-errors'
import type Koa from 'koa'
import { addVary, type Hint, mediaType } from '#kernel/plugin'
import { toHtml } from './html.ts'
import type { HomeLinks, Link } from './links.ts'
import { contentSecurityPolicy } from './page.ts'

export interface HomePage extends HomeLinks {
  readonly title: string
  readonly version: string
  readonly hints: readonly Hint[]
}

/** The first is sent to a client that accepts anything. */
const accepted = ['application/json', 'text/html', mediaType]

/** Sends the page as HTML or JSON by the Accept header, or 304 if the client has it. */
export function respondWithPage(ctx: Koa.Context, page: HomePage): undefined {
  addVary(ctx, 'Accept')
  const type = ctx.accepts(accepted)
  if (!type) throw createError(406, `The page is available as ${accepted.join(', ')}.`)
  const isHtml = type === 'text/html'
  const body = isHtml ? toHtml(page) : JSON.stringify(toDocument(page))
  if (isHtml) ctx.set('Content-Security-Policy', contentSecurityPolicy)
  ctx.set('Content-Type', isHtml ? 'text/html; charset=utf-8' : String(type))
  ctx.set('Cache-Control', 'no-cache')
  ctx.etag = createHash('sha256').update(body).digest('base64url')
  ctx.status = 200
  if (ctx.fresh) ctx.status = 304
  else ctx.body = body
}

/** A JSON:API document: `links` cannot contain other links, therefore `meta` contains them. */
function toDocument({ title, version, self, types, pages, servers, hints }: HomePage): object {
  const meta = { title, version, types: byTitle(types), pages: byTitle(pages), servers: byTitle(servers) }
  return {
    jsonapi: { version: '1.1' },
    links: { self },
    meta: { ...meta, ...(hints.length > 0 && { hints }) },
  }
}

function byTitle(links: readonly Link[]): Readonly<Record<string, string>> {
  return Object.fromEntries(links.map(({ title, href }) => [title, href]))
}
