import type Koa from 'koa'
import { loggedStatus } from '#http'
import type { App } from '#kernel/plugin'
import { buildRouteName } from '#routes'
import { describeQueryShape } from './query-shape.ts'
import type { RequestTimes, TimedStatement } from './request-times.ts'

const maxStatements = 50

/** Logs a slow request in one line, without values of clients. */
export function logSlowRequest({ logger }: App, ctx: Koa.Context, times: RequestTimes): void {
  const { total, database, waiting, statements } = times
  const { requestId, sampledTrace } = ctx.state
  const omitted = statements.length - maxStatements
  const details = {
    ...(requestId !== undefined && { requestId }),
    ...(sampledTrace && { traceId: sampledTrace.traceId }),
    method: ctx.method,
    route: buildRouteName(ctx),
    query: describeQueryShape(ctx),
    status: loggedStatus(ctx.res),
    milliseconds: round(total),
    databaseMilliseconds: round(database),
    waitingMilliseconds: round(waiting),
    statements: statements.slice(0, maxStatements).map(describeStatement),
    ...(omitted > 0 && { omittedStatements: omitted }),
  }
  logger?.warn(details, 'Slow request')
}

/** A statement that still runs has neither a time nor rows. */
function describeStatement({ statement, startedAt, endedAt, rows, hasFailed }: TimedStatement) {
  return {
    sql: statement.text(),
    ...(endedAt !== undefined && { milliseconds: round(endedAt - startedAt), rows }),
    ...(hasFailed && { failed: true }),
  }
}

export function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
