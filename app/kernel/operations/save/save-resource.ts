import { notStored } from '../../errors/not-stored.ts'
import type { App } from '../../model/app.ts'
import { isUnrelatedAtFirst, type Relation, type Row } from '../../model/field.ts'
import type { Input, Operation } from '../../model/operation.ts'
import type { Changes, FastPath } from '../../model/persister.ts'
import type { ResourceType } from '../../model/resource-type.ts'
import type { ApiResponse } from '../../model/response.ts'
import { checkedHops, isKeyLinkage } from '../../model/selection.ts'
import { servesTarget } from '../../model/server.ts'
import { shownFields } from '../../model/shown-fields.ts'
import { keyQuery } from '../../read/key-query.ts'
import { noteLid } from '../batch/local-ids.ts'
import { findSubject } from '../find.ts'
import { runAfterSave, runBeforeSave } from '../hooks.ts'
import { toChanges } from '../input/hydrate.ts'
import { type NamedLinkage, relate, resolveLinkage, toNamedLinkage, toOnesIn } from '../input/linkage.ts'
import { checkRowChanges, scopeReadsRelations } from './check-written.ts'
import { checkPreconditions } from './preconditions.ts'
import { readBack } from './read-back.ts'

/** Saves the checked input of a create or an update, and reads it back. The subject is null while it is new. */
export async function saveResource(
  operation: Operation,
  input: Input,
  subject: object | null,
  fast: FastPath | undefined,
): Promise<ApiResponse> {
  const { context, target } = operation
  const { type } = target
  const linkage = toNamedLinkage(input.linkage)
  const returned = fast && (await writeAndReturn({ operation, input, linkage, subject }, fast))
  if (returned) {
    const key = returned[type.id.property]
    noteLid(operation, key)
    return readBack(operation, key, returned, subject === null)
  }
  const related = await resolveLinkage(operation, linkage, subject)
  const toChangesOf = (stored: object | null) => toChanges(operation, input, related.toOne, stored)
  const { entity, saved } = await saveChanges(operation, subject, toChangesOf, fast)
  await relate(operation, entity, related)
  const key = type.persister.keyOf(type, entity)
  noteLid(operation, key)
  const answer = await runAfterSave(operation, entity, saved)
  if (answer) context.rowChanges.add(type, key)
  await checkRowChanges(operation)
  return answer ?? readBack(operation, key)
}

export interface Save {
  readonly operation: Operation
  readonly input: Input
  readonly linkage: readonly NamedLinkage[]
  readonly subject: object | null
  /** The key of a row that is updated without having been read. */
  readonly key?: unknown
}

/**
 * Writes a row by the statement that checks its related rows and returns it. Undefined if the write needs more than one
 * statement, or if that statement has written nothing.
 */
export async function writeAndReturn(save: Save, fast: FastPath): Promise<Row | undefined> {
  const { operation, input, linkage, subject, key } = save
  const { context, query, target } = operation
  const { type } = target
  if (!isOneStatement(type, linkage, context.app)) return undefined
  if (operation.preconditions && linkage.length > 0) return undefined // a missing related row is reported first
  await checkPreconditions(operation, subject)
  const changes = [toChanges(operation, input, toOnesIn(linkage), subject)] as const
  const isOnlyStatement = key !== undefined || (subject === null && (await isAnsweredByRow(operation)))
  const write = { type, subject: subject as Row | null, key, changes, query, checksTargets: true, isOnlyStatement }
  return (await fast.write(write, context))?.[0]
}

/** Whether the statement that writes a row can check the rows that it refers to, and return it. */
export function isOneStatement(type: ResourceType, linkage: readonly NamedLinkage[], app: App): boolean {
  if (type.provider !== app.store.provider) return false
  return linkage.every((one) => one.relation.kind === 'belongsTo' && isCheckedByStatement(one, app))
}

/**
 * Saves a row: by a statement on the fast path, or as an entity in the unit of work, with `beforeSave` hooks. The changes
 * depend on the stored subject, which is loaded again if the fast path cannot write it.
 */
