import { resourceNotFound } from '../errors/core-errors.ts'
import type { Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { runAfterSave, runBeforeSave, runSubjectLoaded } from './hooks.ts'
import { checkInput } from './input/check-input.ts'
import { takenInput, toChanges } from './input/hydrate.ts'
import { checkLinkageTypes, relate, resolveLinkage } from './input/linkage.ts'
import { checkGates } from './input/relation-gates.ts'
import { needsEntity } from './observers.ts'
import { readBack } from './read-back.ts'
import { writeSingleStatement } from './single-statement.ts'
import { checkRowChanges } from './written.ts'

/** https://jsonapi.org/format/1.1/#crud-updating */
export async function updateResource(operation: Operation): Promise<ApiResponse> {
  const { context, target } = operation
  const { type } = target
  const input = takenInput(operation)
  const entity = await findSubject(operation)
  const early = await runSubjectLoaded(operation, entity)
  if (early) return early
  checkGates(operation, input.linkage, entity)
  checkLinkageTypes(operation, input.linkage)
  await checkInput(operation, input, entity)
  const atOnce = await writeSingleStatement(operation, input, entity)
  if (atOnce) return atOnce
  const related = await resolveLinkage(operation, input.linkage, entity)

  await type.persister.change(type, entity, toChanges(operation, input, related.toOne, entity), context)
  await runBeforeSave(operation, entity)
  const saved = await type.persister.flush(type, context, entity)
  await relate(operation, entity, related)
  const key = type.persister.keyOf(type, entity)
  const answer = await runAfterSave(operation, entity, saved)
  if (answer) context.rowChanges.add(type, key)
  await checkRowChanges(operation)
  return answer ?? readBack(operation, key)
}

/** The entity a write is about, locked; or a 404. Of a change that nobody looks at, its values. */
export async function findSubject({ kind, target, context, query }: Operation): Promise<object> {
  const { type, id = '' } = target
  const { persister } = type
  const key = type.codec.decode(id)
  if (key !== undefined) {
    const isPlain = persister.lock && kind !== 'Delete' && !needsEntity(context.app, type)
    const subject = await (isPlain
      ? persister.lock?.(type, key, context, query.needs.get(type))
      : persister.load(type, key, context))
    if (subject) return subject
  }
  throw resourceNotFound({ type: type.name, id })
}
