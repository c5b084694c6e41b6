import type Koa from 'koa'
import type { Match, Place } from '../../model/match.ts'

/** Null when the server answers at another host, or has no type of this segment: then the URL is not one of its own. */
export function matchPath(ctx: Koa.Context, place: Place): Match | null {
  const { server } = place
  if (server.domain !== null && server.domain !== ctx.hostname.toLowerCase()) return null
  if ('route' in place) return place
  const { shape } = place
  const { type: segment, id, relation } = ctx.params as { type: string; id: string; relation: string }
  const type = server.typesBySegment.get(segment)
  if (!type) return null
  // The router keeps parameters of other shapes it tried before this one.
  if (shape === 'collection') return { server, shape, type }
  if (type.id.route && !type.id.route.test(id)) return null
  return shape === 'resource' ? { server, shape, type, id } : { server, shape, type, id, relation }
}