export async function saveChanges(
  operation: Operation,
  subject: object | null,
  toChangesOf: (subject: object | null) => Changes,
  fast: FastPath | undefined,
): Promise<{ readonly entity: object; readonly saved?: unknown }> {
  const { context, target } = operation
  const { type } = target
  const changes = toChangesOf(subject)
  if (!fast) return saveEntity(operation, subject, changes)
  await checkPreconditions(operation, subject)
  const write = { type, subject: subject as Row | null, changes: [changes] as const, query: keyQuery(type) }
  const rows = await fast.write({ ...write, checksTargets: false, isOnlyStatement: false }, context)
  if (rows === undefined) {
    const entity = subject && (await findSubject(operation))
    return saveEntity(operation, entity, toChangesOf(entity))
  }
  return { entity: subject ?? (rows?.[0] as Row) }
}

async function saveEntity(operation: Operation, subject: object | null, changes: Changes) {
  const { context, target } = operation
  const { type } = target
  const { persister } = type
  await checkPreconditions(operation, subject)
  const entity = await context.unit.withoutAutoFlush(() => prepareEntity(operation, subject, changes))
  const saved = await persister.flush(type, context, entity)
  if (!subject && persister === context.app.store.persister && persister.keyOf(type, entity) === undefined) {
    throw notStored()
  }
  return { entity, saved }
}

/** Applies the changes and runs `beforeSave` hooks. Changes of earlier hooks are saved before, so that queries find them. */
async function prepareEntity(operation: Operation, subject: object | null, changes: Changes): Promise<object> {
  const { context, target } = operation
  const { type } = target
  await context.unit.saveEntities()
  if (subject) await type.persister.change(type, subject, changes, context)
  const entity = subject ?? (await type.persister.create(type, changes, context))
  await runBeforeSave(operation, entity)
  return entity
}

/** Adds members to a parent by one statement. False if that is not possible: nothing is written then. */
export async function addMembersFast(
  { kind, context }: Operation,
  key: unknown,
  [linkage]: readonly NamedLinkage[],
  fast: FastPath | undefined,
  isOnlyStatement: boolean,
): Promise<boolean> {
  if (!fast || !linkage || kind !== 'AddToRelationship') return false
  const { relation, members } = linkage
  if (relation.target.steps.checkRows.links.length > 0) return false
  if (!isCheckedByStatement(linkage, context.app) || (await scopeReadsRelations(relation.target, context))) return false
  return fast.addMembers(relation, key, members, context, isOnlyStatement)
}

/** Whether a statement of the store decides by scopes alone which of the members the requester sees. */
function isCheckedByStatement({ relation: { target }, members }: NamedLinkage, { store }: App): boolean {
  if (members.some(({ key }) => key === undefined)) return false
  return target.provider === store.provider && !target.declaration.typeOf && !target.checksEachRow
}

/**
 * Whether the response needs the written row alone, and no check can refuse it after the write. `count` is the number of
 * rows that are written in the same way.
 */
export async function isAnsweredByRow(operation: Operation, count = 1): Promise<boolean> {
  const { kind, query, context } = operation
  const { type } = operation.target
  const { server, budget } = context
  const { include, counts, related } = query
  if (count > budget.resources || (await mayBeRefusedAfterWrite(operation))) return false
  if (typeof include === 'function' || include.length > 0 || counts.size > 0 || related.size > 0) return false
  const { relations, chained } = shownFields(type, query)
  if (relations.length * count > budget.identifiers) return false
  if (chained.some((attribute) => checkedHops(attribute, type).length > 0)) return false
  return relations.every(
    (relation) =>
      relation.linkage !== 'always' || !servesTarget(server, relation) || hasNoRead(relation, kind === 'Create'),
  )
}

/** Whether a condition, a hook or a custom handler inside the transaction decides on the write after its statement. */
export async function mayBeRefusedAfterWrite({ context, plan, target: { type } }: Operation): Promise<boolean> {
  if (!context.server.usesDefaultHandler || (await context.writeScope(type))) return true
  const { checkRows, beforeRender } = type.steps
  return checkRows.written.length + beforeRender.length + plan.afterOperation.length > 0
}

/** Whether the linkage of a written row is shown without a read. */
function hasNoRead(relation: Relation, isNew: boolean): boolean {
  return !relation.guarded && (isKeyLinkage(relation) || (isNew && isUnrelatedAtFirst(relation)))
}
