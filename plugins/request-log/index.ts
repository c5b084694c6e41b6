import { randomUUID } from 'node:crypto'
import type Koa from 'koa'
import { loggedStatus } from '#http'
import type { Logger, Plugin } from '#kernel/plugin'
import { buildRouteName } from '#routes'
import { describeRequestIds } from './describe.ts'
import { logIgnored } from './ignored-members.ts'

/** Request and response header of the id. */
const header = 'X-Request-Id'
const key = header.toLowerCase()

/** Accepted ids of clients, which are written to logs, headers and error documents. */
const acceptedId = /^[\w.:+/=@-]{1,128}$/

/** Assigns an id to every request, which all its log lines contain, and logs every request with its status. */
export function requestLog(): Plugin {
  return {
    name: 'request-log',

    middleware:
      ({ logger }) =>
      (ctx, next) => {
        const given = ctx.headers[key]
        const id = typeof given === 'string' && acceptedId.test(given) ? given : randomUUID()
        ctx.res.setHeader(header, id)
        ctx.state.requestId = id
        if (logger && logger.isLevelEnabled?.('warn') !== false) logWhenClosed(logger, ctx)
        return next()
      },

    plan({ app, kind, authorize }) {
      if (!app.config.production && (kind === 'Create' || kind === 'Update')) authorize.push(logIgnored)
    },

    describe: describeRequestIds,
  }
}

/** Logs the request when the response is sent or the client has disconnected. */
function logWhenClosed(logger: Logger, ctx: Koa.Context): void {
  const startedAt = performance.now()
  ctx.res.once('close', () => {
    const { res, state } = ctx
    const status = loggedStatus(res)
    if (state.unlogged || (status < 500 && logger.isLevelEnabled?.('info') === false)) return
    const details: Record<string, unknown> = {
      ...state.logFields,
      requestId: state.requestId,
      method: ctx.method,
      path: ctx.path,
      route: buildRouteName(ctx),
      status,
      milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
    }
    if (state.sampledTrace) details.traceId = state.sampledTrace.traceId
    if (!res.writableFinished) details.aborted = true
    if (status >= 500) logger.warn(details, 'Request failed')
    else logger.info(details, 'Request')
  })
}
