import type { App } from './app.ts'
import { asyncWriteInAtomicOperation } from './core-errors.ts'
import type { OperationDraft } from './operation.ts'
import { settle } from './operations/settle.ts'
import { afterCommit, type Performed, perform, serve } from './pipeline.ts'
import type { Unit } from './provider.ts'
import type { ApiResponse } from './response.ts'

/** Runs several operations in one unit: all of them, or none. */
export async function dispatchAll(app: App, drafts: readonly OperationDraft[]): Promise<readonly ApiResponse[]> {
  const origin = drafts[0]?.origin
  const request = origin?.request ?? null
  await serve(app, request)
  const done = await app.store.write(async (unit) => {
    const results: Performed[] = []
    for (const draft of drafts) {
      if (request) request.place = draft.place ?? ''
      results.push(await performNow(app, settle(draft, unit), unit))
    }
    if (request) request.place = ''
    return results
  }, origin)
  const responses: ApiResponse[] = []
  for (const { operation, response } of done) responses.push(await afterCommit(operation, response))
  return responses
}

/** Nothing is done later: it would be done even if the rest fails. */
async function performNow(app: App, draft: OperationDraft, unit: Unit): Promise<Performed> {
  const performed = await perform(app, draft, unit, true)
  if (performed.response.status === 202) throw asyncWriteInAtomicOperation({ type: draft.target.type.name })
  return performed
}
