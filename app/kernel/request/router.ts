import type Koa from 'koa'
import compose from 'koa-compose'
import type { App } from '../model/app.ts'
import type { Place } from '../model/match.ts'
import { pathOf, type Server } from '../model/server.ts'
import type { TargetKind } from '../model/target.ts'
import { checkHost } from './host.ts'
import { patternRoutes } from './koa-routes.ts'
import { handle } from './pipeline.ts'

/**
 * The URLs of all servers that are not placed by hand; where hosts and prefixes overlap, a server with a host is asked
 * first. Paths are as they are written: a slash more, or another letter, is another path. The host is checked before.
 */
export function createRouter(app: App): Koa.Middleware {
  const placed = app.servers.filter((server) => !server.placedByHand)
  const inOrder = placed.toSorted((a, b) => Number(b.domain !== null) - Number(a.domain !== null))
  const finders = inOrder.map((server) => finderOf(app, server))
  const follow = (ctx: Koa.Context, path: string, next: Koa.Next, first: number): Promise<void> => {
    for (let index = first; index < finders.length; index++) {
      const place = finders[index]?.(path, ctx)
      if (place) return handle(app, ctx, () => follow(ctx, path, next, index + 1), place)
    }
    return next()
  }
  const lookUp: Koa.Middleware = (ctx, next) => follow(ctx, ctx.path, next, 0)
  const patterns = patternRoutes(app, inOrder)
  return compose([checkHost(app.config), ...(patterns ? [patterns] : []), lookUp])
}

/** Which verbs a path takes is settled inside the pipeline. */
function finderOf(app: App, server: Server): (path: string, ctx: Koa.Context) => Place | undefined {
  const routes = new Map<string, Place>()
  for (const route of app.plugins.flatMap((plugin) => plugin.routes?.(server) ?? [])) {
    const path = pathOf(server, route)
    if (!routes.has(path)) routes.set(path, { server, route })
  }
  const shapes: Readonly<Record<TargetKind, Place>> = {
    collection: { server, shape: 'collection' },
    resource: { server, shape: 'resource' },
    related: { server, shape: 'related' },
    relationship: { server, shape: 'relationship' },
  }
  const root = `${server.prefix}/`
  return (path, ctx) => {
    const route = routes.get(path)
    if (route || !path.startsWith(root)) return route
    const end = path.indexOf('/', root.length)
    const type = decode(path.slice(root.length, end < 0 ? path.length : end))
    if (!server.typesBySegment.has(type)) return undefined
    const further = end < 0 ? none : path.slice(end + 1).split('/')
    const shape = shapeOf(further)
    if (!shape || further.includes('')) return undefined
    ctx.params = { type, id: decode(further[0] ?? ''), relation: decode(further.at(-1) ?? '') }
    return shapes[shape]
  }
}

const none: readonly string[] = []

/** By what stands behind the type. */
function shapeOf({ length, 1: second }: readonly string[]): TargetKind | undefined {
  if (length === 3) return second === 'relationships' ? 'relationship' : undefined
  return length === 0 ? 'collection' : length === 1 ? 'resource' : length === 2 ? 'related' : undefined
}

/** What is no text when it is decoded stays as it is written, and names nothing. */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
