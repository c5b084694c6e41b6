import { DatabaseError } from 'pg-protocol'
import { maskLiterals } from '#store/driver/index.ts'
import { hasSqlState } from '#store/errors/sql-state.ts'

const fields = [
  'stack',
  'code',
  'severity',
  'detail',
  'hint',
  'where',
  'position',
  'table',
  'column',
  'constraint',
  'routine',
] as const

/** Converts an error of PGlite to that of a server. Its class has a minified name, and it holds the values of the statement. */
export function toServerError(error: unknown, sql: string): unknown {
  if (!hasSqlState(error)) return error
  const reported = error as DatabaseError
  const converted = new DatabaseError(reported.message, 0, 'error')
  for (const field of fields) if (reported[field] !== undefined) converted[field] = reported[field]
  return Object.assign(converted, { statement: maskLiterals(sql) })
}
