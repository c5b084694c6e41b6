import { type Awaitable, isThenable, type Optional } from '../lib/awaitable.ts'
import type { App } from '../model/app.ts'
import type { Context } from '../model/context.ts'
import type { Operation, Plan } from '../model/operation.ts'
import type { Plugin } from '../model/plugin.ts'
import { type ApiResponse, type DataResponse, isData, membersOf } from '../model/response.ts'
import type { Stage } from '../model/stage.ts'
import { loadRelations } from '../read/load-relations.ts'

/** Runs a stage inside `aroundStage`; the first plugin of the list is the outermost. */
export function runStage<T>(app: App, stage: Stage, work: () => Awaitable<T>): Awaitable<T> {
  const plugins = app.hooks.aroundStage
  if (plugins.length === 0) return work()
  const around = (inner: typeof work, plugin: Plugin) => () =>
    plugin.aroundStage?.(app, stage, async () => inner()) ?? inner()
  return plugins.reduceRight(around, work)()
}

/** Runs the stage `check`. Returns the first response of a step; it ends the operation. */
export function runChecks(operation: Operation, subject: object | null): Optional<ApiResponse> {
  const { check } = operation.plan
  return check.length > 0 ? callChecks(check, operation, subject) : undefined
}

async function callChecks(
  steps: Plan['check'],
  operation: Operation,
  subject: object | null,
): Promise<ApiResponse | undefined> {
  for (const check of steps) {
    const pending = check(operation, subject)
    const response = isThenable(pending) ? await pending : pending
    if (response) return response
  }
  return undefined
}

export async function runBeforeAction(operation: Operation, subject: object | null): Promise<void> {
  for (const plugin of operation.context.app.hooks.beforeAction) await plugin.beforeAction?.(operation, subject)
}

export async function runBeforeSave(operation: Operation, entity: object): Promise<void> {
  for (const plugin of operation.target.type.hooks.beforeSave) await plugin.beforeSave?.(operation, entity)
}

/** Runs `afterSave`. Returns the first response of a hook; it replaces the response that shows the saved row. */
export async function runAfterSave(
  operation: Operation,
  entity: object,
  saved: unknown,
): Promise<ApiResponse | undefined> {
  for (const plugin of operation.target.type.hooks.afterSave) {
    const response = await plugin.afterSave?.(operation, entity, saved)
    if (response) return response
  }
  return undefined
}

/** Runs `afterWrite`. A response of a hook is passed to the next one. */
export async function runAfterWrite(operation: Operation, response: ApiResponse): Promise<ApiResponse> {
  let answer = response
  for (const plugin of operation.target.type.hooks.afterWrite) {
    answer = (await plugin.afterWrite?.(operation, answer)) ?? answer
  }
  return answer
}

/** Runs `afterRead`, then loads the relations of the response, unless a hook has replaced it by one without data. */
export function finishRead(operation: Operation, found: DataResponse): Awaitable<ApiResponse> {
  const { afterRead } = operation.plan
  if (afterRead.length > 0) return callAfterRead(afterRead, operation, found)
  const loading = loadRelations(membersOf(found), operation.query, operation.context)
  return loading ? loading.then(() => found) : found
}

async function callAfterRead(
  steps: Plan['afterRead'],
  operation: Operation,
  found: DataResponse,
): Promise<ApiResponse> {
  const { query, context } = operation
  let response = found
  for (const afterRead of steps) {
    const replaced = (await afterRead(operation, response)) ?? response
    if (!isData(replaced)) return replaced
    response = replaced
  }
  await loadRelations(membersOf(response), query, context)
  return response
}

/** Runs `beforeRender` for the rows of the document, once per type. */
export function runBeforeRender(context: Context): Awaitable<void> {
  for (const type of context.graph.types) if (type.steps.beforeRender.length > 0) return callBeforeRender(context)
}

async function callBeforeRender(context: Context): Promise<void> {
  const { graph } = context
  for (const type of graph.types) {
    const steps = type.steps.beforeRender
    const rows = steps.length > 0 ? graph.rowsOf(type) : []
    for (const step of steps) await step(type, rows, context)
  }
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
  for (const plugin of operation.target.type.hooks.afterCommit) {
    try {
      answer = (await plugin.afterCommit?.(operation, answer)) ?? answer
    } catch (error) {
      const fields = { plugin: plugin.name, type: operation.target.type.name, hook: 'afterCommit' }
      app.logger?.error({ err: error, ...fields }, 'A plugin failed after the commit; the write is kept')
    }
  }
  return answer
}
