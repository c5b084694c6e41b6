import { isHttpError } from 'http-errors'
import { resourceNotFound } from '../../errors/core-errors.ts'
import { apiErrorsOf } from '../../errors/errors.ts'
import type { Row } from '../../model/field.ts'
import type { Input, Operation } from '../../model/operation.ts'
import type { Changes, FastWrite } from '../../model/persister.ts'
import { type ApiResponse, ResponseError } from '../../model/response.ts'
import { addRows, loadMany } from '../../read/load.ts'
import { loadRelations } from '../../read/load-relations.ts'
import { checkNew } from '../create.ts'
import { toChanges, writableInput } from '../input/hydrate.ts'
import {
  checkFound,
  findMembers,
  type NamedLinkage,
  prepareLinkage,
  type Related,
  relate,
  toNamedLinkage,
  toOnesIn,
} from '../input/linkage.ts'
import { checkRowChanges, checkWritten, writtenOptions } from '../save/check-written.ts'
import { fastPathFor } from '../save/fast-path.ts'
import { checkPreconditions } from '../save/preconditions.ts'
import { isAnsweredByRow, isOneStatement } from '../save/save-resource.ts'
import { enterOperation, leaveOperation } from './current-operation.ts'
import { noteLid } from './local-ids.ts'

/** Creates cannot share an insert: the batch has to run again, one operation at a time. */
export class BulkCreateError extends Error {
  constructor(cause?: unknown) {
    super('The creates cannot share an insert.', { cause })
    this.name = 'BulkCreateError'
  }
}

/**
 * Creates resources of one type, in one context: checks each operation, then writes all rows by one statement. An error
 * of one operation has its pointer. Throws a BulkCreateError if a check reads the database, because it would not find the
 * rows of earlier operations, and if the database or a check refuses the rows, because the error does not identify one.
 */
export async function bulkCreate(operations: readonly [Operation, ...Operation[]]): Promise<ApiResponse[]> {
  const { unit } = operations[0].context
  const { useCount } = unit
  const responses = new Map<Operation, ApiResponse>()
  const checked: CheckedCreate[] = []
  for (const operation of operations) {
    enterOperation(operation)
    const input = writableInput(operation)
    const early = await checkNew(operation, input).catch((error: unknown) => {
      // The check may have missed the row of an earlier operation.
      throw unit.useCount > useCount && operation !== operations[0] ? new BulkCreateError(error) : error
    })
    if (unit.useCount > useCount || operation.preconditions) throw new BulkCreateError()
    if (early?.kind === 'error') throw new ResponseError(early)
    if (early) responses.set(operation, early)
    else checked.push({ operation, input, linkage: toNamedLinkage(input.linkage) })
  }
  const isComplete = checked.length === operations.length // another response may end the batch
  for (const response of await createAll(checked, isComplete)) responses.set(response.operation, response)
  return operations.map((operation) => responses.get(operation) as ApiResponse)
}

/** Creates rows by a statement that checks the rows they refer to. If one is missing, a lookup finds out which. */
async function createAll(checked: readonly CheckedCreate[], isComplete: boolean) {
  const [first] = checked
  const isOnlyStatement = isComplete && first !== undefined && (await isAnsweredByRow(first.operation, checked.length))
  const unread = checked.every(isInsertedUnread) ? checked.map(withoutMembers) : []
  if (isNotEmpty(unread)) {
    const rows = await insertRows(unread, { checksTargets: true, isOnlyStatement })
    if (rows) return readBackAll(unread, { saved: rows, returned: rows })
  }
  const prepared = await prepareCreates(checked)
  return isNotEmpty(prepared) ? readBackAll(prepared, await insert(prepared, isOnlyStatement)) : []
}

interface CheckedCreate {
  readonly operation: Operation
  readonly input: Input
  readonly linkage: readonly NamedLinkage[]
}

interface PreparedCreate {
  readonly operation: Operation
  readonly changes: Changes
  readonly related: Related
}

type PreparedCreates = readonly [PreparedCreate, ...PreparedCreate[]]

function isNotEmpty(creates: readonly PreparedCreate[]): creates is PreparedCreates {
  return creates.length > 0
}

/** Whether the insert itself checks the rows that the new one refers to. */
function isInsertedUnread({ operation, linkage }: CheckedCreate): boolean {
  const { context, preconditions, target } = operation
  if (linkage.length === 0 || preconditions || !fastPathFor(operation)) return false
  return isOneStatement(target.type, linkage, context.app)
}

/** A create that has no members but those whose keys are its columns. */
function withoutMembers({ operation, input, linkage }: CheckedCreate): PreparedCreate {
  enterOperation(operation)
  const toOne = toOnesIn(linkage)
  return { operation, related: { toOne, changes: new Map() }, changes: toChanges(operation, input, toOne, null) }
}

