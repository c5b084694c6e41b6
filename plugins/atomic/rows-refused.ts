import { isHttpError } from 'http-errors'
import { toApiErrors } from '#kernel/errors'
import type { Unit } from '#kernel/plugin'

/**
 * Thrown if creates cannot share an insert, because a row was refused or a check reads the database: the batch runs again,
 * one row at a time.
 */
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
    throw !unit.hasCommitted && isRefusal(error, unit) ? new RowsRefused(error) : error
  }
}

/** Whether a row was refused, by the application or by the database. */
function isRefusal(error: unknown, unit: Unit): boolean {
  if (toApiErrors(error).length > 0) return true
  return isHttpError(error) ? error.status < 500 : unit.isRowRefusal(error)
}
