import type { Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { checkWrite } from './input/check-input.ts'
import { writableInput } from './input/hydrate.ts'
import { saveResource } from './save/save-resource.ts'

/** https://jsonapi.org/format/1.1/#crud-creating */
export async function createResource(operation: Operation): Promise<ApiResponse> {
  const input = writableInput(operation)
  const early = await checkWrite(operation, input, null)
  return early ?? saveResource(operation, input, null)
}
