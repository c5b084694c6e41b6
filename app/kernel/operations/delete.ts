import type { Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { findSubject } from './find.ts'
import { runBeforeSave, runChecks } from './hooks.ts'
import { checkPreconditions } from './save/preconditions.ts'

/** https://jsonapi.org/format/1.1/#crud-deleting */
export async function deleteResource(operation: Operation): Promise<ApiResponse> {
  const { context, target } = operation
  const { type } = target
  const entity = await findSubject(operation)
  const early = await runChecks(operation, entity)
  if (early) return early
  await checkPreconditions(operation, entity)
  await runBeforeSave(operation, entity)
  await type.persister.remove(type, entity, context)
  await type.persister.flush(type, context, entity)
  return { kind: 'none', status: 204 }
}
