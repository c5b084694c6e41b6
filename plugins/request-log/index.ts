import { randomUUID } from 'node:crypto'
import type Koa from 'koa'
import { type App, isUnlogged, type Plugin, routeNameOf, runWithRequestId } from '#kernel/plugin'
import { describeRequestIds } from './describe.ts'

/** The header in which an id comes and goes. */
const header = 'X-Request-Id'
const key = header.toLowerCase()

/** What an id from outside may look like: it is put into logs, headers and documents. */
const acceptable = /^[\w.:+/=@-]{1,128}$/

/** Gives every request an id, which all that is logged about it carries, and logs what became of it. */
export function requestLog(): Plugin {
  return {
    name: 'request-log',

    middleware: (app) => (ctx, next) => {
      const given = ctx.headers[key]
      const id = typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
      ctx.res.setHeader(header, id)
      if (isHeard(app, 'warn')) logWhenClosed(app, ctx, id)
      return runWithRequestId(ctx, id, next)
    },

    describe: describeRequestIds,
  }
}

function isHeard({ logger }: App, level: 'info' | 'warn'): boolean {
  return logger !== null && (logger.isLevelEnabled?.(level) ?? true)
}

function logWhenClosed(app: App, ctx: Koa.Context, id: string): void {
  const began = performance.now()
  ctx.res.once('close', () => {
    if (isUnlogged(ctx)) return
    if (ctx.res.statusCode >= 500 || isHeard(app, 'info')) log(app, ctx, id, began)
  })
}

/** The answer is sent, or its client has gone. */
function log({ logger }: App, ctx: Koa.Context, requestId: string, began: number): void {
  const { statusCode: status, writableFinished } = ctx.res
  const details = {
    requestId,
    method: ctx.method,
    path: ctx.path,
    route: routeNameOf(ctx),
    status,
    milliseconds: Math.round((performance.now() - began) * 10) / 10,
    ...(!writableFinished && { aborted: true }),
  }
  if (status >= 500) logger?.warn(details, 'Request failed')
  else logger?.info(details, 'Request')
}
