import { type ErrorObject, type ErrorSource, StatementError } from '#kernel/errors'
import type { ErrorResponse, Exchange } from '#kernel/plugin'
import { findTitle } from './titles.ts'

export interface HttpException {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly source?: ErrorSource | undefined
  /** Why the request was rejected, for debug mode. It is never sent otherwise, also not on routes that are not JSON:API. */
  readonly reason?: string | undefined
}

/** Creates an error without a code. Shows the message in debug mode only, because it may hold internal data. */
export function httpErrorResponse(
  { status, message, headers, source, reason = message }: HttpException,
  { app }: Exchange,
): ErrorResponse {
  const error: ErrorObject = {
    status: String(status),
    title: findTitle(status),
    detail: app.config.debug ? reason : '',
    ...(source && { source }),
  }
  return { kind: 'error', status, errors: [error], ...(headers && { headers }) }
}

/** Logs an unexpected error and creates its 500. Expected errors are not logged. */
export function unexpectedResponse(error: unknown, { app, ctx }: Exchange): ErrorResponse {
  const names = error instanceof StatementError ? error.names : {}
  app.logger?.error({ err: error, ...names, method: ctx.method, path: ctx.path }, 'Unexpected error')
  const details = app.config.debug ? debugDetails(error) : {}
  return { kind: 'error', status: 500, errors: [{ status: '500', title: 'Internal Server Error', ...details }] }
}

function debugDetails(error: unknown): Partial<ErrorObject> {
  if (!(error instanceof Error)) return { detail: String(error) }
  const { code } = error as { code?: unknown }
  const trace = (error.stack ?? '')
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
  const [, file = '', line = ''] = /\(?([^()\s]+):(\d+):\d+\)?$/.exec(trace[0] ?? '') ?? []
  return {
    ...(code !== undefined && { code: String(code) }),
    detail: error.message,
    meta: {
      exception: error.constructor.name,
      file,
      line: Number(line),
      trace,
      ...(error instanceof StatementError && { database: error.names }),
    },
  }
}
