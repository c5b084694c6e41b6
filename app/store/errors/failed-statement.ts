import { DatabaseError } from 'pg-protocol'
import { maskLiterals } from '../driver/mask-literals.ts'
import { hasSqlState, type SqlError } from './sql-error.ts'

/** Adds the text of a statement, with masked values, to the error that the database reports for it. */
export function addStatement(error: unknown, sql: string): unknown {
  return hasSqlState(error) ? Object.assign(error as SqlError, { statement: maskLiterals(sql) }) : error
}

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
  return addStatement(converted, sql)
}
