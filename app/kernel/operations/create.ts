import type { Operation } from '../contract/operation.ts'
import type { ApiResponse } from '../contract/response.ts'
import { checkWrite } from './input/check-input.ts'
import { writableInput } from './input/hydrate.ts'
import { completeSave, prepareSave, save } from './save/save-resource.ts'

/** https://jsonapi.org/format/1.1/#crud-creating */
export async function createResource(operation: Operation): Promise<ApiResponse> {
  const input = writableInput(operation)
  const checked = checkWrite(operation, input, null) // 401, 403, 409, 422
  const early = checked && (await checked)
  if (early) return early
  const preparing = prepareSave(operation, input, null) // 404 of related rows, 412
  const prepared = preparing instanceof Promise ? await preparing : preparing
  return completeSave(operation, prepared, await save(operation, prepared))
}
