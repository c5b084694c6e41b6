import type { App } from '../../model/app.ts'
import { createBudget, type DocumentBudget } from '../../model/limits.ts'
import type { Operation, OperationDraft } from '../../model/operation.ts'
import { AcceptedInBatch, type ApiResponse, ResponseError } from '../../model/response.ts'
import type { Unit } from '../../model/store.ts'
import { createContext } from '../context.ts'
import { authorizeOperations, finishWrite, perform, withVisibility } from '../dispatch.ts'
import { observe, runBeforeRender } from '../hooks.ts'
import { withPreconditions } from '../save/preconditions.ts'
import { finish, type Outcome, type Performed, type ToResponse, transact } from '../transaction.ts'
import { BulkCreateError, bulkCreate, runForAll } from './bulk-create.ts'
import { enterOperation, leaveOperation } from './current-operation.ts'
import { resolveLocalIds } from './local-ids.ts'
import { lockBatchRows } from './lock-rows.ts'
import { type Run, runsOf } from './runs.ts'

/** Runs several operations in one unit: all of them, or none. `toResponse` returns the response of the batch. */
export async function dispatchAll(
  app: App,
  drafts: readonly OperationDraft[],
  toResponse: ToResponse,
): Promise<ApiResponse> {
  await authorizeOperations(app, drafts[0]?.origin.request ?? null, drafts)
  return observe(app, { name: 'run operations', operations: drafts }, async () =>
    finish(await performAll(app, drafts, toResponse), toResponse),
  )
}

/**
 * Creates of the same type share a multi-row insert. If that is not possible, or a row is refused, the batch is rolled back
 * and runs again with single inserts.
 */
async function performAll(app: App, drafts: readonly OperationDraft[], toResponse: ToResponse): Promise<Outcome> {
  const kept = drafts.map((draft): OperationDraft => ({ ...draft, computed: new Map() }))
  const performRuns = (runs: readonly Run[]) => (unit: Unit) => performInOrder(app, runs, unit)
  try {
    return await transact(app, kept, performRuns(runsOf(app, kept)), toResponse)
  } catch (error) {
    if (!(error instanceof BulkCreateError)) throw error
    const single = kept.map((draft): Run => [draft])
    return transact(app, kept, performRuns(single), toResponse)
  }
}

async function performInOrder(app: App, runs: readonly Run[], unit: Unit): Promise<readonly Performed[]> {
  if (runs.length > 1) unit.requireTransaction()
  const results: Performed[] = []
  const budget = createBudget(app.config.limits)
  await lockBatchRows(app, runs.flat(), unit, budget)
  for (const run of runs) {
    results.push(...(await performRun(app, run, unit, budget)))
    await unit.releaseEntities()
    leaveOperation(run[0].origin.request)
  }
  return results
}

async function performRun(app: App, run: Run, unit: Unit, budget: DocumentBudget): Promise<readonly Performed[]> {
  const [first] = run
  if (run.length === 1) return [await performOne(app, first, unit, budget)]
  const context = createContext(app, first, unit, budget)
  const operations = run.map((draft): Operation => {
    enterOperation(draft)
    return withPreconditions({ ...resolveLocalIds(withVisibility(app, draft), unit), context })
  }) as [Operation, ...Operation[]]
  const responses = await bulkCreate(operations)
  const performed: Performed[] = []
  for (const [index, operation] of operations.entries()) {
    enterOperation(operation)
    performed.push({ operation, response: await finishWrite(operation, responses[index] as ApiResponse) })
  }
  await runForAll(operations, async () => runBeforeRender(context))
  performed.forEach(checkResponse)
  return performed
}

async function performOne(app: App, draft: OperationDraft, unit: Unit, budget: DocumentBudget): Promise<Performed> {
  enterOperation(draft)
  const performed = await perform(app, resolveLocalIds(draft, unit), unit, budget)
  checkResponse(performed)
  return performed
}

/** Rejects 202 responses: the job would run even if the batch rolled back. An error rolls the batch back. */
function checkResponse({ operation, response }: Performed): void {
  enterOperation(operation)
  if (response.kind === 'error') throw new ResponseError(response)
  if (response.status === 202) throw new AcceptedInBatch(operation.target.type.name)
}
