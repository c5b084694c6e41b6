import type { Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { writableInput } from './input/hydrate.ts'
import { saveResource } from './save/save-resource.ts'

/** https://jsonapi.org/format/1.1/#crud-creating */
export function createResource(operation: Operation): Promise<ApiResponse> {
  return saveResource(operation, writableInput(operation), null)
}
