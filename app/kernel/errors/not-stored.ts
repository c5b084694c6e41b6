import { conflict } from './core-errors.ts'
import { type ApiError, phrase } from './errors.ts'

/** A new row is missing after its insert, because a trigger has skipped it. */
export function notStored(): ApiError {
  return conflict({ reason: phrase('The database has not stored the resource.') })
}

/** A row exists after its delete, because a trigger has skipped it. */
export function notDeleted(): ApiError {
  return conflict({ reason: phrase('The database has not deleted the resource.') })
}
