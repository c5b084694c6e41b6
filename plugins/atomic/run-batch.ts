import {
  type ApiRequest,
  type ApiResponse,
  type App,
  authorizeOperations,
  type CreatedIds,
  createBudget,
  type DocumentBudget,
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
import { createTogether, isSingleStatement, RowsRefused } from './create-together.ts'
import { enterOperation, leaveOperation } from './current-operation.ts'
import { asyncWriteInAtomicOperation } from './errors.ts'
import { type Group, groupCreates } from './group-creates.ts'
import { rememberLocalId, resolveLocalIds } from './local-ids.ts'
import { lockRows } from './lock-rows.ts'

/** Runs several operations in one unit: all of them, or none. `toResponse` returns the response of the batch. */
export async function runBatch(
  request: ApiRequest,
  drafts: readonly OperationDraft[],
  toResponse: ToResponse,
): Promise<ApiResponse> {
  const { app } = request
  await authorizeOperations(app, request, drafts)
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
  const runGroups = (list: readonly Group[]) => {
    const [only] = list.length === 1 ? list : []
    const isSingle = only !== undefined && isSingleStatement(app, only)
    const work = (unit: Unit, lids: CreatedIds) => performGroups(app, list, unit, lids)
    return transact(app, drafts, work, { isSingle, resolve: resolveLocalIds, toResponse })
  }
  try {
    return await runGroups(groups)
  } catch (error) {
    if (!(error instanceof RowsRefused)) throw error
    return runGroups(drafts.map((draft): Group => [draft]))
  }
}

async function performGroups(
  app: App,
  groups: readonly Group[],
  unit: Unit,
  lids: CreatedIds,
): Promise<readonly Performed[]> {
  const results: Performed[] = []
  const budget = createBudget(app.config.limits)
  await lockRows(app, groups.flat(), unit, budget)
  for (const group of groups) {
    if (group.length > 1) results.push(...(await createTogether(app, group, unit, budget, lids)))
    else results.push(await performOne(app, group[0], unit, budget, lids))
    await unit.releaseEntities()
    leaveOperation(group[0].origin.request)
  }
  return results
}

async function performOne(
  app: App,
  draft: OperationDraft,
  unit: Unit,
  budget: DocumentBudget,
  lids: CreatedIds,
): Promise<Performed> {
  enterOperation(draft)
  const performed = await perform(app, resolveLocalIds(draft, lids), unit, budget)
  rememberLocalId(performed.operation, lids)
  checkResponse(performed)
  return performed
}

/** Rejects 202 responses: the job would run even if the batch rolled back. An error rolls the batch back. */
function checkResponse({ operation, response }: Performed): void {
  if (response.kind === 'error') throw new ResponseError(response)
  if (response.status === 202) throw asyncWriteInAtomicOperation({ type: operation.target.type.name })
}
