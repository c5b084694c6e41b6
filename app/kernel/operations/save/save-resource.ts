import { notStored } from '../../errors/not-stored.ts'
import { type Awaitable, andThen, isThenable } from '../../lib/awaitable.ts'
import type { App } from '../../model/app.ts'
import type { Row } from '../../model/field.ts'
import type { Input, Operation } from '../../model/operation.ts'
import type { AddressedRow, Changes, StatementWriter } from '../../model/persister.ts'
import type { ResourceType } from '../../model/resource-type.ts'
import type { ApiResponse } from '../../model/response.ts'
import { writerOf } from '../../plan/writer.ts'
import { keyQuery } from '../../read/key-query.ts'
import { hasOneScope } from '../context.ts'
import { lockSubject, subjectKey } from '../find.ts'
import { runAfterSave, runBeforeSave } from '../hooks.ts'
import { checkWrite } from '../input/check-input.ts'
import { toChanges } from '../input/hydrate.ts'
import {
  checkFound,
  findMembers,
  type NamedLinkage,
  type Related,
  relate,
  resolveLinkage,
  toNamedLinkage,
  toOnesIn,
} from '../input/linkage.ts'
import { checkRowChanges } from './check-written.ts'
import { acceptedVersions, checkPreconditions, needsRow } from './preconditions.ts'
import { readBack } from './read-back.ts'

/**
 * Authorizes, validates and saves the input of a create or an update, and reads the row back. The subject is null while it is
 * new.
 */
export async function saveResource(operation: Operation, input: Input, subject: object | null): Promise<ApiResponse> {
  const early = checkWrite(operation, input, subject)
  const response = isThenable(early) ? await early : early
  if (response) return response
  const prepared = prepareSave(operation, input, subject)
  return await savePrepared(operation, isThenable(prepared) ? await prepared : prepared)
}

/** Whether an update finds its row by its key, in the statement that writes it: nothing else reads the stored row. */
export function savesUnread(operation: Operation, { linkage }: Input): boolean {
  return !needsRow(operation) && linkage.every(({ relation }) => relation.kind === 'belongsTo')
}

/** The values and members to save, complete and authorized. */
export interface PreparedSave {
  /** The locked row or entity. Null if it is new, or is not read. */
  readonly subject: object | null
  readonly changes: Changes
  readonly related: Related
  /** The related rows that the statement has to check. Empty if they were looked up. */
  readonly unchecked: readonly NamedLinkage[]
}

/**
 * Looks up the related rows, unless the statement that saves the row can check them, and converts the input. Evaluates the
 * preconditions, if the subject was read.
 */
export function prepareSave(operation: Operation, input: Input, subject: object | null): Awaitable<PreparedSave> {
  const { context, kind, target } = operation
  const linkage = toNamedLinkage(input.linkage)
  const isUnread = subject === null && kind !== 'Create'
  if (linkage.length === 0) return convertInput(operation, input, subject, { related: noRelated, unchecked: linkage })
  return andThen(isUnread ? hasOneScope(target.type, context) : !operation.preconditions, (mayCheck) => {
    const unchecked = mayCheck ? checkedByStatement(operation, linkage) : []
    const related = unchecked.length > 0 ? onlyToOnes(linkage) : resolveLinkage(operation, linkage, subject)
    return andThen(related, (found) => convertInput(operation, input, subject, { related: found, unchecked }))
  })
}

const noRelated: Related = { toOne: new Map(), changes: new Map() }

/** Hooks may have changed the entity of the row: it is read again. */
function convertInput(
  operation: Operation,
  input: Input,
  subject: object | null,
  linkage: Pick<PreparedSave, 'related' | 'unchecked'>,
): Awaitable<PreparedSave> {
  const { context, kind, target } = operation
  const isChanged =
    subject !== null && context.unit.hasEntities && writerOf(context.app, target.type).statements !== null
  return andThen(isChanged ? lockSubject(operation) : subject, (stored) => {
    const prepared = {
      ...linkage,
      subject: stored,
      changes: toChanges(operation, input, linkage.related.toOne, stored),
    }
    if (subject === null && kind !== 'Create') return prepared
    return andThen(checkPreconditions(operation, subject), () => prepared)
  })
}

function onlyToOnes(linkage: readonly NamedLinkage[]): Related {
  return { toOne: toOnesIn(linkage), changes: new Map() }
}

/** The linkage, if the statement that writes the row can decide by scopes alone whether the requester sees all of it. */
export function checkedByStatement(
  { context, target }: Operation,
  linkage: readonly NamedLinkage[],
): readonly NamedLinkage[] {
  const { type } = target
  if (writerOf(context.app, type).statements === null || type.provider !== context.app.store.provider) return []
  return linkage.every((one) => one.relation.kind === 'belongsTo' && isCheckedByScope(one, context.app)) ? linkage : []
}

