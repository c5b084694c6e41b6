import { isHttpError } from 'http-errors'
import {
  type ApiResponse,
  type App,
  addRows,
  apiErrorsOf,
  type CreatedIds,
  checkCreate,
  checkWritten,
  createBudget,
  type DocumentBudget,
  finishWrite,
  isPrepared,
  loadRelations,
  type Operation,
  type Performed,
  type PreparedSave,
  prepareDocument,
  type Row,
  type StatementWriter,
  toOperation,
  type Unit,
  writerOf,
} from '#kernel/plugin'
import { enterOperation, leaveOperation } from './current-operation.ts'
import type { Group } from './group-creates.ts'
import { rememberLocalId, resolveLocalIds } from './local-ids.ts'

/** A row, or a check that reads the database, does not let creates share an insert: the batch runs again, one row at a time. */
export class RowsRefused extends Error {
  constructor(cause?: unknown) {
    super('The creates cannot share an insert.', { cause })
    this.name = 'RowsRefused'
  }
}

/** Whether the insert of a group is the only statement of its batch, so that it commits by itself. */
export function isSingleStatement({ config }: App, [first, ...others]: Group): boolean {
  const { resources, identifiers } = createBudget(config.limits)
  const count = others.length + 1
  const { plan, target } = first
  return plan.write.isSingle && count <= resources && count * target.type.relations.length <= identifiers
}

/** Creates resources of one type by one statement. Throws RowsRefused if that is not possible. */
export async function createTogether(
  app: App,
  group: Group,
  unit: Unit,
  budget: DocumentBudget,
  lids: CreatedIds,
): Promise<readonly Performed[]> {
  const { useCount } = unit
  const operations = group.map((draft) => toOperation(app, resolveLocalIds(draft, lids), unit, budget))
  const [first] = operations as [Operation]
  // All rows are part of one document.
  const creates = operations.map((operation): Operation => ({ ...operation, context: first.context }))
  const prepared: PreparedSave[] = []
  for (const operation of creates) prepared.push(await prepare(operation, unit, useCount, operation === creates[0]))
  leaveOperation(first.origin.request)
  const rows = await refusing(unit, () => insertRows(creates, prepared))
  const responses = await refusing(unit, () => readBack(creates, rows))
  for (const operation of creates) rememberLocalId(operation, lids)
  const performed: Performed[] = []
  for (const [index, operation] of creates.entries()) {
    enterOperation(operation)
    performed.push({ operation, response: await finishWrite(operation, responses[index] as ApiResponse) })
  }
  leaveOperation(first.origin.request)
  await refusing(unit, async () => prepareDocument(first, responses[0] as ApiResponse))
  return performed
}

/** Checks an operation by itself. A check that reads the database would not find the rows of earlier operations. */
async function prepare(operation: Operation, unit: Unit, useCount: number, isFirst: boolean): Promise<PreparedSave> {
  enterOperation(operation)
  const checked = await checkCreate(operation).catch((error: unknown) => {
    throw unit.useCount > useCount && !isFirst ? new RowsRefused(error) : error
  })
  if (unit.useCount > useCount || operation.preconditions || !isPrepared(checked)) throw new RowsRefused()
  return checked
}

async function insertRows(
  operations: readonly Operation[],
  prepared: readonly PreparedSave[],
): Promise<readonly Row[]> {
  const [{ context, query, target }] = operations as [Operation]
  const { type } = target
  if (await context.writeScope(type)) context.unit.requireTransaction()
  const [change, ...others] = prepared.map(({ changes }) => changes) as [PreparedSave['changes']]
  const checksTargets = prepared.some(({ unchecked }) => unchecked.length > 0)
  const statements = writerOf(context.app, type).statements as StatementWriter
  const rows = await statements.write({ type, row: null, changes: [change, ...others], query, checksTargets }, context)
  if (rows.length === 0) throw new RowsRefused() // the insert of one row tells which related row is missing
  return rows
}

async function readBack(operations: readonly Operation[], rows: readonly Row[]): Promise<readonly ApiResponse[]> {
  const [first] = operations as [Operation]
  const { context, query, target } = first
  const { type } = target
  const keys = rows.map((row) => type.persister.keyOf(type, row))
  for (const [index, operation] of operations.entries()) operation.savedKey = keys[index]
  await checkWritten(first, type, keys, rows)
  await addRows(type, rows, query, context)
  const members = rows.map((record) => ({ type, record }))
  await loadRelations(members, query, context, true)
  return members.map((data, index) => {
    return { kind: 'data' as const, status: 201, operation: operations[index] as Operation, data }
  })
}

/** Runs a statement or a check of all rows. Throws RowsRefused if it refuses one of them. */
async function refusing<T>(unit: Unit, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isRefusal(error) && !unit.hasCommitted ? new RowsRefused(error) : error
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
