import Router from '@koa/router'
import type Koa from 'koa'
import type { App } from '../model/app.ts'
import type { Route } from '../model/plugin.ts'
import { pathOf, type Server } from '../model/server.ts'
import type { TargetKind } from '../model/target.ts'
import { checkHost } from './host.ts'
import { handle } from './pipeline.ts'
import { boundary } from './stages/respond.ts'

const shapes: readonly (readonly [TargetKind, string])[] = [
  ['collection', '/:type'],
  ['resource', '/:type/:id'],
  ['relationship', '/:type/:id/relationships/:relation'],
  ['related', '/:type/:id/:relation'],
]

/** The routes of plugins that have parameters, which only a router can find; null when there are none. */
export function patternRoutes(app: App, servers: readonly Server[]): Koa.Middleware | null {
  const router = new Router({ strict: true, sensitive: true })
  for (const server of servers) addPluginRoutes(router, app, server, hasParameters)
  return router.stack.length > 0 ? (router.routes() as Koa.Middleware) : null
}

/** Otherwise its path can be looked up. */
function hasParameters({ path }: Route): boolean {
  return /[:*{]/.test(path)
}

/** The URLs of one server, for a router of the program's own: `router.use(app.routes('admin'))`. */
export function placeRoutes(app: App, name: string): ReturnType<Router['routes']> {
  const server = app.servers.find((one) => one.name === name)
  if (!server) throw new Error(`There is no server called '${name}'.`)
  if (!server.placedByHand)
    throw new Error(`The routes of the server '${name}' are registered already: say placedByHand.`)
  const router = new Router({ strict: true, sensitive: true })
  router.use(boundary(app), checkHost(app.config))
  addRoutes(router, app, server)
  return router.routes()
}

/** Which type a segment means, and which verbs it takes, is settled inside the pipeline. */
function addRoutes(router: Router, app: App, server: Server): void {
  addPluginRoutes(router, app, server)
  for (const [shape, path] of shapes) {
    router.all(server.prefix + path, (ctx, next) => handle(app, ctx, next, { server, shape }))
  }
}

function addPluginRoutes(router: Router, app: App, server: Server, areAdded = (_route: Route) => true): void {
  for (const route of app.plugins.flatMap((plugin) => plugin.routes?.(server) ?? [])) {
    if (areAdded(route)) router.all(pathOf(server, route), (ctx, next) => handle(app, ctx, next, { server, route }))
  }
}