/** Whether scopes alone decide which of the members the requester sees. */
export function isCheckedByScope({ relation: { target }, members }: NamedLinkage, { store }: App): boolean {
  if (members.some(({ key }) => key === undefined)) return false
  return target.provider === store.provider && !target.declaration.typeOf && !target.checksEachRow
}

/** Saves prepared values, and reads the row back. */
export async function savePrepared(operation: Operation, prepared: PreparedSave): Promise<ApiResponse> {
  const { context, kind, target } = operation
  const { type } = target
  const { related, subject } = prepared
  const { statements } = writerOf(context.app, type)
  const { row, returned, result } = statements
    ? await saveRow(operation, prepared, statements)
    : await saveEntity(operation, subject, prepared.changes)
  if (related.changes.size > 0) await relate(operation, row, related)
  const key = type.persister.keyOf(type, row)
  operation.savedKey = key
  const early = operation.plan.afterSave.length > 0 ? await runAfterSave(operation, row, result) : undefined
  if (early) context.rowChanges.add(type, key)
  const checking = checkRowChanges(operation)
  if (checking) await checking
  if (early) return early
  const isComplete = returned !== null && related.changes.size === 0
  return await readBack(operation, key, isComplete ? returned : undefined, isComplete && kind === 'Create')
}

interface Saved {
  /** The entity, or a row that holds the key. */
  readonly row: object
  /** The row with the columns of the response, if the statement has returned it. */
  readonly returned: Row | null
  readonly result?: unknown
}

/** Saves a row by a statement. */
async function saveRow(operation: Operation, prepared: PreparedSave, statements: StatementWriter): Promise<Saved> {
  const { context, kind, plan, query, target } = operation
  const { type } = target
  const { subject, changes, related, unchecked } = prepared
  if (plan.beforeSave.length > 0) await runBeforeSave(operation, valuesAfter(type, subject, changes))
  if (related.changes.size > 0 || context.writeScope(type) !== undefined) context.unit.requireTransaction()
  const row = kind === 'Create' ? null : addressRow(operation, subject)
  // A provider of the author reads the row that is shown.
  const isShown = type.provider === context.app.store.provider
  const write = { type, changes: [changes] as const, query: isShown ? query : keyQuery(type) }
  const checksTargets = unchecked.length > 0
  const [written] = await statements.write({ ...write, row, checksTargets }, context)
  if (written) return { row: written, returned: isShown ? written : null }
  // Nothing was written. Reads the rows of which one may be missing, which is an error. Otherwise the row has these values already.
  const stored = row && (subject ?? (await lockSubject(operation))) // 404
  if (checksTargets) checkFound(operation, unchecked, await findMembers(operation, unchecked)) // 404
  if (row && !subject) await checkPreconditions(operation, stored) // 412
  const locked = row && { type, subject: stored as Row, key: row.key }
  const [found] = await statements.write({ ...write, row: locked, checksTargets: false }, context)
  if (!found && !stored) throw notStored()
  return { row: found ?? (stored as object), returned: (isShown && found) || null }
}

function addressRow(operation: Operation, subject: object | null): AddressedRow {
  const { type } = operation.target
  if (subject) return { type, subject: subject as Row, key: type.persister.keyOf(type, subject) }
  return { type, subject: null, key: subjectKey(operation), versions: acceptedVersions(operation) }
}

/** The values of a row as they are going to be saved, for checks that compare them with other rows. */
function valuesAfter(type: ResourceType, subject: object | null, { key, values }: Changes): object {
  return { ...subject, ...(key !== undefined && { [type.id.property]: key }), ...Object.fromEntries(values) }
}

/** Saves an entity in the unit of work. */
async function saveEntity(operation: Operation, subject: object | null, changes: Changes): Promise<Saved> {
  const { context, target } = operation
  const { type } = target
  const { persister } = type
  const row = await context.unit.withoutAutoFlush(() => changeEntity(operation, subject, changes))
  const result = await persister.flush(type, context, row)
  if (!subject && persister === context.app.store.persister && persister.keyOf(type, row) === undefined) {
    throw notStored()
  }
  return { row, returned: null, result }
}

/** Applies the changes and runs `beforeSave` hooks. Changes of earlier hooks are saved before, so that queries find them. */
async function changeEntity(operation: Operation, subject: object | null, changes: Changes): Promise<object> {
  const { context, target } = operation
  const { type } = target
  await context.unit.saveEntities()
  if (subject) await type.persister.change(type, subject, changes, context)
  const entity = subject ?? (await type.persister.create(type, changes, context))
  await runBeforeSave(operation, entity)
  return entity
}

/** Saves the to-one of a relationship write, or runs the hooks of the parent, whose row may stay unchanged. */
export async function saveParent(operation: Operation, prepared: PreparedSave): Promise<void> {
  const { context, target } = operation
  const { statements } = writerOf(context.app, target.type)
  if (!statements) await saveEntity(operation, prepared.subject, prepared.changes)
  else if (prepared.changes.toOne.size > 0) await saveRow(operation, prepared, statements)
  else await runBeforeSave(operation, prepared.subject)
}
