import { isHttpError } from 'http-errors'
import { toApiErrors } from '#kernel/errors'
import type { Unit } from '#kernel/plugin'

/** A row, or a check that reads the database, does not let creates share an insert: the batch runs again, one row at a time. */
export class RowsRefused extends Error {
  constructor(cause?: unknown) {
    super('The creates cannot share an insert.', { cause })
    this.name = 'RowsRefused'
  }
}

/** Runs a statement or a check of all rows. Throws RowsRefused if it refuses one of them. */
export async function refusing<T>(unit: Unit, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isRefusal(error) && !unit.hasCommitted ? new RowsRefused(error) : error
  }
}

/**
 * Whether a row was refused. Errors of the server are no refusals: the store retries SQLSTATE class 40, and after a lost
 * connection the insert may have been committed.
 */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  if (toApiErrors(error).length > 0) return true
  if (isHttpError(error)) return error.status < 500
  return typeof code === 'string' && /^(?!08|40|53|57|58|XX)[\dA-Z]{5}$/.test(code)
}
