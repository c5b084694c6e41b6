import Router from '@koa/router'
import type { App } from './app.ts'
import { handle } from './pipeline.ts'
import type { Route } from './plugin.ts'
import type { Server } from './server.ts'
import type { TargetKind } from './target.ts'

/** Where the router found a request: a shape of resource URL, or a plugin's own route. */
export type Place =
  | { readonly server: Server; readonly shape: TargetKind }
  | { readonly server: Server; readonly route: Route }

const shapes: readonly (readonly [TargetKind, string])[] = [
  ['collection', '/:type'],
  ['resource', '/:type/:id'],
  ['relationship', '/:type/:id/relationships/:relation'],
  ['related', '/:type/:id/:relation'],
]

/** The URLs of all servers. Which type a segment means, and which verbs it takes, is settled inside the pipeline. */
export function createRouter(app: App): Router {
  const router = new Router({ strict: true, sensitive: true })
  for (const server of app.servers) {
    for (const plugin of app.plugins) {
      for (const route of plugin.routes?.(server) ?? []) {
        router.all(server.prefix + route.path, (ctx, next) => handle(app, ctx, next, { server, route }))
      }
    }
    for (const [shape, path] of shapes) {
      router.all(server.prefix + path, (ctx, next) => handle(app, ctx, next, { server, shape }))
    }
  }
  return router
}
