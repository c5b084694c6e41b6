import { DatabaseError } from 'pg-protocol'
import { maskLiterals } from './mask-literals.ts'

/** The rows of a statement have more bytes than MAX_RESULT_BYTES. */
export class ResultTooLarge extends Error {
  readonly limit: number

  constructor(limit: number) {
    super(`The rows of a statement have more than ${limit} bytes.`)
    this.limit = limit
  }
}

/**
 * Returns the error for a statement whose text has a NUL character, which MikroORM writes into it with a value: the SQLSTATE
 * with which PostgreSQL refuses a bound value. The server itself would report a violation of the protocol, as it does for a
 * broken connection.
 */
export function nulCharacterError(): Error {
  return Object.assign(new Error('A value contains a NUL character.'), { code: '22021' })
}

/** Whether a prepared statement was refused because the types of its columns have changed since. It had no effect. */
export function hasChangedPlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as Partial<DatabaseError>
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

/** Adds the text of a statement, with masked values, to the error that the server reports for it. */
export function addStatement(error: unknown, sql: string): unknown {
  return error instanceof DatabaseError ? Object.assign(error, { statement: maskLiterals(sql) }) : error
}
