import createError from 'http-errors'
import {
  type ApiError,
  conflict,
  documentTooLarge,
  type Phrase,
  phrase,
  StatementError,
  validationFailed,
} from '#kernel/store'
import { hasChangedPlan, ResultTooLarge } from '../driver/index.ts'
import { codeOf, type SqlError } from './sql-error.ts'
import { toStatementError } from './statement-errors.ts'

/** Whether a retry of the transaction may succeed: serialization failure, deadlock, or a table was altered. */
export function isRetryable(error: unknown): boolean {
  return codeOf(error) === '40001' || isDeadlock(error) || hasChangedPlan(error)
}

export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === '40P01'
}

/** Converts an SQL error to an API error without the context of a resource. Returns other errors unchanged. */
export function toApiError(error: unknown): unknown {
  const converted = toReadError(error)
  if (converted !== error || error instanceof StatementError) return converted
  const code = codeOf(error)
  const reason = conflictOf(error, code)
  if (reason) return conflict({ reason }, { cause: toStatementError(error) })
  const message = faultOf(code)
  return message ? validationFailed({ message }, { cause: toStatementError(error) }) : error
}

/** Converts an error of a read: the client cannot cause any other one. */
export function toReadError(error: unknown): unknown {
  if (error instanceof ResultTooLarge) return resultTooLarge(error)
  if (isRetryable(error)) return unavailable(1)
  return isUnreachable(error) ? unavailable(5) : error
}

/** Throws the error of a read. */
export function throwReadError(error: unknown): never {
  throw toStatementError(toReadError(error))
}

function conflictOf(error: unknown, code: string): Phrase | null {
  if (code === '23505') return phrase('A resource with the same value already exists.')
  // exclusion_violation
  if (code === '23P01') return phrase('A resource with conflicting values already exists.')
  if (!isForeignKeyViolation(code)) return null
  return isTargetMissing(error)
    ? phrase('A stored value refers to a row that does not exist.')
    : phrase('Another resource still refers to this one.')
}

function faultOf(code: string): Phrase | null {
  if (code === '23502') return phrase('A required value is missing.')
  if (code === '23514') return phrase('A stored value is not allowed.')
  // program_limit_exceeded: too long for an index entry, which is at most a third of a page.
  if (code === '54000') return phrase('A stored value is too long.')
  // data_exception: the error names no column.
  return code.startsWith('22')
    ? phrase('A value does not fit its column: it is too large, too long or malformed.')
    : null
}

/** Covers both codes: PostgreSQL 18 distinguishes foreign keys with `restrict` from those with `no action`. */
function isForeignKeyViolation(code: string): boolean {
  return code === '23503' || code === '23001'
}

/**
 * Whether a foreign key refers to a row that does not exist. Otherwise other rows still refer to the written one: then the
 * message names two tables and the constraint, not one table. Its words are in the language of the server.
 */
export function isTargetMissing(error: unknown): boolean {
  if (codeOf(error) !== '23503') return false
  const { message, detail = '' } = error as SqlError
  const words = message.replace(detail, '') // MikroORM appends the detail
  return (words.match(/["«»„“”]/g) ?? []).length <= 4
}

function resultTooLarge({ limit }: ResultTooLarge): ApiError {
  const part = phrase('the data of one type')
  const accepted = phrase('a smaller page (page[size]), a shorter include, fewer fields (fields) or fewer members')
  return documentTooLarge({ limit, counted: phrase('bytes'), part, accepted })
}

function unavailable(seconds: number): Error {
  return createError(503, 'The database cannot answer at the moment.', { headers: { 'Retry-After': String(seconds) } })
}

/** Whether the database did not answer: statement time-out, pool exhausted, connection lost. The driver reports some without a code. */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error)
  if (/^(08|53|57)|^(55P03|25P03)$/.test(code) || /^E(CONN|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH)/.test(code))
    return true
  const message = error instanceof Error ? error.message : ''
  return isPoolExhausted(error) || /Connection terminated|is not queryable/.test(message)
}

/** The driver's message if no connection became available in time. */
export const poolExhaustedMessage = 'timeout exceeded when trying to connect'

/** Whether all connections of the pool stayed in use, or none could be opened. */
export function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === poolExhaustedMessage
}

/** Whether the server has cancelled the statement: statement_timeout, or a cancel request. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014'
}
