import type { App } from '../../contract/app.ts'
import type { Input, Operation } from '../../contract/operation.ts'
import type { ApiResponse } from '../../contract/response.ts'
import type { AddressedRow, Changes, RowWrite, StatementWriter } from '../../data/persister.ts'
import { notStored } from '../../errors/not-stored.ts'
import { type Awaitable, andThen } from '../../lib/awaitable.ts'
import { findWriter } from '../../plan/writer.ts'
import { keyQuery } from '../../read/key-query.ts'
import type { Row } from '../../schema/field.ts'
import type { ResourceType } from '../../schema/resource-type.ts'
import { hasOneScope } from '../context.ts'
import { lockSubject, subjectKey } from '../find.ts'
import { runAfterSave, runBeforeSave } from '../hooks.ts'
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
import { checkRowChanges, outOfScope } from './check-written.ts'
import { acceptedVersions, checkPreconditions } from './preconditions.ts'
import { readBack } from './read-back.ts'

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
  if (input.linkage.length === 0) return convertInput(operation, input, subject, noRelated, none)
  const linkage = toNamedLinkage(input.linkage)
  const isUnread = subject === null && kind !== 'Create'
  const mayCheck = isUnread ? hasOneScope(target.type, context) : !operation.preconditions
  if (mayCheck instanceof Promise) return mayCheck.then((may) => prepareLinked(operation, input, subject, linkage, may))
  return prepareLinked(operation, input, subject, linkage, mayCheck)
}

const none: readonly NamedLinkage[] = []
const noRelated: Related = { toOne: new Map(), changes: new Map() }

/** `mayCheck`: whether the statement that saves the row may check the related rows. */
function prepareLinked(
  operation: Operation,
  input: Input,
  subject: object | null,
  linkage: readonly NamedLinkage[],
  mayCheck: boolean,
): Awaitable<PreparedSave> {
  if (mayCheck && isCheckedByStatement(operation, linkage)) {
    return convertInput(operation, input, subject, { toOne: toOnesIn(linkage), changes: noRelated.changes }, linkage)
  }
  return resolveLinkage(operation, linkage, subject).then((related) =>
    convertInput(operation, input, subject, related, none),
  )
}

/** Hooks may have changed the entity of the row: it is read again. */
function convertInput(
  operation: Operation,
  input: Input,
  subject: object | null,
  related: Related,
  unchecked: readonly NamedLinkage[],
): Awaitable<PreparedSave> {
  const { context, kind, target } = operation
  if (subject === null) {
    const prepared = { subject, changes: toChanges(operation, input, related.toOne, null), related, unchecked }
    const checking = kind === 'Create' && operation.preconditions ? checkPreconditions(operation, null) : undefined
    return checking ? checking.then(() => prepared) : prepared
  }
  const isChanged = context.unit.hasEntities && findWriter(context.app, target.type).statements !== null
  return andThen(isChanged ? lockSubject(operation) : subject, (stored) => {
    const prepared = {
      subject: stored,
      changes: toChanges(operation, input, related.toOne, stored),
      related,
      unchecked,
    }
    return andThen(checkPreconditions(operation, subject), () => prepared)
  })
}

/** Whether the statement that writes the row can decide by scopes alone whether the requester sees all related rows. */
function isCheckedByStatement({ context, target }: Operation, linkage: readonly NamedLinkage[]): boolean {
  const { type } = target
  const { app } = context
  if (findWriter(app, type).statements === null || type.provider !== app.store.provider) return false
  for (const one of linkage) if (one.relation.kind !== 'belongsTo' || !isCheckedByScope(one, app)) return false
  return true
}

/** Whether scopes alone decide which of the members the requester sees. */
export function isCheckedByScope({ relation: { target }, members }: NamedLinkage, { store }: App): boolean {
  for (const { key } of members) if (key === undefined) return false
  return target.provider === store.provider && !target.declaration.typeOf && !target.filtersRowsAfterRead
}

/** Saves prepared values, and reads the row back. */
export async function savePrepared(operation: Operation, prepared: PreparedSave): Promise<ApiResponse> {
  return completeSave(operation, prepared, await save(operation, prepared))
}

