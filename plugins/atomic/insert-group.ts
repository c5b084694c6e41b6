import type { CreatedIds } from '#kernel/operations'
import {
  addRows,
  checkFound,
  checkWrite,
  checkWritten,
  findMembers,
  findWriter,
  finishWrite,
  listIdentifiers,
  notFound,
  type Performed,
  type PreparedSave,
  prepareDocument,
  prepareSave,
  ResponseError,
  type StatementWriter,
  savePrepared,
  toOperation,
  writableInput,
  writtenOptions,
} from '#kernel/operations'
import type {
  ApiResponse,
  App,
  DocumentBudget,
  Input,
  Member,
  Operation,
  PlannedOperation,
  Row,
  Unit,
} from '#kernel/plugin'
import { loadRelations } from '#kernel/queries'
import { enterOperation, leaveOperation } from './current-operation.ts'
import type { Group } from './group-creates.ts'
import { rememberLocalId, resolveLocalIds } from './local-ids.ts'
import { RowsRefused, refusing } from './rows-refused.ts'

/** Whether the insert of a group is the only statement of its batch, so that it commits by itself. */
export function isSingleStatement({ documents }: App, [first, ...others]: Group): boolean {
  const { resources, identifiers } = documents.createBudget()
  const count = others.length + 1
  const { plan, target } = first
  return plan.write.isSingle && count <= resources && count * target.type.relations.length <= identifiers
}

/** What an attempt of a batch has prepared: functions of authors that convert input run once, also if a row is refused. */
export type PreparedCreates = Map<PlannedOperation, PreparedSave>

/** The unit of a batch, and what its operations share. */
export interface BatchUnit {
  readonly app: App
  readonly unit: Unit
  readonly budget: DocumentBudget
  readonly lids: CreatedIds
  readonly prepared: PreparedCreates
}

/** Creates resources of one type by one statement. Throws RowsRefused if that is not possible. */
export async function insertGroup(batch: BatchUnit, group: Group): Promise<readonly Performed[]> {
  const { unit, lids } = batch
  const { request } = group[0].requester
  const operations = toOperations(batch, group)
  const [first] = operations
  const responses = await checkAll(operations, unit)
  const creates = new Map<Operation, PreparedSave>()
  for (const [index, operation] of operations.entries()) {
    if (responses.has(operation)) continue
    enterOperation(operation)
    const prepared = await prepareSave(operation, operation.input as Input, null)
    if (!refersToCreated(operation)) batch.prepared.set(group[index] as PlannedOperation, prepared)
    creates.set(operation, prepared)
  }
  leaveOperation(request)
  for (const [operation, response] of await saveAll(creates)) responses.set(operation, response)
  const performed: Performed[] = []
  for (const operation of operations) {
    enterOperation(operation)
    rememberLocalId(operation, lids)
    performed.push({ operation, response: await finishWrite(operation, responses.get(operation) as ApiResponse) })
  }
  leaveOperation(request)
  const [{ response }] = performed as [Performed]
  if (creates.size > 0) await refusing(unit, async () => prepareDocument(first, response))
  return performed
}

/** Whether the values hold the id of a resource that the batch has created: another attempt may give it another id. */
function refersToCreated({ input }: Operation): boolean {
  return (input?.linkage ?? []).some((linkage) => listIdentifiers(linkage).some(({ lid }) => lid !== undefined))
}

/** The operations of a group. Their rows are part of one document, so that they share a context. */
function toOperations({ app, unit, budget, lids }: BatchUnit, group: Group): readonly [Operation, ...Operation[]] {
  const [first, ...others] = group.map((planned) => toOperation(app, resolveLocalIds(planned, lids), unit, budget))
  const { context } = first as Operation
  const share = (operation: Operation): Operation => ({ ...operation, input: writableInput(operation), context })
  return [share(first as Operation), ...others.map(share)]
}

/** Checks each operation by itself. A check that reads the database would not find the rows of earlier operations. */
async function checkAll(operations: readonly Operation[], unit: Unit): Promise<Map<Operation, ApiResponse>> {
  const { useCount } = unit
  const responses = new Map<Operation, ApiResponse>()
  for (const operation of operations) {
    enterOperation(operation)
    let early: ApiResponse | undefined
    try {
      early = await checkWrite(operation, operation.input as Input, null)
    } catch (error) {
      throw unit.useCount > useCount && operation !== operations[0] ? new RowsRefused(error) : error
    }
    if (unit.useCount > useCount || operation.preconditions) throw new RowsRefused()
    if (early?.kind === 'error') throw new ResponseError(early)
    if (early) responses.set(operation, early)
  }
  return responses
}

