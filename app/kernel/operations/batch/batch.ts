import type { App } from '../../model/app.ts'
import { DocumentBudget } from '../../model/limits.ts'
import type { Operation, OperationDraft } from '../../model/operation.ts'
import { AcceptedInBatch, type ApiResponse, ResponseError } from '../../model/response.ts'
import type { Unit } from '../../model/store.ts'
import { createContext } from '../context.ts'
import { type Performed, perform, runAfterCommit, runBeforeOperations, withVisibility } from '../dispatch.ts'
import { runBeforeRender } from '../hooks.ts'
import { BulkInsertError, bulkCreate } from './bulk-create.ts'
import { enterOperation, leaveOperation } from './current-operation.ts'
import { resolveLocalIds } from './local-ids.ts'
import { type Run, runsOf } from './runs.ts'

/** Runs several operations in one unit: all of them, or none. */
export async function dispatchAll(app: App, drafts: readonly OperationDraft[]): Promise<readonly ApiResponse[]> {
  await runBeforeOperations(app, drafts[0]?.origin.request ?? null)
  const done = await performAll(app, drafts)
  const responses: ApiResponse[] = []
  for (const { operation, response } of done) responses.push(await runAfterCommit(operation, response))
  return responses
}

/**
 * Creates of the same type share a multi-row insert. If the database refuses it, the batch is rolled back and runs again
 * with single inserts, because the error does not identify the row.
 */
async function performAll(app: App, drafts: readonly OperationDraft[]): Promise<readonly Performed[]> {
  const kept = drafts.map((draft): OperationDraft => ({ ...draft, computed: new Map() }))
  try {
    return await performRuns(app, runsOf(app, kept))
  } catch (error) {
    if (!(error instanceof BulkInsertError)) throw error
    return performRuns(
      app,
      kept.map((draft) => [draft]),
    )
  }
}

function performRuns(app: App, runs: readonly Run[]): Promise<readonly Performed[]> {
  return app.store.write(async (unit) => {
    const results: Performed[] = []
    const budget = new DocumentBudget(app.config.limits)
    for (const run of runs) results.push(...(await performRun(app, run, unit, budget)))
    return results
  }, runs[0]?.[0].origin)
}

async function performRun(app: App, run: Run, unit: Unit, budget: DocumentBudget): Promise<readonly Performed[]> {
  const [first] = run
  if (run.length === 1) return [await performOne(app, first, unit, budget)]
  const context = createContext(app, first.origin, unit, budget)
  const operations = run.map((draft): Operation => {
    enterOperation(draft)
    return { ...resolveLocalIds(withVisibility(app, draft), unit), context }
  }) as [Operation, ...Operation[]]
  const responses = await bulkCreate(operations)
  await runBeforeRender(context)
  const performed = operations.map((operation, index) => ({ operation, response: responses[index] as ApiResponse }))
  performed.forEach(checkResponse)
  leaveOperation(first.origin.request)
  return performed
}

async function performOne(app: App, draft: OperationDraft, unit: Unit, budget: DocumentBudget): Promise<Performed> {
  enterOperation(draft)
  const performed = await perform(app, resolveLocalIds(draft, unit), unit, budget)
  checkResponse(performed)
  leaveOperation(draft.origin.request)
  return performed
}

/** Rejects 202 responses: the job would run even if the batch rolled back. An error rolls the batch back. */
function checkResponse({ operation, response }: Performed): void {
  enterOperation(operation)
  if (response.kind === 'error') throw new ResponseError(response)
  if (response.status === 202) throw new AcceptedInBatch(operation.target.type.name)
}
