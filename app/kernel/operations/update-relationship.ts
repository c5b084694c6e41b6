import { createQuery } from '../model/create-query.ts'
import { isOwnerSide, type Relation, type Row } from '../model/field.ts'
import { Graph } from '../model/graph.ts'
import { createBudget } from '../model/limits.ts'
import type { Input, Operation } from '../model/operation.ts'
import type { ApiResponse, IdentifierResponse } from '../model/response.ts'
import { isDocumentTooLarge } from '../read/document-too-large.ts'
import { readLinkage } from './fetch-relationship.ts'
import { checkShown, findParent, findSubject } from './find.ts'
import { runChecks } from './hooks.ts'
import { checkInput } from './input/check-input.ts'
import { relate, resolveLinkage, toNamedLinkage } from './input/linkage.ts'
import { checkGates } from './input/relation-gates.ts'
import { checkRowChanges, scopeReadsRelations } from './save/check-written.ts'
import { fastPathFor } from './save/fast-path.ts'
import { addMembersFast, saveChanges } from './save/save-resource.ts'
import { addUnread } from './save/update-unread.ts'

/** Replaces, adds or removes members. https://jsonapi.org/format/1.1/#crud-updating-relationships */
export async function updateRelationship(operation: Operation): Promise<ApiResponse> {
  const { type } = operation.target
  const { unit, rowChanges } = operation.context
  const input = operation.input as Input
  const fast = fastPathFor(operation)
  const added = fast && (await addUnread(operation, input, fast))
  if (added) return finishUpdate(operation, added)
  const subject = await findSubject(operation, fast)
  const storedBefore = unit.storedValues(subject)
  const early = await runChecks(operation, subject)
  checkShown(operation, isHiddenByRow(operation) ? await findParent(operation) : {}) // 404
  if (early) return early
  checkGates(operation, input.linkage, subject)
  await checkInput(operation, input, subject)
  const hooksHaveEntities = fast !== undefined && unit.hasEntities
  const linkage = toNamedLinkage(input.linkage)
  const key = type.persister.keyOf(type, subject)
  const mayAdd = added === undefined && !operation.preconditions
  if (!mayAdd || !(await addMembersFast(operation, key, linkage, fast, false))) {
    const related = await resolveLinkage(operation, linkage, subject)
    const changes = { values: new Map(), fills: [], toOne: related.toOne }
    await saveChanges(operation, subject, () => changes, fast)
    await relate(operation, subject, related)
  }
  await unit.saveEntities() // hooks may have changed the entity of the parent
  if (hooksHaveEntities || unit.storedValues(subject) !== storedBefore) rowChanges.add(type, key)
  return finishUpdate(operation, subject)
}

async function finishUpdate(operation: Operation, subject: object): Promise<ApiResponse> {
  const { context, target } = operation
  const { type } = target
  if (await changesParent(operation)) context.rowChanges.add(type, type.persister.keyOf(type, subject))
  await checkRowChanges(operation)
  const isShown = !context.batch && !operation.hidesResult
  if (!isShown) return { kind: 'none', status: 204 }
  return showLinkage(operation, keyAlone(operation, subject) ?? (await findParent(operation, { justWritten: true })))
}

/**
 * The linkage before the write, as a GET of the relationship shows it to the requester. Null if it does not fit into a
 * document.
 */
export async function currentLinkage(operation: Operation, subject: object): Promise<IdentifierResponse | null> {
  const { context, target } = operation
  const query = createQuery(target)
  query.visibility = operation.query.visibility
  const budget = createBudget(context.app.config.limits)
  const read: Operation = { ...operation, query, context: { ...context, graph: new Graph(), budget } }
  const response = await showLinkage(read, keyAlone(read, subject) ?? (await findParent(read)))
  return response.kind === 'identifier' ? response : null
}

/**
 * The resulting linkage, or 204 if it does not fit into a document or cannot be read after the commit: the write itself is
 * valid.
 */
async function showLinkage(operation: Operation, parent: Row): Promise<ApiResponse> {
  const { app, unit } = operation.context
  try {
    return await readLinkage(operation, parent)
  } catch (error) {
    const isTooLarge = isDocumentTooLarge(error)
    if (!isTooLarge && !unit.hasCommitted) throw error
    if (!isTooLarge) app.logger?.error({ err: error }, 'The members that were added cannot be read; the write is kept')
    return { kind: 'none', status: 204 }
  }
}

/** Whether the write changes values that the policy of the parent reads: columns of its row, or related rows. */
async function changesParent({ target, context }: Operation): Promise<boolean> {
  const { type } = target
  const relation = target.relation as Relation
  if (isOwnerSide(relation) || type.persister !== context.app.store.persister) return true
  if (relation.kind === 'hasOne' && type.steps.checkRows.written.length > 0) return true
  return scopeReadsRelations(type, context)
}

/** The parent with its key only, if that is enough to read its members. Null if the parent has to be read. */
function keyAlone({ target, context }: Operation, subject: object): Row | null {
  const { type, relation } = target
  if (type.needs.length > 0 || type.provider !== context.app.store.provider) return null
  if (isOwnerSide(relation as Relation) || isHiddenByRow({ target })) return null
  return { [type.id.property]: type.persister.keyOf(type, subject) }
}

/** Whether a function hides the relation by the values of the parent: then the whole row is read. */
function isHiddenByRow({ target }: Pick<Operation, 'target'>): boolean {
  return typeof target.relation?.hidden === 'function'
}
