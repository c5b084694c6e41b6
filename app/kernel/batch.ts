import { isHttpError } from 'http-errors'
import type { App } from './app.ts'
import { createContext } from './context.ts'
import { asyncWriteInAtomicOperation } from './core-errors.ts'
import { afterCommit, type Performed, perform, serve, withVisibility } from './dispatch.ts'
import { DocumentBudget } from './document-budget.ts'
import type { LinkageInput, Operation, OperationDraft } from './operation.ts'
import { createTogether } from './operations/create-together.ts'
import { identifiersOf } from './operations/members.ts'
import { lidKey, settle } from './operations/settle.ts'
import type { Unit } from './provider.ts'
import type { ApiResponse } from './response.ts'
import { isWatched } from './watching.ts'

/** Runs several operations in one unit: all of them, or none. */
export async function dispatchAll(app: App, drafts: readonly OperationDraft[]): Promise<readonly ApiResponse[]> {
  await serve(app, drafts[0]?.origin.request ?? null)
  const done = await performAll(app, drafts)
  const responses: ApiResponse[] = []
  for (const { operation, response } of done) responses.push(await afterCommit(operation, response))
  return responses
}

/** Runs of creates are done together; should that fail, all is done again one by one, which tells where it fails. */
async function performAll(app: App, drafts: readonly OperationDraft[]): Promise<readonly Performed[]> {
  const runs = runsOf(app, drafts)
  if (runs.length < drafts.length) {
    try {
      return await performRuns(app, runs)
    } catch (error) {
      if (isHttpError(error) && error.status >= 500) throw error // the database is away, and would be asked again
    }
  }
  return performRuns(
    app,
    drafts.map((draft) => [draft]),
  )
}

function performRuns(app: App, runs: readonly Run[]): Promise<readonly Performed[]> {
  return app.store.write(async (unit) => {
    const results: Performed[] = []
    const budget = new DocumentBudget(app.config.limits)
    for (const run of runs) results.push(...(await performRun(app, run, unit, budget)))
    return results
  }, runs[0]?.[0].origin)
}

type Run = readonly [OperationDraft, ...OperationDraft[]]

async function performRun(app: App, run: Run, unit: Unit, budget: DocumentBudget): Promise<readonly Performed[]> {
  const [first] = run
  if (run.length === 1) return [await performNow(app, first, unit, budget)]
  const context = createContext(app, first.origin, unit, budget)
  const operations = run.map((draft): Operation => ({ ...settle(withVisibility(app, draft), unit), context })) as [
    Operation,
    ...Operation[],
  ]
  const responses = await createTogether(operations)
  return operations.map((operation, index) => ({ operation, response: responses[index] as ApiResponse }))
}

/** Nothing is done later: it would be done even if the rest fails. */
async function performNow(app: App, draft: OperationDraft, unit: Unit, budget: DocumentBudget): Promise<Performed> {
  const { request } = draft.origin
  if (request) request.place = draft.place ?? ''
  const performed = await perform(app, settle(draft, unit), unit, budget)
  if (performed.response.status === 202) throw asyncWriteInAtomicOperation({ type: draft.target.type.name })
  if (request) request.place = ''
  return performed
}

/** The operations in their order, creates of the same type side by side taken together. */
function runsOf(app: App, drafts: readonly OperationDraft[]): readonly Run[] {
  const runs: [OperationDraft, ...OperationDraft[]][] = []
  const lids = new Set<string>()
  for (const draft of drafts) {
    const run = runs.at(-1)
    if (
      run &&
      run[0].target.type === draft.target.type &&
      isAlike(app, run[0]) &&
      isAlike(app, draft) &&
      !names(draft, lids)
    ) {
      run.push(draft)
    } else {
      runs.push([draft])
      lids.clear()
    }
    if (draft.input?.lid !== undefined) lids.add(lidKey(draft.target.type.name, draft.input.lid))
  }
  return runs
}

/** A create of rows of the store in the usual way, which nobody watches. */
function isAlike(app: App, { kind, origin, target: { type } }: OperationDraft): boolean {
  const isUsual = kind === 'Create' && origin.server.isUsual && type.persister === app.store.persister
  return isUsual && !isWatched(app, type)
}

/** Whether it refers to what the run itself makes. */
function names({ input }: OperationDraft, lids: ReadonlySet<string>): boolean {
  const uses = (input?.linkage ?? []).flatMap((linkage: LinkageInput) => identifiersOf(linkage))
  return uses.some(({ type, lid }) => lid !== undefined && lids.has(lidKey(type, lid)))
}
