import type { ApiRequest, ResourceMatch } from '#kernel/plugin'

/** The collection, resource or relationship of this server that a URL leads to; null when there is none. */
export function matchHref(href: unknown, request: ApiRequest): ResourceMatch | null {
  const path = typeof href === 'string' ? pathOf(href, request) : undefined
  const segments = path === undefined ? null : decode(path)
  return segments && matchSegments(segments, request)
}

/** The part of the URL below the root of the server, which has an address in links and one it is reached by. */
function pathOf(href: string, { ctx, url }: ApiRequest): string | undefined {
  const mount = ctx.path.slice(0, ctx.path.length - url.path.length)
  const roots = [url.base, `${ctx.protocol}://${ctx.host}${mount}`]
  return roots.map((root) => below(root, href, url.path)).find((path) => path !== undefined)
}

function below(root: string, href: string, path: string): string | undefined {
  const base = URL.parse(root)
  const found = URL.parse(href, root + path)
  if (!base || !found || found.origin !== base.origin) return undefined
  const start = `${base.pathname.replace(/\/$/, '')}/`
  return found.pathname.startsWith(start) ? found.pathname.slice(start.length) : undefined
}

function decode(path: string): string[] | null {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return null
  }
}

function matchSegments(segments: readonly string[], { server }: ApiRequest): ResourceMatch | null {
  const [segment = '', id = '', marker, relation = '', ...rest] = segments
  const type = server.typesBySegment.get(segment)
  if (!type || rest.length > 0) return null
  if (segments.length === 1) return { server, shape: 'collection', type }
  if (id === '' || (type.id.route && !type.id.route.test(id))) return null
  if (segments.length === 2) return { server, shape: 'resource', type, id }
  const isRelationship = segments.length === 4 && marker === 'relationships' && relation !== ''
  return isRelationship ? { server, shape: 'relationship', type, id, relation } : null
}
