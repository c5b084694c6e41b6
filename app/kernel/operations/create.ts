import type { Input, Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { noteLid } from './batch/local-ids.ts'
import { runAfterSave, runBeforeSave, runSubjectLoaded } from './hooks.ts'
import { checkInput } from './input/check-input.ts'
import { takenInput, toChanges } from './input/hydrate.ts'
import { checkLinkageTypes, relate, resolveLinkage } from './input/linkage.ts'
import { readBack } from './read-back.ts'
import { writeSingleStatement } from './single-statement.ts'
import { checkRowChanges } from './written.ts'

/** https://jsonapi.org/format/1.1/#crud-creating */
export async function createResource(operation: Operation): Promise<ApiResponse> {
  const { context, target } = operation
  const { type } = target
  const input = takenInput(operation)
  const early = await checkNew(operation, input)
  if (early) return early
  const atOnce = await writeSingleStatement(operation, input, null)
  if (atOnce) return atOnce
  const related = await resolveLinkage(operation, input.linkage, null)

  const entity = await type.persister.create(type, toChanges(operation, input, related.toOne, null), context)
  await runBeforeSave(operation, entity)
  const saved = await type.persister.flush(type, context, entity)
  await relate(operation, entity, related)
  const key = type.persister.keyOf(type, entity)
  noteLid(operation, key)
  const answer = await runAfterSave(operation, entity, saved)
  if (answer) context.rowChanges.add(type, key)
  await checkRowChanges(operation)
  return answer ?? readBack(operation, key)
}

/** Whether it may be made, and is right; an answer ends the operation. */
export async function checkNew(operation: Operation, input: Input): Promise<ApiResponse | undefined> {
  const early = await runSubjectLoaded(operation, null)
  if (early) return early
  checkLinkageTypes(operation, input.linkage)
  await checkInput(operation, input, null)
  return undefined
}
