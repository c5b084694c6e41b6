import { resourceNotFound } from '../../errors/core-errors.ts'
import { apiErrorsOf } from '../../errors/errors.ts'
import type { Row } from '../../model/field.ts'
import type { Input, Operation } from '../../model/operation.ts'
import type { Changes } from '../../model/persister.ts'
import type { ApiResponse } from '../../model/response.ts'
import { loadMany } from '../../read/load.ts'
import { loadRelations } from '../../read/load-relations.ts'
import { checkNew } from '../create.ts'
import { toChanges, writableInput } from '../input/hydrate.ts'
import {
  checkFound,
  findMembers,
  type NamedLinkage,
  nameMembers,
  prepareLinkage,
  type Related,
  relate,
} from '../input/linkage.ts'
import type { FoundRows } from '../input/member-writes.ts'
import { addReturned, checkRowChanges, checkWritten } from '../save/check-written.ts'
import { fastPathFor } from '../save/fast-path.ts'
import { enterOperation, leaveOperation } from './current-operation.ts'
import { noteLid } from './local-ids.ts'

/** The database has refused a multi-row insert. Its error does not identify the row. */
export class BulkInsertError extends Error {
  constructor(cause: unknown) {
    super('A multi-row insert failed.', { cause })
    this.name = 'BulkInsertError'
  }
}

/**
 * Creates resources of one type, in one context: checks each operation, then writes all rows by one statement. An error
 * of one operation has its pointer. Throws a BulkInsertError if the database refuses the statement.
 */
export async function bulkCreate(operations: readonly [Operation, ...Operation[]]): Promise<ApiResponse[]> {
  const responses = new Map<Operation, ApiResponse>()
  const checked: Checked[] = []
  for (const operation of operations) {
    enterOperation(operation)
    const input = writableInput(operation)
    const early = await checkNew(operation, input)
    if (early) responses.set(operation, early)
    else checked.push({ operation, input, linkage: nameMembers(input.linkage) })
  }
  const creates = await prepareCreates(checked, await findAllMembers(checked, operations[0]))
  const inserted = await insert(creates)
  for (const [index, { operation, related }] of creates.entries()) {
    enterOperation(operation)
    await relate(operation, inserted.saved[index] as object, related)
  }
  for (const [operation, response] of await readBackAll(creates, inserted)) responses.set(operation, response)
  return operations.map((operation) => responses.get(operation) as ApiResponse)
}

interface Checked {
  readonly operation: Operation
  readonly input: Input
  readonly linkage: readonly NamedLinkage[]
}

interface Create {
  readonly operation: Operation
  readonly changes: Changes
  readonly related: Related
}

/** One statement per related type, for all operations. */
async function findAllMembers(checked: readonly Checked[], first: Operation): Promise<FoundRows> {
  leaveOperation(first.context.request)
  const found = await findMembers(
    first,
    checked.flatMap(({ linkage }) => linkage),
  )
  for (const { operation, linkage } of checked) {
    enterOperation(operation)
    checkFound(operation, linkage, found)
  }
  return found
}

async function prepareCreates(checked: readonly Checked[], found: FoundRows): Promise<Create[]> {
  const creates: Create[] = []
  for (const { operation, input, linkage } of checked) {
    enterOperation(operation)
    const related = await prepareLinkage(operation, linkage, null, found)
    creates.push({ operation, related, changes: toChanges(operation, input, related.toOne, null) })
  }
  return creates
}

interface Inserted {
  /** Entities, or rows of the fast path. */
  readonly saved: readonly object[]
  /** The rows of the fast path; null on the regular path. */
  readonly returned: readonly Row[] | null
}

async function insert(creates: readonly Create[]): Promise<Inserted> {
  const [first, ...others] = creates
  if (!first) return { saved: [], returned: null }
  const { operation } = first
  const { target, context, query } = operation
  const { type } = target
  const fast = fastPathFor(operation)
  const entities = fast ? [] : await createEntities(creates)
  if (others.length === 0) enterOperation(operation)
  else leaveOperation(context.request)
  try {
    if (!fast) {
      await type.persister.flush(type, context, entities[0] as object)
      return { saved: entities, returned: null }
    }
    const changes = [first.changes, ...others.map((one) => one.changes)] as const
    const write = { type, subject: null, changes, query, checksTargets: false, isOnlyStatement: false }
    const rows = (await fast.write(write, context)) ?? []
    return { saved: rows, returned: rows }
  } catch (error) {
    if (others.length === 0 || !isRefusal(error)) throw error
    for (const create of creates) create.operation.computed?.set(checkNew, true)
    throw new BulkInsertError(error)
  }
}

async function createEntities(creates: readonly Create[]): Promise<object[]> {
  const entities: object[] = []
  for (const { operation, changes } of creates) {
    enterOperation(operation)
    const { target, context } = operation
    entities.push(await target.type.persister.create(target.type, changes, context))
  }
  return entities
}

/** Whether the database has refused a row. Class 40 is not a refusal: the store retries the transaction. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return apiErrorsOf(error).length > 0 || (typeof code === 'string' && /^(?!40)[\dA-Z]{5}$/.test(code))
}

async function readBackAll(
  creates: readonly Create[],
  inserted: Inserted,
): Promise<(readonly [Operation, ApiResponse])[]> {
  const [first] = creates
  if (!first) return []
  const { context, query, target } = first.operation
  const { type } = target
  const keys = inserted.saved.map((one) => type.persister.keyOf(type, one))
  for (const [index, { operation }] of creates.entries()) noteLid(operation, keys[index])
  leaveOperation(context.request)
  // If the document has no room for all rows, the error has the pointer of the first operation that does not fit.
  const unfit = creates[context.budget.resources]
  if (unfit) enterOperation(unfit.operation)
  await checkRowChanges(first.operation)
  const areUnrelated = creates.every(({ related }) => related.changes.size === 0)
  const returned = areUnrelated && type.provider === context.app.store.provider ? inserted.returned : null
  const records = returned ?? (await readRows(first.operation, keys))
  await checkWritten(first.operation, type, keys, records)
  if (returned) addReturned(first.operation, returned)
  const data = creates.map(({ operation }, index) => {
    const record = records[index]
    enterOperation(operation)
    if (!record) throw resourceNotFound({ type: type.name, id: type.codec.encode(keys[index]) })
    return { type, record }
  })
  leaveOperation(context.request)
  await loadRelations(data, query, context, areUnrelated)
  return creates.map(({ operation }, index) => [
    operation,
    { kind: 'data', status: 201, operation, data: data[index] as (typeof data)[number] },
  ])
}

async function readRows(
  { context, query, target: { type } }: Operation,
  keys: readonly unknown[],
): Promise<readonly (Row | null)[]> {
  const mark = await context.writeScope(type)
  return loadMany(type, keys, query, context, { justWritten: true, ...(mark && { mark }) })
}
