import { randomUUID } from 'node:crypto'
import type Koa from 'koa'
import { type App, isUnlogged, logFieldsOf, loggedStatus, type Plugin, routeNameOf, setRequestId } from '#kernel/plugin'
import { describeRequestIds } from './describe.ts'

/** Request and response header of the id. */
const header = 'X-Request-Id'
const key = header.toLowerCase()

/** Accepted ids of clients, which are written to logs, headers and error documents. */
const acceptedId = /^[\w.:+/=@-]{1,128}$/

/** Assigns an id to every request, which all its log lines contain, and logs every request with its status. */
export function requestLog(): Plugin {
  return {
    name: 'request-log',

    middleware: (app) => (ctx, next) => {
      const given = ctx.headers[key]
      const id = typeof given === 'string' && acceptedId.test(given) ? given : randomUUID()
      ctx.res.setHeader(header, id)
      if (isLogged(app, 'warn')) logWhenClosed(app, ctx, id)
      setRequestId(ctx, id)
      return next()
    },

    describe: describeRequestIds,
  }
}

function isLogged({ logger }: App, level: 'info' | 'warn'): boolean {
  return logger !== null && (logger.isLevelEnabled?.(level) ?? true)
}

function logWhenClosed(app: App, ctx: Koa.Context, id: string): void {
  const startedAt = performance.now()
  ctx.res.once('close', () => {
    if (isUnlogged(ctx)) return
    if (ctx.res.statusCode >= 500 || isLogged(app, 'info')) log(app, ctx, id, startedAt)
  })
}

/** Called when the response is sent or the client has disconnected. */
function log({ logger }: App, ctx: Koa.Context, requestId: string, startedAt: number): void {
  const status = loggedStatus(ctx.res)
  const details = {
    ...logFieldsOf(ctx),
    requestId,
    method: ctx.method,
    path: ctx.path,
    route: routeNameOf(ctx),
    status,
    milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
    ...(ctx.state.sampledTrace && { traceId: ctx.state.sampledTrace.traceId }),
    ...(!ctx.res.writableFinished && { aborted: true }),
  }
  if (status >= 500) logger?.warn(details, 'Request failed')
  else logger?.info(details, 'Request')
}
