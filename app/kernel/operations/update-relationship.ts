import { fullReplacementProhibited } from '../core-errors.ts'
import { isOwnerSide, type Relation } from '../fields/definition.ts'
import type { Input, Operation } from '../operation.ts'
import type { ApiResponse } from '../response.ts'
import { readLinkage } from './fetch-relationship.ts'
import { checkGates } from './gates.ts'
import { isWritable } from './hydrate.ts'
import { checkLinkageTypes, resolveLinkage } from './linkage.ts'
import { askSubject, beforeSave, checkInput, findParent } from './moments.ts'
import { findSubject } from './update.ts'

/** https://jsonapi.org/format/1.1/#crud-updating-to-one-relationships */
export async function updateRelationship(operation: Operation): Promise<ApiResponse> {
  const { context, target } = operation
  const { type } = target
  const relation = target.relation as Relation
  const input = operation.input as Input
  const entity = await findSubject(operation)
  const early = await askSubject(operation, entity)
  if (early) return early
  if (!isOwnerSide(relation) || !isWritable(relation, operation)) {
    throw fullReplacementProhibited({ relationship: relation.name }, { source: { pointer: '/data' } })
  }
  checkGates(operation, input.linkage, entity)
  checkLinkageTypes(input.linkage)
  await checkInput(operation, input, entity)
  const toOne = await resolveLinkage(operation, input.linkage)

  await type.persister.change(type, entity, { values: new Map(), fills: [], toOne }, context)
  await beforeSave(operation, entity)
  await type.persister.flush(type, context)
  return readLinkage(operation, await findParent(operation, { justWritten: true }))
}
