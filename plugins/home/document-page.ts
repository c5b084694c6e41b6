import escapeHtml from 'escape-html'
import type Koa from 'koa'
import { isObject, mediaType, parseAccept } from '#kernel/plugin'
import { contentSecurityPolicy, toPage } from './page.ts'

/** Bytes of a document that is shown as a page. A larger one is sent as it is, because its page would block other requests. */
const maxBytes = 1_000_000

/**
 * Whether a browser opens the URL: `Accept` prefers `text/html` to the JSON:API media type or a wildcard that it also contains.
 * With a JSON:API media type that cannot be sent, the response is a 406 despite a wildcard.
 */
export function prefersPage({ method, headers: { accept = '' } }: Koa.Context): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || !accept.includes('text/html')) return false
  const accepted = parseAccept(accept).filter(({ quality }) => quality > 0)
  const jsonApi = accepted.filter(({ type }) => type === mediaType)
  const usable = jsonApi.filter(({ isInvalid, extensions }) => !isInvalid && extensions.length === 0)
  if (jsonApi.length > 0 && usable.length === 0) return false
  const wildcards = accepted.filter(({ type }) => type === '*/*' || type === 'application/*')
  const others = findBestQuality([...usable, ...wildcards])
  return others > 0 && findBestQuality(accepted.filter(({ type }) => type === 'text/html')) > others
}

function findBestQuality(ranges: readonly { readonly quality: number }[]): number {
  return Math.max(0, ...ranges.map(({ quality }) => quality))
}

/** Replaces the JSON:API document in `ctx` by a page that shows it. The page has no ETag: that of the document has other bytes. */
export function respondWithDocumentPage(ctx: Koa.Context): void {
  const { body, method, url, status } = ctx
  const isText = typeof body === 'string' || Buffer.isBuffer(body)
  if (!isText || !ctx.response.get('Content-Type').startsWith(mediaType) || Buffer.byteLength(body) > maxBytes) return
  ctx.body = toDocumentPage(`${status} ${method === 'HEAD' ? 'GET' : method} ${url}`, JSON.parse(String(body)))
  ctx.set('Content-Type', 'text/html; charset=utf-8')
  ctx.set('Content-Security-Policy', contentSecurityPolicy)
  ctx.remove('ETag')
}

function toDocumentPage(title: string, document: unknown): string {
  return toPage(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p>Programs receive this document as <code>${mediaType}</code>.</p>
<pre tabindex="0" role="group" aria-label="Document">${toHtml(document, 'value', '\n')}</pre>`,
  )
}

/** The members of `links` are URLs, or link objects with a URL in `href`. */
type Role = 'value' | 'links' | 'link' | 'url'

/** Writes a JSON value like `JSON.stringify(value, null, 2)`, with anchors for links. The line break is followed by the indent. */
function toHtml(value: unknown, role: Role, lineBreak: string): string {
  const inner = `${lineBreak}  `
  if (Array.isArray(value)) {
    const items = value.map((item) => toHtml(item, 'value', inner))
    return enclose('[', items, ']', lineBreak)
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `${toText(name)}: ${toHtml(member, toRole(role, name, member), inner)}`,
    )
    return enclose('{', members, '}', lineBreak)
  }
  return role === 'url' && isUrl(value) ? `<a href="${escapeHtml(value)}">${toText(value)}</a>` : toText(value)
}

function toRole(parent: Role, name: string, value: unknown): Role {
  if (parent === 'links') return isObject(value) ? 'link' : 'url'
  if (parent === 'link') return name === 'href' ? 'url' : 'value'
  return name === 'links' ? 'links' : 'value'
}

function enclose(open: string, parts: readonly string[], close: string, lineBreak: string): string {
  if (parts.length === 0) return open + close
  return `${open}${parts.map((part) => `${lineBreak}  ${part}`).join(',')}${lineBreak}${close}`
}

function toText(value: unknown): string {
  return escapeHtml(JSON.stringify(value))
}

/** Excludes schemes that run scripts. */
function isUrl(value: unknown): value is string {
  return typeof value === 'string' && /^(?:https?:\/)?\//i.test(value)
}
