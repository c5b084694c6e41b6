import type { Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { checkWrite } from './input/check-input.ts'
import { writableInput } from './input/hydrate.ts'
import { type PreparedSave, prepareSave, savePrepared } from './save/save-resource.ts'

/** https://jsonapi.org/format/1.1/#crud-creating */
export async function createResource(operation: Operation): Promise<ApiResponse> {
  const checked = await checkCreate(operation)
  return isPrepared(checked) ? savePrepared(operation, checked) : checked
}

/** Authorizes, validates and prepares a new resource. A response of a step ends the operation. */
export async function checkCreate(operation: Operation): Promise<PreparedSave | ApiResponse> {
  const input = writableInput(operation)
  return (await checkWrite(operation, input, null)) ?? prepareSave(operation, input, null)
}

export function isPrepared(checked: PreparedSave | ApiResponse): checked is PreparedSave {
  return 'changes' in checked
}