/** Creates a resource whose insert with others was refused. Its checks run again: they may read earlier rows. */
export async function createPrepared(
  { app, unit, budget, lids, prepared }: BatchUnit,
  planned: PlannedOperation,
): Promise<Performed> {
  const operation = toOperation(app, resolveLocalIds(planned, lids), unit, budget)
  const early = await checkWrite(operation, writableInput(operation), null)
  const save = prepared.get(planned) as PreparedSave
  const response = await finishWrite(operation, early ?? (await savePrepared(operation, save)))
  return { operation, response: await prepareDocument(operation, response) }
}

async function saveAll(creates: ReadonlyMap<Operation, PreparedSave>): Promise<ReadonlyMap<Operation, ApiResponse>> {
  const operations = [...creates.keys()]
  const [first] = operations
  if (!first) return new Map()
  const { statements } = findWriter(first.context.app, first.target.type)
  const { app, unit } = first.context
  const { provider, id } = first.target.type
  const rows = statements ? await insertRows(creates, statements) : await insertEntities(creates)
  return refusing(unit, async () => {
    const isShown = !statements || provider === app.store.provider
    const shown = isShown
      ? rows
      : readRows(
          first,
          rows.map((row) => row[id.property]),
        )
    return readBack(operations, await shown)
  })
}

/** Saves rows of a type that MikroORM writes: as entities, by one flush. */
async function insertEntities(creates: ReadonlyMap<Operation, PreparedSave>): Promise<readonly Row[]> {
  const [operation] = [...creates.keys()] as [Operation]
  const { context, target } = operation
  const { type } = target
  const { persister } = type
  const entities: object[] = []
  for (const [create, { changes }] of creates) {
    enterOperation(create)
    entities.push(await persister.create(type, changes, context))
  }
  leaveOperation(context.request)
  await refusing(context.unit, () => persister.flush(type, context, entities[0] as object))
  return readRows(
    operation,
    entities.map((entity) => persister.keyOf(type, entity)),
  )
}

async function readRows({ context, query, target }: Operation, keys: readonly unknown[]): Promise<readonly Row[]> {
  const { type } = target
  const rows = await type.provider.many(type, keys, query, context, await writtenOptions(type, context))
  const rowsByKey = new Map(rows.map((row) => [String(row[type.id.property]), row]))
  return keys.map((key) => rowsByKey.get(String(key)) ?? notFound(type, type.codec.encode(key)))
}

async function insertRows(
  creates: ReadonlyMap<Operation, PreparedSave>,
  statements: StatementWriter,
): Promise<readonly Row[]> {
  const [first] = [...creates.keys()] as [Operation]
  const { context, query, target } = first
  const { type } = target
  if (context.writeScope(type) !== undefined) context.unit.requireTransaction()
  const saves = [...creates.values()]
  const [change, ...others] = saves.map(({ changes }) => changes) as [PreparedSave['changes']]
  const write = { type, row: null, changes: [change, ...others] as const, query }
  const checksTargets = saves.some(({ unchecked }) => unchecked.length > 0)
  const rows = await refusing(context.unit, () => statements.write({ ...write, checksTargets }, context))
  if (rows.length > 0) return rows
  // Nothing was written: a related row is missing, or the rows need several statements, which cannot check them.
  const found = await findMembers(
    first,
    saves.flatMap(({ unchecked }) => unchecked),
  )
  for (const [operation, { unchecked }] of creates) {
    enterOperation(operation)
    checkFound(operation, unchecked, found) // 404
  }
  leaveOperation(context.request)
  const inserted = await refusing(context.unit, () => statements.write({ ...write, checksTargets: false }, context))
  if (inserted.length === 0) throw new RowsRefused() // a trigger has skipped all rows
  return inserted
}

async function readBack(
  operations: readonly Operation[],
  rows: readonly Row[],
): Promise<ReadonlyMap<Operation, ApiResponse>> {
  const [first] = operations as [Operation]
  const { context, query, target } = first
  const { type } = target
  const keys = rows.map((row) => type.persister.keyOf(type, row))
  for (const [index, operation] of operations.entries()) operation.savedKey = keys[index]
  await checkWritten(first, type, keys, rows)
  await addRows(type, rows, query, context)
  const members = rows.map((record) => ({ type, record }))
  await loadRelations(members, query, context, true)
  const toResponse = (operation: Operation, data: Member): ApiResponse => ({
    kind: 'data',
    status: 201,
    operation,
    data,
  })
  return new Map(operations.map((operation, index) => [operation, toResponse(operation, members[index] as Member)]))
}
