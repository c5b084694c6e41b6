import type { ApiError, ErrorObject, Exchange } from '#kernel/plugin'

/** The names in an error of the database. Its texts are left out, because they repeat values of rows. */
interface DatabaseNames {
  readonly exception: string
  /** The SQLSTATE. */
  readonly code?: string
  readonly constraint?: string
  readonly table?: string
  readonly column?: string
}

const names = ['code', 'constraint', 'table', 'column'] as const

/**
 * Logs the constraint, table and column of an error that was converted from one of the database, if the response has no
 * pointer: then the client cannot tell which member is wrong.
 */
export function logDatabaseError({ cause, options }: ApiError, { app, ctx }: Exchange): void {
  if (!(cause instanceof Error) || options.source) return
  const details = { ...namesOf(cause), method: ctx.method, path: ctx.path }
  app.logger?.warn(details, 'The database rejected a write; the response names no member.')
}

/** Adds the names to `meta` in debug mode. */
export function withDatabaseNames(error: ErrorObject, { cause }: ApiError, { app }: Exchange): ErrorObject {
  if (!(cause instanceof Error) || !app.config.debug) return error
  return { ...error, meta: { ...error.meta, database: namesOf(cause) } }
}

function namesOf(cause: Error): DatabaseNames {
  const given = cause as Error & Partial<DatabaseNames>
  const known = names.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : []))
  return { exception: cause.constructor.name, ...Object.fromEntries(known) }
}
