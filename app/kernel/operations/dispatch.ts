import type { App } from '../contract/app.ts'
import type { Operation, PlannedOperation } from '../contract/operation.ts'
import type { DocumentBudget } from '../contract/operation-context.ts'
import type { ApiRequest } from '../contract/request.ts'
import { type ApiResponse, isData, ResponseError } from '../contract/response.ts'
import { visibilityFor } from '../contract/visibility.ts'
import type { Context } from '../data/context.ts'
import type { Unit } from '../data/store.ts'
import { applicationError } from '../errors/core-errors.ts'
import { type Awaitable, callAll } from '../lib/awaitable.ts'
import { findQueryPlan } from '../plan/create-query-plan.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { createContext } from './context.ts'
import { observe, runAfterCommit, runAfterOperation, runBeforeRender, stepsOfAll } from './hooks.ts'
import { writeInTransaction } from './run-writes.ts'
import { withPreconditions } from './save/preconditions.ts'

/** Runs the stage `authorize`, each step once: the request is valid, and no operation has run. */
export function authorizeOperations(
  request: ApiRequest | null,
  operations: readonly PlannedOperation[],
): Awaitable<void> {
  if (!request) return
  return callAll(stepsOfAll(operations, 'authorize'), [request, operations])
}

/** Runs one operation in a unit of its own. */
export function dispatch(app: App, planned: PlannedOperation): Promise<ApiResponse> {
  const run = planned.plan.writes ? write : read
  if (app.observers.length === 0) return run(app, planned)
  return observe(app, { name: 'run operations', operations: [planned] }, () => run(app, planned))
}

function read(app: App, planned: PlannedOperation): Promise<ApiResponse> {
  const plan = planned.query.plan ?? findQueryPlan(app, planned)
  const { handler } = planned.requester.server
  if (!handler) throw applicationError()
  const work = (unit: Unit) => {
    const operation = { ...planned, context: createContext(app, planned, unit) }
    const pending = plan.mode.isSingle ? undefined : resolveScopes(plan.scoped, operation.context)
    const response = pending ? pending.then(() => handler(operation)) : handler(operation)
    return plan.completesRows ? response.then((found) => prepareDocument(operation, found)) : response
  }
  return app.store.read(work, planned.requester, plan.mode)
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

function write(app: App, planned: PlannedOperation): Promise<ApiResponse> {
  const run = (unit: Unit) => perform(app, planned, unit)
  return writeInTransaction({
    app,
    operations: [planned],
    isSingle: planned.plan.write.isSingle,
    run,
    toResponse: getResponse,
  }).then(
    ({ result, response }) => (result ? runAfterCommit(result.operation, result.response) : (response as ApiResponse)),
    responseOfError,
  )
}

function getResponse({ response }: Performed): ApiResponse {
  return response
}

/** A write that returns an error was rolled back by a ResponseError. */
function responseOfError(error: unknown): ApiResponse {
  if (error instanceof ResponseError) return error.response
  throw error
}

/** An operation that has run, and its response. */
export interface Performed {
  readonly operation: Operation
  readonly response: ApiResponse
}

/** Runs a write inside the unit. Throws a ResponseError if it returns an error, so that it rolls back. */
export function perform(
  app: App,
  planned: PlannedOperation,
  unit: Unit,
  sharedBudget?: DocumentBudget,
): Promise<Performed> {
  const operation = toOperation(app, planned, unit, sharedBudget)
  const { handler } = operation.requester.server
  if (!handler) throw applicationError()
  return handler(operation).then((response) => finish(operation, response))
}

function finish(operation: Operation, found: ApiResponse): Awaitable<Performed> {
  const finished = finishWrite(operation, found)
  if (finished instanceof Promise) return finished.then((response) => prepareResult(operation, response))
  return prepareResult(operation, finished)
}

function prepareResult(operation: Operation, response: ApiResponse): Awaitable<Performed> {
  const preparing = prepareDocument(operation, response)
  return preparing instanceof Promise ? preparing.then(() => ({ operation, response })) : { operation, response }
}

/** Runs the stage `afterOperation`. Throws a ResponseError if the write, or a step, returns an error. */
export function finishWrite(operation: Operation, response: ApiResponse): Awaitable<ApiResponse> {
  if (response.kind === 'error') throw new ResponseError(response)
  const shown: ApiResponse = operation.hidesResult ? { kind: 'none', status: 204 } : response
  if (operation.plan.afterOperation.length === 0) return shown
  return runAfterOperation(operation, shown).then((final) => {
    if (final.kind === 'error') throw new ResponseError(final)
    return final
  })
}

/** Adds the context in which the operation runs, and the visibility of fields for the requester. */
export function toOperation(app: App, planned: PlannedOperation, unit: Unit, sharedBudget?: DocumentBudget): Operation {
  if (app.registry.hidesFields) planned.query.visibility ??= visibilityFor(app, planned.requester)
  return withPreconditions({ ...planned, context: createContext(app, planned, unit, sharedBudget) })
}

/** Runs `beforeRender` if the response shows resources. */
export function prepareDocument({ context, query }: Operation, response: ApiResponse): Awaitable<ApiResponse> {
  if (query.plan?.completesRows === false || !isData(response)) return response
  const pending = runBeforeRender(context)
  return pending ? pending.then(() => response) : response
}
