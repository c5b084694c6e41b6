import { isOwnerSide, type Relation, type Row } from '../model/field.ts'
import type { Input, Operation } from '../model/operation.ts'
import { scopeReadsRelations } from '../model/own-columns.ts'
import type { ApiResponse } from '../model/response.ts'
import { isDocumentTooLarge } from '../read/document-too-large.ts'
import { readLinkage } from './fetch-relationship.ts'
import { checkShown, findParent, runBeforeSave, runSubjectLoaded } from './hooks.ts'
import { checkInput } from './input/check-input.ts'
import { checkLinkageTypes, findAll, type NamedLinkage, nameMembers, prepareLinkage, relate } from './input/linkage.ts'
import { checkGates } from './input/relation-gates.ts'
import { addInSingleStatement } from './single-statement.ts'
import { findSubject } from './update.ts'
import { checkRowChanges } from './written.ts'

/** Replaces, adds or removes members. https://jsonapi.org/format/1.1/#crud-updating-relationships */
export async function updateRelationship(operation: Operation): Promise<ApiResponse> {
  const { context, target } = operation
  const input = operation.input as Input
  const entity = await findSubject(operation)
  const early = await runSubjectLoaded(operation, entity)
  checkShown(operation, isHiddenByRow(operation) ? await findParent(operation) : {}) // 404
  if (early) return early
  checkGates(operation, input.linkage, entity)
  checkLinkageTypes(operation, input.linkage)
  await checkInput(operation, input, entity)
  const named = nameMembers(input.linkage)
  if (!(await addInSingleStatement(operation, entity, named))) await writeLinkage(operation, entity, named)
  if (await changesParent(operation))
    context.rowChanges.add(target.type, target.type.persister.keyOf(target.type, entity))
  await checkRowChanges(operation)
  if (context.batch) return { kind: 'none', status: 204 } // nobody would see it
  return showLinkage(operation, keyAlone(operation, entity) ?? (await findParent(operation, { justWritten: true })))
}

/** The resulting linkage, or 204 when it does not fit into a document: the write itself is legal. */
async function showLinkage(operation: Operation, parent: Row): Promise<ApiResponse> {
  try {
    return await readLinkage(operation, parent)
  } catch (error) {
    if (isDocumentTooLarge(error)) return { kind: 'none', status: 204 }
    throw error
  }
}

async function writeLinkage(operation: Operation, entity: object, named: readonly NamedLinkage[]): Promise<void> {
  const { context, target } = operation
  const { type } = target
  const related = await prepareLinkage(operation, named, entity, await findAll(operation, named))
  const { toOne } = related
  await type.persister.change(type, entity, { values: new Map(), fills: [], toOne }, context)
  await runBeforeSave(operation, entity)
  await type.persister.flush(type, context, entity)
  await relate(operation, entity, related)
}

/**
 * Whether the write changes what the policy of the parent decides by: the parent's own row holds the keys, or the policy
 * reads them through relations.
 */
async function changesParent({ target, context }: Operation): Promise<boolean> {
  const { type } = target
  const relation = target.relation as Relation
  if (isOwnerSide(relation) || type.persister !== context.app.store.persister) return true
  if (relation.kind === 'hasOne' && context.app.hooksFor('onRowsWritten', type).length > 0) return true
  return scopeReadsRelations(type, context)
}

/** Where the key is all that the store reads members by, and nobody asks for more of the parent, it is at hand. */
function keyAlone({ target, context }: Operation, entity: object): Row | null {
  const { type, relation } = target
  if (type.needs.length > 0 || type.provider !== context.app.store.provider || isOwnerSide(relation as Relation))
    return null
  if (isHiddenByRow({ target })) return null
  return { [type.id.property]: type.persister.keyOf(type, entity) }
}

/** Whether a function decides by the parent if the relation is hidden: then the whole row is read. */
function isHiddenByRow({ target }: Pick<Operation, 'target'>): boolean {
  return typeof target.relation?.hidden === 'function'
}
