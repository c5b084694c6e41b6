import Joi from 'joi'
import { isEventStream } from '#http'
import { type App, currentContext, type Exchange, type Plugin } from '#kernel/plugin'
import { logSlowRequest, round } from './log-request.ts'
import { type Interval, type Now, RequestTimes, type TimedStatement } from './request-times.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Ends the observation of statements. */
    stopTiming?: () => void
  }
  interface RequestState {
    requestTimes?: RequestTimes
  }
}

export interface SlowRequestsOptions {
  /** Returns milliseconds; injected by tests. */
  readonly now?: Now
}

/**
 * Logs requests that take longer than SLOW_REQUEST_MS, with their statements and the time spent waiting for a connection.
 * Outside of production, every response has these times in the header Server-Timing.
 */
export function slowRequests({ now = performance.now.bind(performance) }: SlowRequestsOptions = {}): Plugin {
  return {
    name: 'slow-requests',
    environment: { SLOW_REQUEST_MS: Joi.number().integer().min(0).default(500) },

    middleware(app) {
      const threshold = Number(app.config.variables.SLOW_REQUEST_MS)
      if (threshold === 0 && app.config.production) return null
      const stop = observe(app)
      if (stop) app.stopTiming = stop
      return (ctx, next) => {
        const times = new RequestTimes(app, now)
        ctx.state.requestTimes = times
        if (threshold > 0) {
          ctx.res.once('close', () => {
            if (times.total > threshold && !ctx.state.unlogged && !isEventStream(ctx.res))
              logSlowRequest(app, ctx, times)
          })
        }
        return next()
      }
    },

    plan({ app, beforeSend }) {
      if (!app.config.production) beforeSend.push(setServerTiming)
    },

    close: (app) => app.stopTiming?.(),
  }
}

/** Adds statements and waits to the request of the application that causes them, until its response begins: streams do not end. */
function observe(app: App) {
  return app.store.observe?.({
    onStatement(statement) {
      const ctx = currentContext()
      const times = ctx?.state.requestTimes
      if (times?.app !== app || ctx?.headerSent) return undefined
      const timed: TimedStatement = { statement, startedAt: times.now() }
      times.statements.push(timed)
      return ({ rows, error }) => {
        timed.endedAt = times.now()
        timed.rows = rows
        timed.hasFailed = error !== undefined
      }
    },
    onWait() {
      const ctx = currentContext()
      const times = ctx?.state.requestTimes
      if (times?.app !== app || ctx?.headerSent) return undefined
      const wait: Interval = { startedAt: times.now() }
      times.waits.push(wait)
      return () => {
        wait.endedAt = times.now()
      }
    },
  })
}

function setServerTiming({ ctx }: Exchange): void {
  const { requestTimes } = ctx.state
  if (requestTimes) ctx.set('Server-Timing', serverTiming(requestTimes))
}

function serverTiming({ total, database, waiting, statements }: RequestTimes): string {
  const count = `${statements.length} statement${statements.length === 1 ? '' : 's'}`
  return [
    `total;dur=${round(total)}`,
    `database;dur=${round(database)};desc="${count}"`,
    `waiting;dur=${round(waiting)}`,
  ].join(', ')
}
