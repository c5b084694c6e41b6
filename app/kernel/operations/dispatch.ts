import { applicationError } from '../errors/core-errors.ts'
import { runInOrder } from '../lib/run-in-order.ts'
import type { App } from '../model/app.ts'
import type { DocumentBudget } from '../model/limits.ts'
import { isWrite, type Operation, type OperationDraft } from '../model/operation.ts'
import type { ApiRequest } from '../model/request.ts'
import { type ApiResponse, isData, ResponseError } from '../model/response.ts'
import type { Unit } from '../model/store.ts'
import { visibilityFor } from '../model/visibility.ts'
import { createContext } from './context.ts'
import { runBeforeRender } from './hooks.ts'

/** Runs `beforeOperations`: the request is valid, and no operation has run. */
export function runBeforeOperations(app: App, request: ApiRequest | null): Promise<void> | undefined {
  return request ? runInOrder(app.hooks('beforeOperations'), (plugin) => plugin.beforeOperations?.(request)) : undefined
}

/** Runs one operation in a unit of its own. */
export function dispatch(app: App, draft: OperationDraft): Promise<ApiResponse> {
  if (isWrite(draft.kind)) return write(app, draft)
  return app.store.read((unit) => run(toOperation(app, draft, unit)), draft.origin)
}

async function write(app: App, draft: OperationDraft): Promise<ApiResponse> {
  try {
    const { operation, response } = await app.store.write((unit) => perform(app, draft, unit), draft.origin)
    return await runAfterCommit(operation, response)
  } catch (error) {
    if (error instanceof ResponseError) return error.response
    throw error
  }
}

export interface Performed {
  readonly operation: Operation
  readonly response: ApiResponse
}

/** Runs an operation inside the unit. Throws a ResponseError if a write returns an error, so that it rolls back. */
export async function perform(
  app: App,
  draft: OperationDraft,
  unit: Unit,
  batchBudget?: DocumentBudget,
): Promise<Performed> {
  const operation = toOperation(app, draft, unit, batchBudget)
  const response = await run(operation)
  if (response.kind === 'error' && isWrite(draft.kind)) throw new ResponseError(response)
  return { operation, response }
}

function toOperation(app: App, draft: OperationDraft, unit: Unit, batchBudget?: DocumentBudget): Operation {
  return { ...withVisibility(app, draft), context: createContext(app, draft.origin, unit, batchBudget) }
}

/** Adds the visibility of fields and relations for the requester, which every operation needs. */
export function withVisibility(app: App, draft: OperationDraft): OperationDraft {
  draft.query.visibility ??= visibilityFor(app, draft.origin)
  return draft
}

function run(operation: Operation): Promise<ApiResponse> {
  const { handler } = operation.origin.server
  if (!handler) throw applicationError()
  const handled = handler(operation)
  return operation.context.app.hooks('beforeRender').length > 0 ? prepareDocument(operation, handled) : handled
}

async function prepareDocument({ context }: Operation, handled: Promise<ApiResponse>): Promise<ApiResponse> {
  const response = await handled
  if (isData(response)) await runBeforeRender(context)
  return response
}

/** Runs `afterCommit`. An error of a hook is logged: the write is committed, and the client gets its response. */
export async function runAfterCommit(operation: Operation, response: ApiResponse): Promise<ApiResponse> {
  // First for rows of other resources that the operation has changed; the responses of these hooks are ignored.
  for (const member of operation.context.rowChanges.takeMemberOperations()) {
    await callAfterCommit(member, { kind: 'none', status: 204 })
  }
  return callAfterCommit(operation, response)
}

async function callAfterCommit(operation: Operation, response: ApiResponse): Promise<ApiResponse> {
  const { app } = operation.context
  let answer = response
  for (const plugin of app.hooks('afterCommit')) {
    try {
      answer = (await plugin.afterCommit?.(operation, answer)) ?? answer
    } catch (error) {
      const fields = { plugin: plugin.name, type: operation.target.type.name, hook: 'afterCommit' }
      app.logger?.error({ err: error, ...fields }, 'A plugin failed after the commit; the write is kept')
    }
  }
  return answer
}
