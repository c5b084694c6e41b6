import { resourceNotFound } from '../core-errors.ts'
import { loadOne, loadRelations } from '../load.ts'
import type { Input, Operation } from '../operation.ts'
import { wireId } from '../resource.ts'
import type { ApiResponse } from '../response.ts'
import { takenInput, toChanges } from './hydrate.ts'
import { checkLinkageTypes, relate, resolveLinkage } from './linkage.ts'
import { askSaved, askSubject, beforeSave, checkInput } from './moments.ts'
import { lidKey } from './settle.ts'

/** https://jsonapi.org/format/1.1/#crud-creating */
export async function createResource(operation: Operation): Promise<ApiResponse> {
  const { context, target } = operation
  const { type } = target
  const input = takenInput(operation)
  const early = await checkNew(operation, input)
  if (early) return early
  const related = await resolveLinkage(operation, input.linkage)

  const entity = await type.persister.create(type, toChanges(operation, input, related.toOne, null), context)
  await beforeSave(operation, entity)
  const saved = await type.persister.flush(type, context, entity)
  await relate(operation, entity, related.members)
  const key = type.persister.keyOf(type, entity)
  noteLid(operation, key)
  const answer = await askSaved(operation, entity, saved)
  return answer ?? readBack(operation, key, 201)
}

/** Whether it may be made, and is right; an answer ends the operation. */
export async function checkNew(operation: Operation, input: Input): Promise<ApiResponse | undefined> {
  const early = await askSubject(operation, null)
  if (early) return early
  checkLinkageTypes(input.linkage)
  await checkInput(operation, input, null)
  return undefined
}

/** Operations that follow in the batch may name it. */
export function noteLid({ input, target: { type }, context: { unit } }: Operation, key: unknown): void {
  if (input?.lid !== undefined) unit.lids.set(lidKey(type.name, input.lid), type.codec.encode(key))
}

/** The answer to a write is read like any other, inside its transaction, and shows the row just written. */
export async function readBack(operation: Operation, key: unknown, status: number): Promise<ApiResponse> {
  const { query, context, target } = operation
  const { type } = target
  const record = await loadOne(type, key, query, context, { justWritten: true })
  if (!record) throw resourceNotFound({ type: type.name, id: type.codec.encode(key) })
  const data = { type, record }
  await loadRelations([data], query, context)
  const base = context.request?.url.base ?? (context.server.baseUri || context.server.prefix)
  const location = `${base}/${type.uriType}/${encodeURIComponent(wireId(type, record))}`
  return { kind: 'data', status, operation, data, ...(status === 201 && { headers: { Location: location } }) }
}
