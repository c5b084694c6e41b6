import type { Input, Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { checkUnread, lockSubject } from './find.ts'
import { checkWrite } from './input/check-input.ts'
import { writableInput } from './input/hydrate.ts'
import { prepareSave, savePrepared, saveResource, savesUnread } from './save/save-resource.ts'

/** https://jsonapi.org/format/1.1/#crud-updating */
export async function updateResource(operation: Operation): Promise<ApiResponse> {
  const input = writableInput(operation)
  if (savesUnread(operation, input)) return updateUnread(operation, input)
  const subject = await lockSubject(operation) // 404
  const early = await checkWrite(operation, input, subject)
  return early ?? saveResource(operation, input, subject)
}

/** No check needs the stored row: the statement that writes it finds it by its key. */
async function updateUnread(operation: Operation, input: Input): Promise<ApiResponse> {
  const checked = await checkUnread(operation, async () => {
    const early = await checkWrite(operation, input, null)
    return early ? { early } : { prepared: await prepareSave(operation, input, null) }
  })
  return checked.early ?? savePrepared(operation, checked.prepared)
}
