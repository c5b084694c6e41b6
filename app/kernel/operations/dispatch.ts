import { applicationError } from '../errors/core-errors.ts'
import { type Awaitable, isThenable } from '../lib/awaitable.ts'
import type { App } from '../model/app.ts'
import type { Context, DocumentBudget } from '../model/context.ts'
import type { Operation, OperationDraft } from '../model/operation.ts'
import type { ApiRequest } from '../model/request.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { type ApiResponse, isData, ResponseError } from '../model/response.ts'
import type { Plan } from '../model/stages.ts'
import type { Unit } from '../model/store.ts'
import { visibilityFor } from '../model/visibility.ts'
import { planOf } from '../plan/query-plan.ts'
import { createContext } from './context.ts'
import { observe, runAfterOperation, runBeforeRender, stepsOfAll } from './hooks.ts'
import { withPreconditions } from './save/preconditions.ts'
import { finish, type Performed, transact } from './transaction.ts'

/** Runs the stage `authorize`, each step once: the request is valid, and no operation has run. */
export function authorizeOperations(request: ApiRequest | null, drafts: readonly OperationDraft[]): Awaitable<void> {
  if (!request) return
  const steps = stepsOfAll(drafts, 'authorize')
  if (steps.length > 0) return callAuthorize(steps, request, drafts)
}

async function callAuthorize(
  steps: Plan['authorize'],
  request: ApiRequest,
  drafts: readonly OperationDraft[],
): Promise<void> {
  for (const authorize of steps) {
    const pending = authorize(request, drafts)
    if (pending) await pending
  }
}

/** Runs one operation in a unit of its own. */
export function dispatch(app: App, draft: OperationDraft): Promise<ApiResponse> {
  const run = draft.plan.writes ? write : read
  if (app.observers.length === 0) return run(app, draft)
  return observe(app, { name: 'run operations', operations: [draft] }, () => run(app, draft))
}

function read(app: App, draft: OperationDraft): Promise<ApiResponse> {
  const plan = draft.query.plan ?? planOf(app, draft)
  const { handler } = draft.origin.server
  if (!handler) throw applicationError()
  const work = (unit: Unit) => {
    const operation = { ...draft, context: createContext(app, draft, unit) }
    const pending = plan.mode.isSingle ? undefined : resolveScopes(plan.scoped, operation.context)
    const response = pending ? pending.then(() => handler(operation)) : handler(operation)
    return plan.completesRows ? response.then((found) => prepareDocument(operation, found)) : response
  }
  return app.store.read(work, draft.origin, plan.mode)
}

/** An error of a policy is thrown where the scope is used. */
function resolveScopes(types: readonly ResourceType[], context: Context): Promise<unknown> | undefined {
  const scopes: Promise<unknown>[] = []
  for (const type of types) {
    const scope = context.visibleScope(type)
    if (scope instanceof Promise) scopes.push(scope)
  }
  return scopes.length > 0 ? Promise.allSettled(scopes) : undefined
}

function write(app: App, draft: OperationDraft): Promise<ApiResponse> {
  const { isSingle } = draft.plan.write
  const work = (unit: Unit) => perform(app, draft, unit).then((performed) => [performed])
  return transact(app, [draft], work, { isSingle, toResponse: onlyResponse })
    .then((outcome) => finish(outcome, onlyResponse))
    .catch((error) => {
      if (error instanceof ResponseError) return error.response
      throw error
    })
}

function onlyResponse([response]: readonly ApiResponse[]): ApiResponse {
  return response as ApiResponse
}

/** Runs a write inside the unit. Throws a ResponseError if it returns an error, so that it rolls back. */
export async function perform(
  app: App,
  draft: OperationDraft,
  unit: Unit,
  batchBudget?: DocumentBudget,
): Promise<Performed> {
  const operation = toOperation(app, draft, unit, batchBudget)
  const finished = finishWrite(operation, await run(operation))
  const response = isThenable(finished) ? await finished : finished
  const prepared = prepareDocument(operation, response)
  if (isThenable(prepared)) await prepared
  return { operation, response }
}

/** Runs the stage `afterOperation`. Throws a ResponseError if the write, or a step, returns an error. */
export function finishWrite(operation: Operation, response: ApiResponse): Awaitable<ApiResponse> {
  if (response.kind === 'error') throw new ResponseError(response)
  const final = runAfterOperation(operation, operation.hidesResult ? { kind: 'none', status: 204 } : response)
  return isThenable(final) ? Promise.resolve(final).then(throwError) : throwError(final)
}

function throwError(response: ApiResponse): ApiResponse {
  if (response.kind === 'error') throw new ResponseError(response)
  return response
}

/** Adds the context in which the operation runs. */
export function toOperation(app: App, draft: OperationDraft, unit: Unit, batchBudget?: DocumentBudget): Operation {
  return withPreconditions({
    ...withVisibility(app, draft),
    context: createContext(app, draft, unit, batchBudget),
  })
}

/** Adds the visibility of fields and relations for the requester, which every operation needs. */
export function withVisibility(app: App, draft: OperationDraft): OperationDraft {
  draft.query.visibility ??= visibilityFor(app, draft.origin)
  return draft
}

function run(operation: Operation): Promise<ApiResponse> {
  const { handler } = operation.origin.server
  if (!handler) throw applicationError()
  return handler(operation)
}

/** Runs `beforeRender` if the response shows resources. */
export function prepareDocument({ context }: Operation, response: ApiResponse): Awaitable<ApiResponse> {
  const pending = isData(response) ? runBeforeRender(context) : undefined
  return pending ? pending.then(() => response) : response
}
