import type { Awaitable } from '../lib/awaitable.ts'
import { isThenable } from '../lib/awaitable.ts'
import type { Row } from '../model/field.ts'
import type { Operation } from '../model/operation.ts'
import type { Plugin } from '../model/plugin.ts'
import { type ApiResponse, type DataResponse, isData, membersOf } from '../model/response.ts'
import { loadRelations } from '../read/load-relations.ts'

/** Returns the first response of an `onSubjectLoaded` hook; it ends the operation. */
export function runSubjectLoaded(
  operation: Operation,
  subject: Row | object | null,
  plugins = operation.context.app.hooksFor('onSubjectLoaded', operation.target.type),
): Awaitable<ApiResponse | undefined> {
  for (let index = 0; index < plugins.length; index++) {
    const early = plugins[index]?.onSubjectLoaded?.(operation, subject)
    if (isThenable(early)) {
      return Promise.resolve(early).then(
        (answer) => answer ?? runSubjectLoaded(operation, subject, plugins.slice(index + 1)),
      )
    }
    if (early) return early
  }
  return undefined
}

export async function runBeforeSave(operation: Operation, entity: object): Promise<void> {
  for (const plugin of operation.context.app.hooksFor('beforeSave', operation.target.type))
    await plugin.beforeSave?.(operation, entity)
}

/** Returns the first response of an `afterSave` hook; it replaces the response that shows the saved row. */
export async function runAfterSave(
  operation: Operation,
  entity: object,
  saved: unknown,
): Promise<ApiResponse | undefined> {
  for (const plugin of operation.context.app.hooksFor('afterSave', operation.target.type)) {
    const answer = await plugin.afterSave?.(operation, entity, saved)
    if (answer) return answer
  }
  return undefined
}

/** Runs `afterRead`, then loads the relations of the response, unless a hook has replaced it by one without data. */
export function showRead(operation: Operation, found: DataResponse): Awaitable<ApiResponse> {
  const plugins = operation.context.app.hooksFor('afterRead', operation.target.type)
  return plugins.length > 0 ? runAfterRead(plugins, operation, found) : withRelations(operation, found)
}

async function runAfterRead(
  plugins: readonly Plugin[],
  operation: Operation,
  found: DataResponse,
): Promise<ApiResponse> {
  let response = found
  for (const plugin of plugins) {
    const answer = (await plugin.afterRead?.(operation, response)) ?? response
    if (!isData(answer)) return answer
    response = answer
  }
  return withRelations(operation, response)
}

function withRelations({ query, context }: Operation, response: DataResponse): Awaitable<DataResponse> {
  const loading = loadRelations(membersOf(response), query, context)
  return loading ? loading.then(() => response) : response
}
