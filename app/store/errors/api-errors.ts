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
import { ResultTooLarge } from '../driver/index.ts'
import { isRaised, isRetryable, isUnreachable, readSqlState, type SqlError } from './sql-state.ts'
import { toStatementError } from './statement-errors.ts'

/** Converts an SQL error to an API error without the context of a resource. Returns other errors unchanged. */
export function toApiError(error: unknown): unknown {
  const converted = toReadError(error)
  if (converted !== error || error instanceof StatementError) return converted
  const code = readSqlState(error)
  const reason = describeConflict(error, code)
  if (reason) return conflict({ reason }, { cause: toStatementError(error) })
  const message = isRaised(error) ? phrase('A rule of the database rejects the write.') : describeValueFault(code)
  return message ? validationFailed({ message }, { cause: toStatementError(error) }) : error
}

/** Converts an error of a read: the client cannot cause any other one. */
function toReadError(error: unknown): unknown {
  if (error instanceof ResultTooLarge) return resultTooLarge(error)
  if (isRetryable(error)) return unavailable(1, error)
  return isUnreachable(error) ? unavailable(5, error) : error
}

/** Throws the error of a read. */
export function throwReadError(error: unknown): never {
  throw toStatementError(toReadError(error))
}

function describeConflict(error: unknown, code: string): Phrase | null {
  if (code === '23505') return phrase('A resource with the same value already exists.')
  // exclusion_violation
  if (code === '23P01') return phrase('A resource with conflicting values already exists.')
  if (!isForeignKeyViolation(code)) return null
  return isTargetMissing(error)
    ? phrase('A stored value refers to a row that does not exist.')
    : phrase('Another resource still refers to this one.')
}

function describeValueFault(code: string): Phrase | null {
  if (code === '23502') return phrase('A required value is missing.')
  // check_violation, with_check_option_violation
  if (code === '23514' || code === '44000') return phrase('A stored value is not allowed.')
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
  if (readSqlState(error) !== '23503') return false
  const { message, detail = '' } = error as SqlError
  const words = message.replace(detail, '') // MikroORM appends the detail
  return (words.match(/["«»„“”]/g) ?? []).length <= 4
}

function resultTooLarge({ limit }: ResultTooLarge): ApiError {
  const part = phrase('the data of one type')
  const accepted = phrase('a smaller page (page[size]), a shorter include, fewer fields (fields) or fewer members')
  return documentTooLarge({ limit, counted: phrase('bytes'), part, accepted })
}

function unavailable(seconds: number, error: unknown): Error {
  const headers = { 'Retry-After': String(seconds) }
  return createError(503, 'The database cannot answer at the moment.', { headers, cause: toStatementError(error) })
}
