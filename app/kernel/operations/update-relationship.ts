import type { Input, Operation } from '../contract/operation.ts'
import type { ApiResponse, IdentifierResponse } from '../contract/response.ts'
import { createQuery } from '../data/create-query.ts'
import { Graph } from '../data/graph.ts'
import { documentTooLarge } from '../errors/core-errors.ts'
import { ApiError } from '../errors/errors.ts'
import { findWriter } from '../plan/writer.ts'
import { isOwnerSide, type Relation, type Row } from '../schema/field.ts'
import { hasOneScope } from './context.ts'
import { fetchLinkage } from './fetch-relationship.ts'
import { checkShown, findParent, lockSubject, subjectError, subjectKey } from './find.ts'
import { runChecks } from './hooks.ts'
import { checkInput, checkWrite } from './input/check-input.ts'
import { type NamedLinkage, relate, resolveLinkage, toNamedLinkage } from './input/linkage.ts'
import { checkGates } from './input/relation-gates.ts'
import { checkRowChanges, scopeReadsRelations } from './save/check-written.ts'
import { checkPreconditions, needsRow } from './save/preconditions.ts'
import { isCheckedByScope, saveParent } from './save/save-resource.ts'

/** Replaces, adds or removes members. https://jsonapi.org/format/1.1/#crud-updating-relationships */
export async function updateRelationship(operation: Operation): Promise<ApiResponse> {
  const input = operation.input as Input
  const subject = readsParent(operation, input) ? await lockSubject(operation) : null // 404
  const storedBefore = subject && operation.context.unit.storedValues(subject)
  const early = subject ? await checkParent(operation, input, subject) : await checkUnread(operation, input)
  if (early) return early
  const { rowChanges, unit } = operation.context
  const hooksHaveEntities = unit.hasEntities
  const parent = await changeMembers(operation, input, subject)
  await unit.saveEntities() // hooks may have changed the entity of the parent
  const isEntityChanged = storedBefore ? unit.storedValues(parent) !== storedBefore : hooksHaveEntities
  const { type } = operation.target
  if (isEntityChanged) rowChanges.add(type, type.persister.keyOf(type, parent))
  return finishUpdate(operation, parent)
}

/** Whether the parent is locked and read first. Otherwise the statement that changes the members finds it by its key. */
function readsParent(operation: Operation, { linkage }: Input): boolean {
  const { kind, query, target } = operation
  const relation = target.relation as Relation
  if (needsRow(operation) || operation.preconditions) return true
  if (isHiddenByRow(operation) || query.visibility?.hides(relation)) return true
  return !linkage.every((one) => addsByStatement(operation, one.relation, kind))
}

/** A hidden relation does not exist for the requester, whatever else is wrong. */
async function checkParent(operation: Operation, input: Input, subject: object): Promise<ApiResponse | undefined> {
  const early = await runChecks(operation, subject)
  checkShown(operation, isHiddenByRow(operation) ? await findParent(operation) : {}) // 404
  if (early) return early
  checkGates(operation, input.linkage, subject)
  await checkInput(operation, input, subject)
  return undefined
}

async function checkUnread(operation: Operation, input: Input): Promise<ApiResponse | undefined> {
  try {
    return await checkWrite(operation, input, null)
  } catch (error) {
    throw await subjectError(operation, error)
  }
}

/** Whether one statement adds members of the relation. */
function addsByStatement(
  { context: { app }, target }: Operation,
  relation: Relation,
  kind: Operation['kind'],
): boolean {
  if (kind !== 'AddToRelationship' || relation.target.steps.checkRows.links.length > 0) return false
  return findWriter(app, target.type).statements?.addsMembers(relation) ?? false
}

/** Changes the members. Returns the parent: the locked one, or a row with its key. */
async function changeMembers(operation: Operation, input: Input, subject: object | null): Promise<object> {
  const linkage = toNamedLinkage(input.linkage)
  const extended = await addByStatement(operation, linkage, subject)
  if (extended) return extended
  operation.context.unit.requireTransaction()
  const parent = subject ?? (await lockSubject(operation)) // 404
  const related = await resolveLinkage(operation, linkage, parent) // 404
  await checkPreconditions(operation, parent)
  const changes = { values: new Map(), fills: [], toOne: related.toOne }
  await saveParent(operation, { subject: parent, changes, related, unchecked: [] })
  await relate(operation, parent, related)
  return parent
}

/**
 * Adds members by one statement, and returns the parent. Null if a member has to be looked up or authorized, or if the
 * parent or one of the members is not visible to the requester: the following reads find which.
 */
async function addByStatement(
  operation: Operation,
  [linkage]: readonly NamedLinkage[],
  subject: object | null,
): Promise<object | null> {
  const { context, kind, target } = operation
  const { app, unit } = context
  const { type } = target
  const { statements } = findWriter(app, type)
  if (!statements || !linkage || operation.preconditions) return null
  const { relation, members } = linkage
  if (!addsByStatement(operation, relation, kind) || members.length === 0 || !isCheckedByScope(linkage, app))
    return null
  if (!(await hasOneScope(type, context)) || (await scopeReadsRelations(relation.target, context))) return null
  if (context.writeScope(type) !== undefined) unit.requireTransaction()
  const key = subject ? type.persister.keyOf(type, subject) : subjectKey(operation) // 404
  const isAdded = await statements.addMembers(relation, key, members, context)
  return isAdded ? (subject ?? { [type.id.property]: key }) : null
}

async function finishUpdate(operation: Operation, subject: object): Promise<ApiResponse> {
  const { context, target } = operation
  const { type } = target
  if (await changesParent(operation)) context.rowChanges.add(type, type.persister.keyOf(type, subject))
  await checkRowChanges(operation)
  const isShown = !context.sharesUnit && !operation.hidesResult
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
  const budget = context.app.documents.createBudget()
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
    return await fetchLinkage(operation, parent)
  } catch (error) {
    const isTooLarge = error instanceof ApiError && error.definition === documentTooLarge.definition
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
