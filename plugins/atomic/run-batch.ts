import {
  type ApiRequest,
  type ApiResponse,
  type App,
  authorizeOperations,
  type CreatedIds,
  finish,
  type OperationDraft,
  type Outcome,
  observe,
  type Performed,
  perform,
  ResponseError,
  type ToResponse,
  transact,
  type Unit,
} from '#kernel/plugin'
import { enterOperation, leaveOperation } from './current-operation.ts'
import { asyncWriteInAtomicOperation } from './errors.ts'
import { type Group, groupCreates } from './group-creates.ts'
import { type BatchUnit, createPrepared, insertGroup, isSingleStatement, type PreparedCreates } from './insert-group.ts'
import { rememberLocalId, resolveLocalIds } from './local-ids.ts'
import { lockRows } from './lock-rows.ts'
import { RowsRefused } from './rows-refused.ts'

/** Runs several operations in one unit: all of them, or none. `toResponse` returns the response of the batch. */
export async function runBatch(
  request: ApiRequest,
  drafts: readonly OperationDraft[],
  toResponse: ToResponse,
): Promise<ApiResponse> {
  const { app } = request
  await authorizeOperations(request, drafts)
  return observe(app, { name: 'run operations', operations: drafts }, async () =>
    finish(await performAll(app, drafts, toResponse), toResponse),
  )
}

/**
 * Creates of the same type share an insert. If a row of it is refused, the batch is rolled back and runs again with an insert
 * for each row, because the error does not identify one.
 */
async function performAll(app: App, drafts: readonly OperationDraft[], toResponse: ToResponse): Promise<Outcome> {
  const groups = groupCreates(app, drafts)
  const prepared: PreparedCreates = new Map()
  const runGroups = (list: readonly Group[]) => {
    const [only] = list.length === 1 ? list : []
    const isSingle = only !== undefined && isSingleStatement(app, only)
    const work = (unit: Unit, lids: CreatedIds) =>
      performGroups({ app, unit, lids, prepared, budget: app.documents.createBudget() }, list)
    return transact(app, drafts, work, { isSingle, resolve: resolveLocalIds, toResponse })
  }
  try {
    return await runGroups(groups)
  } catch (error) {
    if (!(error instanceof RowsRefused)) throw error
    return runGroups(drafts.map((draft): Group => [draft]))
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
    leaveOperation(group[0].origin.request)
  }
  return results
}

async function performOne(batch: BatchUnit, draft: OperationDraft): Promise<Performed> {
  const { app, unit, budget, lids, prepared } = batch
  enterOperation(draft)
  const performed = prepared.has(draft)
    ? await createPrepared(batch, draft)
    : await perform(app, resolveLocalIds(draft, lids), unit, budget)
  rememberLocalId(performed.operation, lids)
  return performed
}

/** Rejects 202 responses: the job would run even if the batch rolled back. An error rolls the batch back. */
function checkResponse({ operation, response }: Performed): void {
  enterOperation(operation)
  if (response.kind === 'error') throw new ResponseError(response)
  if (response.status === 202) throw asyncWriteInAtomicOperation({ type: operation.target.type.name })
}
