import { matchResourcePath } from '#kernel/operations'
import type { ApiRequest, ResourceMatch } from '#kernel/plugin'

/** Matches the `href` of an operation with the routes of the server. Returns null if it is not a resource URL there. */
export function matchHref(href: unknown, request: ApiRequest): ResourceMatch | null {
  const path = typeof href === 'string' ? readPath(href, request) : undefined
  return path !== undefined && isDecodable(path) ? matchResourcePath(request.app, request.server, path) : null
}

/** The path below the server's root. The root has two URLs: the base of links, and the URL of this request. */
function readPath(href: string, { ctx, url }: ApiRequest): string | undefined {
  const mount = ctx.path.slice(0, ctx.path.length - url.path.length)
  const roots = [url.base, `${ctx.protocol}://${ctx.host}${mount}`]
  return roots.map((root) => pathBelow(root, href, url.path)).find((path) => path !== undefined)
}

function pathBelow(root: string, href: string, path: string): string | undefined {
  const base = URL.parse(root)
  const resolved = URL.parse(href, root + path)
  if (!base || resolved?.origin !== base.origin) return undefined
  const prefix = base.pathname.replace(/\/$/, '')
  return resolved.pathname.startsWith(`${prefix}/`) ? resolved.pathname.slice(prefix.length) : undefined
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
