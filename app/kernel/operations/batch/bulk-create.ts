import { resourceNotFound } from '../../errors/core-errors.ts'
import { apiErrorsOf } from '../../errors/errors.ts'
import type { Input, Operation } from '../../model/operation.ts'
import type { ApiResponse } from '../../model/response.ts'
import { loadMany } from '../../read/load.ts'
import { loadRelations } from '../../read/load-relations.ts'
import { checkNew } from '../create.ts'
import { takenInput, toChanges } from '../input/hydrate.ts'
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
import { checkRowChanges, checkWritten } from '../written.ts'
import { enterOperation, leaveOperation } from './current-operation.ts'
import { noteLid } from './local-ids.ts'

/** The database has refused a multi-row insert, and does not say which row is at fault. */
export class BulkInsertError extends Error {
  constructor(cause: unknown) {
    super('A multi-row insert failed.', { cause })
    this.name = 'BulkInsertError'
  }
}

/**
 * Creates of one type, in one context: each is checked, all are written and read back at once. An error of one operation
 * is thrown at its place. Throws a BulkInsertError if the operations must be done one by one to find the one at fault.
 */
export async function bulkCreate(operations: readonly [Operation, ...Operation[]]): Promise<ApiResponse[]> {
  const answers = new Map<Operation, ApiResponse>()
  const drafts: Draft[] = []
  for (const operation of operations) {
    enterOperation(operation)
    const input = takenInput(operation)
    const early = await checkNew(operation, input)
    if (early) answers.set(operation, early)
    else drafts.push({ operation, input, named: nameMembers(input.linkage) })
  }
  const found = await findAllMembers(drafts, operations[0])
  const made = await makeEntities(drafts, found)
  await insert(made)
  for (const { operation, entity, related } of made) {
    enterOperation(operation)
    await relate(operation, entity, related)
  }
  for (const [operation, answer] of await readBackAll(made)) answers.set(operation, answer)
  return operations.map((operation) => answers.get(operation) as ApiResponse)
}

interface Draft {
  readonly operation: Operation
  readonly input: Input
  readonly named: readonly NamedLinkage[]
}

interface Made {
  readonly operation: Operation
  readonly entity: object
  readonly related: Related
}

/** One statement per related type, for all operations. */
async function findAllMembers(drafts: readonly Draft[], first: Operation): Promise<FoundRows> {
  leaveOperation(first.context.request)
  const found = await findMembers(
    first,
    drafts.flatMap(({ named }) => named),
  )
  for (const { operation, named } of drafts) {
    enterOperation(operation)
    checkFound(operation, named, found)
  }
  return found
}

async function makeEntities(drafts: readonly Draft[], found: FoundRows): Promise<Made[]> {
  const made: Made[] = []
  for (const { operation, input, named } of drafts) {
    enterOperation(operation)
    const { target, context } = operation
    const related = await prepareLinkage(operation, named, null, found)
    const changes = toChanges(operation, input, related.toOne, null)
    made.push({ operation, related, entity: await target.type.persister.create(target.type, changes, context) })
  }
  return made
}

async function insert(made: readonly Made[]): Promise<void> {
  const [first] = made
  if (!first) return
  const { target, context } = first.operation
  if (made.length === 1) enterOperation(first.operation)
  else leaveOperation(context.request)
  try {
    await target.type.persister.flush(target.type, context, first.entity)
  } catch (error) {
    throw made.length > 1 && isRefusal(error) ? new BulkInsertError(error) : error
  }
}

/** The database has refused a row: the store has explained it, or an SQLSTATE is left. It is asked again for class 40. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return apiErrorsOf(error).length > 0 || (typeof code === 'string' && /^(?!40)[\dA-Z]{5}$/.test(code))
}

async function readBackAll(made: readonly Made[]): Promise<(readonly [Operation, ApiResponse])[]> {
  const [first] = made
  if (!first) return []
  const { target, context, query } = first.operation
  const { type } = target
  const keys = made.map(({ entity }) => type.persister.keyOf(type, entity))
  for (const [index, { operation }] of made.entries()) noteLid(operation, keys[index])
  leaveOperation(context.request)
  // Where the document has no room for all of them, the first that does not fit is at fault.
  const unfit = made[context.budget.resources]
  if (unfit) enterOperation(unfit.operation)
  await checkRowChanges(first.operation)
  const mark = await context.writeScope(type)
  const records = await loadMany(type, keys, query, context, { justWritten: true, ...(mark && { mark }) })
  await checkWritten(first.operation, type, keys, records)
  const data = made.map(({ operation }, index) => {
    const record = records[index]
    enterOperation(operation)
    if (!record) throw resourceNotFound({ type: type.name, id: type.codec.encode(keys[index]) })
    return { type, record }
  })
  leaveOperation(context.request)
  const areUnrelated = made.every(({ related }) => related.changes.size === 0)
  await loadRelations(data, query, context, areUnrelated)
  return made.map(({ operation }, index) => [
    operation,
    { kind: 'data', status: 201, operation, data: data[index] as (typeof data)[number] },
  ])
}
