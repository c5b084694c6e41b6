import { isThenable } from '../lib/awaitable.ts'
import type { Input, Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { lockSubject, subjectError } from './find.ts'
import { checkWrite } from './input/check-input.ts'
import { writableInput } from './input/hydrate.ts'
import { type PreparedSave, prepareSave, savePrepared, saveResource, savesUnread } from './save/save-resource.ts'

/** https://jsonapi.org/format/1.1/#crud-updating */
export function updateResource(operation: Operation): Promise<ApiResponse> {
  const input = writableInput(operation)
  if (savesUnread(operation, input)) return updateUnread(operation, input)
  return lockSubject(operation).then((subject) => saveResource(operation, input, subject)) // 404
}

/** No check needs the stored row: the statement that writes it finds it by its key. */
async function updateUnread(operation: Operation, input: Input): Promise<ApiResponse> {
  let prepared: PreparedSave
  try {
    const checked = checkWrite(operation, input, null)
    const early = isThenable(checked) ? await checked : checked
    if (early) return early
    const preparing = prepareSave(operation, input, null)
    prepared = isThenable(preparing) ? await preparing : preparing
  } catch (error) {
    throw await subjectError(operation, error)
  }
  return await savePrepared(operation, prepared)
}
