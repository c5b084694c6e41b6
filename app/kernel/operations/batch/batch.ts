import type { App } from '../../model/app.ts'
import { DocumentBudget } from '../../model/document-budget.ts'
import type { LinkageInput, Operation, OperationDraft } from '../../model/operation.ts'
import type { Unit } from '../../model/provider.ts'
import { AcceptedInBatch, type ApiResponse, Refusal } from '../../model/response.ts'
import { createContext } from '../context.ts'
import { type Performed, perform, runAfterCommit, serve, withVisibility } from '../dispatch.ts'
import { identifiersOf } from '../input/members.ts'
import { hasWriteHooks } from '../observers.ts'
import { BulkInsertError, bulkCreate } from './bulk-create.ts'
import { enterOperation, leaveOperation } from './current-operation.ts'
import { lidKey, resolveLocalIds } from './local-ids.ts'

/** Runs several operations in one unit: all of them, or none. */
export async function dispatchAll(app: App, drafts: readonly OperationDraft[]): Promise<readonly ApiResponse[]> {
  await serve(app, drafts[0]?.origin.request ?? null)
  const done = await performAll(app, drafts)
  const responses: ApiResponse[] = []
  for (const { operation, response } of done) responses.push(await runAfterCommit(operation, response))
  return responses
}

/** Runs of creates share a multi-row insert. If the database refuses one, all is done again one by one to find the row. */
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

type Run = readonly [OperationDraft, ...OperationDraft[]]

async function performRun(app: App, run: Run, unit: Unit, budget: DocumentBudget): Promise<readonly Performed[]> {
  const [first] = run
  if (run.length === 1) return [await performNow(app, first, unit, budget)]
  const context = createContext(app, first.origin, unit, budget)
  const operations = run.map((draft): Operation => {
    enterOperation(draft)
    return { ...resolveLocalIds(withVisibility(app, draft), unit), context }
  }) as [Operation, ...Operation[]]
  const responses = await bulkCreate(operations)
  const performed = operations.map((operation, index) => ({ operation, response: responses[index] as ApiResponse }))
  performed.forEach(checkAnswer)
  leaveOperation(first.origin.request)
  return performed
}

async function performNow(app: App, draft: OperationDraft, unit: Unit, budget: DocumentBudget): Promise<Performed> {
  enterOperation(draft)
  const performed = await perform(app, resolveLocalIds(draft, unit), unit, budget)
  checkAnswer(performed)
  leaveOperation(draft.origin.request)
  return performed
}

/** Rejects 202 responses: the job would run even if the batch rolled back. An error rolls the batch back. */
function checkAnswer({ operation, response }: Performed): void {
  enterOperation(operation)
  if (response.kind === 'error') throw new Refusal(response)
  if (response.status === 202) throw new AcceptedInBatch(operation.target.type.name)
}

/** The operations in their order, creates of the same type side by side taken together. */
function runsOf(app: App, drafts: readonly OperationDraft[]): readonly Run[] {
  const runs: [OperationDraft, ...OperationDraft[]][] = []
  const lids = new Set<string>()
  const moved = new Set<string>()
  for (const draft of drafts) {
    const run = runs.at(-1)
    if (
      run &&
      run[0].target.type === draft.target.type &&
      isAlike(app, run[0]) &&
      isAlike(app, draft) &&
      !names(draft, lids) &&
      !movedBy(draft).some((member) => moved.has(member))
    ) {
      run.push(draft)
    } else {
      runs.push([draft])
      lids.clear()
      moved.clear()
    }
    for (const member of movedBy(draft)) moved.add(member)
    if (draft.input?.lid !== undefined) lids.add(lidKey(draft.target.type.name, draft.input.lid))
  }
  return runs
}

/** A create by the default handler and persister, without write hooks, that changes no other row: it can be bulk inserted. */
function isAlike(app: App, { kind, origin, target: { type }, input }: OperationDraft): boolean {
  const isUsual = kind === 'Create' && origin.server.isUsual && type.persister === app.store.persister
  const sent = input?.attributes ?? {}
  return (
    isUsual && !hasWriteHooks(app, type) && !type.attributes.some(({ name, on }) => on && Object.hasOwn(sent, name))
  )
}

/** Members whose own rows change: the policy of one that moves again is asked about the row as it is then. */
function movedBy({ input }: OperationDraft): string[] {
  const linkage = input?.linkage ?? []
  const moving = linkage.filter(({ relation: { kind } }) => kind === 'hasMany' || kind === 'hasOne')
  return moving.flatMap((one) => identifiersOf(one).map(({ type, id, lid }) => `${type} ${id ?? ''} ${lid ?? ''}`))
}

/** Whether it refers to what the run itself makes. */
function names({ input }: OperationDraft, lids: ReadonlySet<string>): boolean {
  const uses = (input?.linkage ?? []).flatMap((linkage: LinkageInput) => identifiersOf(linkage))
  return uses.some(({ type, lid }) => lid !== undefined && lids.has(lidKey(type, lid)))
}
