import {
  authorizeOperations,
  type Outcome,
  observe,
  type Performed,
  perform,
  ResponseError,
  runAfterCommit,
  writeInTransaction,
} from '#kernel/operations'
import type { ApiRequest, ApiResponse, App, PlannedOperation } from '#kernel/plugin'
import { enterOperation, leaveOperation } from './current-operation.ts'
import { asyncWriteInAtomicOperation } from './errors.ts'
import { type Group, groupCreates } from './group-creates.ts'
import { type BatchUnit, createPrepared, insertGroup, isSingleStatement, type PreparedCreates } from './insert-group.ts'
import { rememberLocalId, resolveLocalIds } from './local-ids.ts'
import { lockRows } from './lock-rows.ts'
import { RowsRefused } from './rows-refused.ts'

/** The response of a batch, from the responses of its operations. */
type ToResponse = (responses: readonly ApiResponse[]) => ApiResponse

type BatchOutcome = Outcome<readonly Performed[]>

/** Runs several operations in one unit: all of them, or none. `toResponse` returns the response of the batch. */
export async function runBatch(
  request: ApiRequest,
  operations: readonly PlannedOperation[],
  toResponse: ToResponse,
): Promise<ApiResponse> {
  const { app } = request
  await authorizeOperations(request, operations)
  return observe(app, { name: 'run operations', operations }, async () =>
    finish(await performAll(app, operations, toResponse), toResponse),
  )
}

/** Runs the steps after the commit. Returns the response of the batch. */
async function finish({ result, response }: BatchOutcome, toResponse: ToResponse): Promise<ApiResponse> {
  if (!result) return response as ApiResponse
  const responses: ApiResponse[] = []
  for (const { operation, response: written } of result) responses.push(await runAfterCommit(operation, written))
  const isReplaced = responses.some((final, index) => final !== result[index]?.response)
  return response && !isReplaced ? response : toResponse(responses)
}

/**
 * Creates of the same type share an insert. If a row of it is refused, the batch is rolled back and runs again with an insert
 * for each row, because the error does not identify one.
 */
async function performAll(
  app: App,
  operations: readonly PlannedOperation[],
  toResponse: ToResponse,
): Promise<BatchOutcome> {
  const groups = groupCreates(app, operations)
  const prepared: PreparedCreates = new Map()
  const runGroups = (list: readonly Group[]) => {
    const [only] = list.length === 1 ? list : []
    return writeInTransaction({
      app,
      operations,
      isSingle: only !== undefined && isSingleStatement(app, only),
      run: (unit, lids) => performGroups({ app, unit, lids, prepared, budget: app.documents.createBudget() }, list),
      toResponse: (performed) => toResponse(performed.map(({ response }) => response)),
      resolve: resolveLocalIds,
    })
  }
  try {
    return await runGroups(groups)
  } catch (error) {
    if (!(error instanceof RowsRefused)) throw error
    return runGroups(operations.map((planned): Group => [planned]))
  }
}

async function performGroups(batch: BatchUnit, groups: readonly Group[]): Promise<readonly Performed[]> {
  const results: Performed[] = []
  await lockRows(batch, groups.flat())
  for (const group of groups) {
    const performed = group.length > 1 ? await insertGroup(batch, group) : [await performOne(batch, group[0])]
    for (const one of performed) checkResponse(one)
    results.push(...performed)
    await batch.unit.releaseEntities()
    leaveOperation(group[0].requester.request)
  }
  return results
}

async function performOne(batch: BatchUnit, planned: PlannedOperation): Promise<Performed> {
  const { app, unit, budget, lids, prepared } = batch
  enterOperation(planned)
  const performed = prepared.has(planned)
    ? await createPrepared(batch, planned)
    : await perform(app, resolveLocalIds(planned, lids), unit, budget)
  rememberLocalId(performed.operation, lids)
  return performed
}

/** Rejects 202 responses: the job would run even if the batch rolled back. An error rolls the batch back. */
function checkResponse({ operation, response }: Performed): void {
  enterOperation(operation)
  if (response.kind === 'error') throw new ResponseError(response)
  if (response.status === 202) throw asyncWriteInAtomicOperation({ type: operation.target.type.name })
}
