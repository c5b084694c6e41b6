import type { Input, Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { runChecks } from './hooks.ts'
import { checkInput } from './input/check-input.ts'
import { writableInput } from './input/hydrate.ts'
import { fastPathFor } from './save/fast-path.ts'
import { saveResource } from './save/save-resource.ts'

/** https://jsonapi.org/format/1.1/#crud-creating */
export async function createResource(operation: Operation): Promise<ApiResponse> {
  const input = writableInput(operation)
  const early = await checkNew(operation, input)
  return early ?? saveResource(operation, input, null, fastPathFor(operation))
}

/** Authorizes and validates a new resource; a response ends the operation. */
export async function checkNew(operation: Operation, input: Input): Promise<ApiResponse | undefined> {
  const early = await runChecks(operation, null)
  if (early) return early
  await checkInput(operation, input, null)
  return undefined
}