/** Saves prepared values. */
export function save(operation: Operation, prepared: PreparedSave): Promise<Saved> {
  const { context, target } = operation
  const { statements } = findWriter(context.app, target.type)
  return statements ? saveRow(operation, prepared, statements) : saveEntity(operation, prepared)
}

/** Saves the members, runs the stage `afterSave`, and reads the row back. */
export function completeSave(operation: Operation, prepared: PreparedSave, saved: Saved): Awaitable<ApiResponse> {
  const { plan, target } = operation
  const { row, returned } = saved
  const key = target.type.persister.keyOf(target.type, row)
  if (prepared.related.changes.size > 0 || plan.afterSave.length > 0) {
    return completeMembers(operation, prepared, saved, key)
  }
  operation.savedKey = key
  const checking = checkRowChanges(operation)
  return checking ? checking.then(() => readBack(operation, key, returned)) : readBack(operation, key, returned)
}

async function completeMembers(
  operation: Operation,
  { related }: PreparedSave,
  { row, returned, result }: Saved,
  key: unknown,
): Promise<ApiResponse> {
  const { context, target } = operation
  if (related.changes.size > 0) await relate(operation, row, related)
  operation.savedKey = key
  const early = await runAfterSave(operation, row, result)
  if (early) context.rowChanges.add(target.type, key)
  await checkRowChanges(operation)
  return early ?? readBack(operation, key, related.changes.size > 0 ? null : returned)
}

interface Saved {
  /** The entity, or a row that holds the key. */
  readonly row: object
  /** The row with the columns of the response, if the statement has returned it. */
  readonly returned: Row | null
  readonly result?: unknown
}

/** Saves a row by a statement. */
function saveRow(operation: Operation, prepared: PreparedSave, statements: StatementWriter): Promise<Saved> {
  if (operation.plan.beforeSave.length === 0) return writeRow(operation, prepared, statements)
  const { subject, changes } = prepared
  const checking = runBeforeSave(operation, valuesAfter(operation.target.type, subject, changes))
  return checking
    ? checking.then(() => writeRow(operation, prepared, statements))
    : writeRow(operation, prepared, statements)
}

function writeRow(operation: Operation, prepared: PreparedSave, statements: StatementWriter): Promise<Saved> {
  const { context, kind, query, target } = operation
  const { type } = target
  const { subject, changes, related, unchecked } = prepared
  if (related.changes.size > 0) context.unit.requireTransaction()
  // A provider of the author reads the row that is shown.
  const isShown = type.provider === context.app.store.provider
  const write: RowWrite = {
    type,
    changes: [changes],
    query: isShown ? query : keyQuery(type),
    row: kind === 'Create' ? null : addressRow(operation, subject),
    checksTargets: unchecked.length > 0,
    toScopeError: (scope) => outOfScope(type, scope, context),
  }
  return statements.write(write, context).then(([written]) => {
    if (!written) return saveUnwritten(operation, prepared, statements, write)
    return { row: written, returned: isShown ? written : null }
  })
}

/**
 * Nothing was written: a row that is addressed or referred to is missing, which is an error, or the row has these values
 * already.
 */
async function saveUnwritten(
  operation: Operation,
  { subject, unchecked }: PreparedSave,
  statements: StatementWriter,
  write: RowWrite,
): Promise<Saved> {
  const { type, row } = write
  const stored = row && (subject ?? (await lockSubject(operation))) // 404
  if (unchecked.length > 0) checkFound(operation, unchecked, await findMembers(operation, unchecked)) // 404
  if (row && !subject) await checkPreconditions(operation, stored) // 412
  const locked = row && { type, subject: stored as Row, key: row.key }
  const [found] = await statements.write({ ...write, row: locked, checksTargets: false }, operation.context)
  if (!found && !stored) throw notStored()
  return { row: found ?? (stored as object), returned: (write.query === operation.query && found) || null }
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
async function saveEntity(operation: Operation, { subject, changes }: PreparedSave): Promise<Saved> {
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
  const { statements } = findWriter(context.app, target.type)
  if (!statements) await saveEntity(operation, prepared)
  else if (prepared.changes.toOne.size > 0) await saveRow(operation, prepared, statements)
  else await runBeforeSave(operation, prepared.subject)
}
