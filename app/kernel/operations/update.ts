import type { Input, Operation } from '../contract/operation.ts'
import type { ApiResponse } from '../contract/response.ts'
import { lockSubject, subjectError } from './find.ts'
import { checkWrite } from './input/check-input.ts'
import { writableInput } from './input/hydrate.ts'
import { needsRow } from './save/preconditions.ts'
import { completeSave, type PreparedSave, prepareSave, save } from './save/save-resource.ts'

/**
 * Without a check or a rule that reads the stored row, the statement that writes the row finds it by its key. If a check fails
 * then, one more statement decides whether the row exists for the requester, because that is checked first.
 *
 * https://jsonapi.org/format/1.1/#crud-updating
 */
export async function updateResource(operation: Operation): Promise<ApiResponse> {
  const input = writableInput(operation)
  const subject = readsRow(operation, input) ? await lockSubject(operation) : null // 404
  let prepared: PreparedSave
  try {
    const checked = checkWrite(operation, input, subject) // 401, 403, 409, 422
    const early = checked && (await checked)
    if (early) return early
    const preparing = prepareSave(operation, input, subject) // 404 of related rows, 412, 428
    prepared = preparing instanceof Promise ? await preparing : preparing
  } catch (error) {
    throw subject ? error : await subjectError(operation, error) // 404
  }
  return completeSave(operation, prepared, await save(operation, prepared)) // 404, 412
}

/** Whether the stored row is locked and read first: for a check, or to change members whose keys are in other rows. */
function readsRow(operation: Operation, { linkage }: Input): boolean {
  if (needsRow(operation)) return true
  for (const { relation } of linkage) if (relation.kind !== 'belongsTo') return true
  return false
}
