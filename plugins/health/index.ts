import type Koa from 'koa'
import { markUnlogged, type Plugin, type Route } from '#kernel/plugin'
import { createReadiness, type Readiness } from './readiness.ts'

export interface HealthOptions {
  /** Where it is asked whether the process runs. */
  readonly live?: string
  /** Where it is asked whether it should be sent requests. */
  readonly ready?: string
}

/**
 * Liveness and readiness checks, answered in plain JSON. Only the request id and the security headers come before it: a
 * check needs no token and no valid `Host`, and is neither logged nor limited.
 */
export function health({ live = '/live', ready = '/ready' }: HealthOptions = {}): Plugin {
  return {
    name: 'health',

    middleware(app) {
      const readiness = createReadiness(app)
      const tell = async (ctx: Koa.Context) => answer(ctx, ctx.path === live ? alive : await readiness())
      return (ctx, next) => {
        const { path, method } = ctx
        const isAsked = (path === live || path === ready) && (method === 'GET' || method === 'HEAD')
        return isAsked ? tell(ctx) : next()
      }
    },

    /** Other verbs are refused as anywhere, and no type can take these paths. */
    routes: ({ name }) => (name === 'default' ? [routeTo('live', live), routeTo('ready', ready)] : []),
  }
}

const alive: Readiness = { status: 'ok' }

function answer(ctx: Koa.Context, readiness: Readiness): void {
  markUnlogged(ctx)
  ctx.status = readiness.status === 'ok' ? 200 : 503
  ctx.set('Cache-Control', 'no-store')
  ctx.body = readiness
}

function routeTo(name: string, path: string): Route {
  return { name: `jsonapi.${name}`, methods: ['GET', 'HEAD'], path, isAbsolute: true, handle: () => undefined }
}
