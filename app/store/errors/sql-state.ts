import { hasChangedPlan } from '../driver/index.ts'

/** An error that the database reports. */
export interface SqlError extends Error {
  readonly code?: string
  readonly detail?: string
  readonly constraint?: string
  readonly table?: string
  readonly column?: string
  /** The function of the server that raised the error. */
  readonly routine?: string
  /** The context in the server, such as the parameter of a statement. */
  readonly where?: string
  /** The text of the statement, with masked values. */
  readonly statement?: string
}

/** Whether the database has reported the error, which aborts the transaction. Errors of the operating system have a code, too: `EPIPE`. */
export function hasSqlState(error: unknown): boolean {
  return /^[\dA-Z]{5}$/.test(readSqlState(error)) && (error as NodeJS.ErrnoException).syscall === undefined
}

export function readSqlState(error: unknown): string {
  const code = (error as SqlError | null)?.code
  return typeof code === 'string' ? code : ''
}

/**
 * Whether the database refused a row. Other errors are retried, or the statement may have been executed: after a lost
 * connection, or an error of the server itself (58, XX).
 */
export function isRowRefusal(error: unknown): boolean {
  if (!hasSqlState(error) || isRetryable(error) || isUnreachable(error)) return false
  return !/^(?:40|58|XX)/.test(readSqlState(error))
}

/**
 * Whether a function or a trigger of the author has raised the error: `raise exception` without a code, or with a code of a
 * class that PostgreSQL does not use.
 */
export function isRaised(error: unknown): boolean {
  if (!hasSqlState(error) || (error as SqlError).statement === undefined) return false
  const code = readSqlState(error)
  return code === 'P0001' || !classesOfPostgres.test(code)
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const classesOfPostgres = /^(?:0[012389ABFLPZ]|10|2[0-8BDF]|3[489BDF]|4[024]|5[34578]|72|F0|HV|P0|XX)/

/** Whether a retry of the transaction may succeed: serialization failure, deadlock, or a table was altered. */
export function isRetryable(error: unknown): boolean {
  return readSqlState(error) === '40001' || isDeadlock(error) || hasChangedPlan(error)
}

export function isDeadlock(error: unknown): boolean {
  return readSqlState(error) === '40P01'
}

/** Whether the database did not answer: statement time-out, pool exhausted, connection lost. The driver reports some without a code. */
export function isUnreachable(error: unknown): boolean {
  const code = readSqlState(error)
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
  return readSqlState(error) === '57014'
}
