import { type ApiError, type ErrorObject, StatementError } from '#kernel/errors'
import type { Exchange } from '#kernel/plugin'

/**
 * Logs an error that was converted from one of the database, if the response has no pointer: then the response does not show
 * which member is wrong.
 */
export function logDatabaseError({ cause, options }: ApiError, { app, ctx }: Exchange): void {
  if (!(cause instanceof Error) || options.source) return
  const details = { ...describeDatabaseError(cause), method: ctx.method, path: ctx.path }
  app.logger?.warn(details, 'The database rejected a write; the response names no member.')
}

/** Adds the error of the database to `meta` in debug mode. */
export function withDatabaseError(error: ErrorObject, { cause }: ApiError, { app }: Exchange): ErrorObject {
  if (!(cause instanceof Error) || !app.config.debug) return error
  return { ...error, meta: { ...error.meta, database: describeDatabaseError(cause) } }
}

/** The names of an error that MikroORM threw before it sent a statement are unknown; its message may contain values. */
function describeDatabaseError(cause: Error): object {
  return cause instanceof StatementError ? { ...cause.names, reason: cause.message } : { reason: cause.name }
}