/** Looks up the members of all operations by one statement per type, and authorizes their changes. */
async function prepareCreates(checked: readonly CheckedCreate[]): Promise<PreparedCreate[]> {
  const [first] = checked
  if (!first) return []
  leaveOperation(first.operation.context.request)
  const linkages = checked.flatMap(({ linkage }) => linkage)
  const found = await findMembers(first.operation, linkages)
  for (const { operation, linkage } of checked) {
    enterOperation(operation)
    checkFound(operation, linkage, found)
  }
  const creates: PreparedCreate[] = []
  for (const { operation, input, linkage } of checked) {
    enterOperation(operation)
    const related = await prepareLinkage(operation, linkage, null, found)
    creates.push({ operation, related, changes: toChanges(operation, input, related.toOne, null) })
    await checkPreconditions(operation, null)
  }
  return creates
}

interface Inserted {
  /** Entities, or rows of the fast path. */
  readonly saved: readonly object[]
  /** The rows of the fast path; null on the regular path. */
  readonly returned: readonly Row[] | null
}

async function insert(creates: PreparedCreates, isAnswered: boolean): Promise<Inserted> {
  const [{ operation }] = creates
  const { target, context } = operation
  const { type } = target
  const isOnlyStatement = isAnswered && areUnrelated(creates)
  const rows = await insertRows(creates, { checksTargets: false, isOnlyStatement })
  if (rows) return { saved: rows, returned: rows }
  const entities: object[] = []
  for (const create of creates) {
    enterOperation(create.operation)
    entities.push(await type.persister.create(type, create.changes, context))
  }
  await runForAll(operationsOf(creates), () => type.persister.flush(type, context, entities[0] as object))
  return { saved: entities, returned: null }
}

/** Inserts rows on the fast path. Returns nothing if the type has none, or if a target is not visible. */
async function insertRows(
  creates: PreparedCreates,
  options: Pick<FastWrite, 'checksTargets' | 'isOnlyStatement'>,
): Promise<readonly Row[] | null | undefined> {
  const [first, ...others] = creates
  const { target, context, query } = first.operation
  const fast = fastPathFor(first.operation)
  const changes = [first.changes, ...others.map((create) => create.changes)] as const
  const write = { type: target.type, subject: null, changes, query, ...options }
  return fast && runForAll(operationsOf(creates), () => fast.write(write, context))
}

/** Runs a statement or a check of all rows. Throws a BulkCreateError if it refuses one of several rows. */
export async function runForAll<T>(operations: readonly Operation[], work: () => Promise<T>): Promise<T> {
  const [first, second] = operations
  if (second) leaveOperation(second.context.request)
  else if (first) enterOperation(first)
  try {
    return await work()
  } catch (error) {
    if (!second || second.context.unit.hasCommitted || !isRefusal(error)) throw error
    throw new BulkCreateError(error)
  }
}

/**
 * Whether a row was refused. Errors of the server are no refusals: the store retries SQLSTATE class 40, and after a lost
 * connection the insert may have been committed.
 */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  if (apiErrorsOf(error).length > 0) return true
  if (isHttpError(error)) return error.status < 500
  return typeof code === 'string' && /^(?!08|40|53|57|58|XX)[\dA-Z]{5}$/.test(code)
}

function operationsOf(creates: PreparedCreates): readonly Operation[] {
  return creates.map(({ operation }) => operation)
}

/** Relates the new rows to their members, then reads and checks them. */
async function readBackAll(creates: PreparedCreates, { saved, returned }: Inserted) {
  const [{ operation: first }] = creates
  const { context, query, target } = first
  const { type } = target
  const keys = saved.map((row) => type.persister.keyOf(type, row))
  for (const [index, { operation, related }] of creates.entries()) {
    enterOperation(operation)
    await relate(operation, saved[index] as object, related)
    noteLid(operation, keys[index])
  }
  await runForAll(operationsOf(creates), () => checkRowChanges(first))
  // If the document has no room for all rows, the error has the pointer of the first operation that does not fit.
  const { operation: unfit } = creates[context.budget.resources] ?? {}
  if (unfit) enterOperation(unfit)
  const hasNoMembers = areUnrelated(creates)
  const isReadByStore = type.provider === context.app.store.provider
  const complete = hasNoMembers && isReadByStore ? returned : null
  const records = complete ?? (await readRows(first, keys))
  await runForAll(operationsOf(creates), () => checkWritten(first, type, keys, records))
  if (unfit) enterOperation(unfit)
  if (complete) await addRows(type, complete, query, context)
  const data = creates.map(({ operation }, index) => {
    enterOperation(operation)
    const record = records[index]
    if (!record) throw resourceNotFound({ type: type.name, id: type.codec.encode(keys[index]) })
    return { type, record }
  })
  leaveOperation(context.request)
  await loadRelations(data, query, context, hasNoMembers)
  return data.map((member, index) => {
    const { operation } = creates[index] as PreparedCreate
    return { kind: 'data' as const, status: 201, operation, data: member }
  })
}

/** Whether the new rows have no members but those whose keys are their columns. */
function areUnrelated(creates: PreparedCreates): boolean {
  return creates.every(({ related }) => related.changes.size === 0)
}

async function readRows(
  { context, query, target: { type } }: Operation,
  keys: readonly unknown[],
): Promise<readonly (Row | null)[]> {
  return loadMany(type, keys, query, context, await writtenOptions(type, context))
}
