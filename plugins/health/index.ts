import type Koa from 'koa'
import type { Plugin, Route } from '#kernel/plugin'
import { createReadiness, type Readiness } from './readiness.ts'

export interface HealthOptions {
  /** Path of the liveness check. */
  readonly live?: string
  /** Path of the readiness check. */
  readonly ready?: string
}

/**
 * Liveness and readiness checks with JSON responses. Runs before all plugins except tracing, request-log, slow-requests and
 * security-headers: a check needs no token and no valid `Host`, and is neither logged nor limited.
 */
export function health({ live = '/live', ready = '/ready' }: HealthOptions = {}): Plugin {
  return {
    name: 'health',

    middleware(app) {
      const readiness = createReadiness(app)
      const check = async (ctx: Koa.Context) => respond(ctx, ctx.path === live ? alive : await readiness())
      return (ctx, next) => {
        const { path, method } = ctx
        const isCheck = (path === live || path === ready) && (method === 'GET' || method === 'HEAD')
        return isCheck ? check(ctx) : next()
      }
    },

    /** Other methods get 405, and no resource type can have these paths. */
    routes: ({ name }) =>
      name === 'default' ? [routeTo('live', live, 'Liveness'), routeTo('ready', ready, 'Readiness')] : [],
  }
}

const alive: Readiness = { status: 'ok' }

function respond(ctx: Koa.Context, readiness: Readiness): void {
  ctx.state.unlogged = true
  ctx.status = readiness.status === 'ok' ? 200 : 503
  ctx.set('Cache-Control', 'no-store')
  ctx.body = readiness
}

function routeTo(name: string, path: string, title: string): Route {
  return { name: `jsonapi.${name}`, methods: ['GET', 'HEAD'], path, isAbsolute: true, title, handle: () => undefined }
}
