import type { App } from '../contract/app.ts'
import type { Operation, PlannedOperation } from '../contract/operation.ts'
import type { Observer, RequestPart } from '../contract/plugin.ts'
import { type ApiResponse, type DataResponse, isData, listMembers } from '../contract/response.ts'
import type { Plan } from '../contract/stages.ts'
import type { Context } from '../data/context.ts'
import { type Awaitable, callAll, callEach, callUntil } from '../lib/awaitable.ts'
import { loadRelations } from '../read/load-relations.ts'

/** Runs a part of a request inside its observers; the first plugin of the list is the outermost. */
export function observe<T>(app: App, part: RequestPart, work: () => Promise<T>): Promise<T> {
  const around = (inner: typeof work, observer: Observer) => () => observer.around?.(app, part, inner) ?? inner()
  return app.observers.reduceRight(around, work)()
}

/** The steps of all operations of a request, each once. */
export function stepsOfAll<Stage extends 'authorize' | 'transaction'>(
  operations: readonly PlannedOperation[],
  stage: Stage,
): readonly Plan[Stage][number][] {
  const [first, ...others] = operations
  if (first && others.length === 0) return first.plan[stage]
  return [...new Set(operations.flatMap(({ plan }): readonly Plan[Stage][number][] => plan[stage]))]
}

/** Runs the stage `check`. Returns the first response of a step; it ends the operation. */
export function runChecks(operation: Operation, subject: object | null): Awaitable<ApiResponse | undefined> {
  return callUntil(operation.plan.check, [operation, subject])
}

export function runBeforeSave(operation: Operation, entity: object | null): Awaitable<void> {
  return callAll(operation.plan.beforeSave, [operation, entity])
}

/** Runs the stage `afterSave`. Returns the first response of a step; it replaces the response that shows the saved row. */
export async function runAfterSave(
  operation: Operation,
  entity: object,
  saved: unknown,
): Promise<ApiResponse | undefined> {
  for (const step of operation.plan.afterSave) {
    const response = await step(operation, entity, saved)
    if (response) return response
  }
  return undefined
}

/** Runs the stage `afterOperation` of a write. A response of a step is passed to the next one. */
export async function runAfterOperation(operation: Operation, response: ApiResponse): Promise<ApiResponse> {
  let answer = response
  for (const step of operation.plan.afterOperation) answer = (await step(operation, answer)) ?? answer
  return answer
}

/** Runs the stage `afterOperation` of a read, then loads the relations of the response, unless a step has replaced it by one without data. */
export function finishRead(operation: Operation, found: DataResponse): Awaitable<ApiResponse> {
  const { afterOperation } = operation.plan
  if (afterOperation.length > 0) return completeRead(afterOperation, operation, found)
  if (isInRow(operation, Array.isArray(found.data) ? found.data.length : 1)) return found
  const loading = loadRelations(listMembers(found), operation.query, operation.context)
  return loading ? loading.then(() => found) : found
}

/**
 * Whether the rows alone render the response, and the document has room for all identifiers in them. False in a batch, whose
 * operations share that room.
 */
export function isInRow({ query, context }: Operation, rows: number): boolean {
  const inRow = query.plan?.inRow
  if (!inRow || context.sharesUnit) return false
  return rows * inRow.foreignKeys.length <= context.budget.identifiers
}

async function completeRead(
  steps: Plan['afterOperation'],
  operation: Operation,
  found: DataResponse,
): Promise<ApiResponse> {
  const { query, context } = operation
  let response = found
  for (const step of steps) {
    const replaced = (await step(operation, response)) ?? response
    if (!isData(replaced)) return replaced
    response = replaced
  }
  await loadRelations(listMembers(response), query, context)
  return response
}

/** Runs `beforeRender` for the rows of the document, once per type. */
export function runBeforeRender(context: Context): Awaitable<void> {
  return callEach(context.graph.types, (type) => {
    const { beforeRender } = type.steps
    if (beforeRender.length === 0) return
    const rows = context.graph.listRows(type)
    return callAll(beforeRender, [type, rows, context])
  })
}

/** Runs the stage `afterCommit`. An error of a step is logged: the write is committed, and the client gets its response. */
export function runAfterCommit(operation: Operation, response: ApiResponse): Awaitable<ApiResponse> {
  const members = operation.context.rowChanges.takeMemberOperations()
  if (members.length === 0 && operation.plan.afterCommit.length === 0) return response
  return callAfterCommits(members, operation, response)
}

async function callAfterCommits(
  members: readonly Operation[],
  operation: Operation,
  response: ApiResponse,
): Promise<ApiResponse> {
  // First for rows of other resources that the operation has changed; the responses of these steps are ignored.
  for (const member of members) await callAfterCommit(member, { kind: 'none', status: 204 })
  return callAfterCommit(operation, response)
}

async function callAfterCommit(operation: Operation, response: ApiResponse): Promise<ApiResponse> {
  const { context, plan, target } = operation
  let answer = response
  for (const [index, step] of plan.afterCommit.entries()) {
    try {
      answer = (await step(operation, answer)) ?? answer
    } catch (error) {
      const fields = { plugin: plan.plugins.afterCommit[index], type: target.type.name, hook: 'afterCommit' }
      context.app.logger?.error({ err: error, ...fields }, 'A plugin failed after the commit; the write is kept')
    }
  }
  return answer
}
