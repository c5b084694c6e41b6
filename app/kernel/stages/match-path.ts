import type Koa from 'koa'
import type { Route } from '../plugin.ts'
import type { ResourceType } from '../resource.ts'
import type { Place } from '../router.ts'
import type { Server } from '../server.ts'
import type { TargetKind } from '../target.ts'

/** A path some server knows. */
export type Match =
  | {
      readonly server: Server
      readonly route?: undefined
      readonly shape: TargetKind
      readonly type: ResourceType
      readonly id?: string
      readonly relation?: string
    }
  | { readonly server: Server; readonly route: Route }

/** Null when no type of the server has this segment: then the URL is nobody's. */
export function matchPath(ctx: Koa.Context, place: Place): Match | null {
  if ('route' in place) return place
  const { server, shape } = place
  const { type: segment, id, relation } = ctx.params as { type: string; id: string; relation: string }
  const type = server.typesBySegment.get(segment)
  if (!type) return null
  // The router keeps parameters of other shapes it tried before this one.
  if (shape === 'collection') return { server, shape, type }
  return shape === 'resource' ? { server, shape, type, id } : { server, shape, type, id, relation }
}
