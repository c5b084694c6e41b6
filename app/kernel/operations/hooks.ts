import { relationshipNotExists, resourceNotFound } from '../errors/core-errors.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { isThenable } from '../lib/awaitable.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import { isOwnerSide, type Relation, type Row } from '../model/field.ts'
import type { Operation } from '../model/operation.ts'
import type { Plugin } from '../model/plugin.ts'
import type { ReadOptions } from '../model/provider.ts'
import { addNeeds, createQuery, type Query } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { type ApiResponse, type DataResponse, isData, membersOf } from '../model/response.ts'
import { wholeRow } from '../model/selection.ts'
import { loadOne } from '../read/load.ts'
import { isHiddenFrom } from '../read/load-relation.ts'
import { loadRelations } from '../read/load-relations.ts'

// The moments of an operation at which plugins join, each said once.

/** The first answer that makes further doing needless. */
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

/** The first answer that is given in place of what was saved. */
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

/** The answer to a read: its relations are loaded, unless a plugin has put an answer without data in its place. */
export function showRead(operation: Operation, found: DataResponse): Awaitable<ApiResponse> {
  const plugins = operation.context.app.hooksFor('afterRead', operation.target.type)
  return plugins.length > 0 ? askRead(plugins, operation, found) : showMembers(operation, found)
}

async function askRead(plugins: readonly Plugin[], operation: Operation, found: DataResponse): Promise<ApiResponse> {
  let response = found
  for (const plugin of plugins) {
    const answer = (await plugin.afterRead?.(operation, response)) ?? response
    if (!isData(answer)) return answer
    response = answer
  }
  return showMembers(operation, response)
}

function showMembers({ query, context }: Operation, response: DataResponse): Awaitable<DataResponse> {
  const loading = loadRelations(membersOf(response), query, context)
  return loading ? loading.then(() => response) : response
}

/** The record the URL names, or a 404. */
export async function findRecord({ target, context, query }: Operation): Promise<Row> {
  const { type, id = '' } = target
  const record = await loadOne(type, type.codec.decode(id), query, context, { addressed: true })
  if (!record) throw resourceNotFound({ type: type.name, id })
  return record
}

/** The parent of a related or relationship read: only its key, and what hooks ask for. It is not part of the graph. */
export async function findParent(
  { target, query, context }: Operation,
  options: ReadOptions = { addressed: true },
): Promise<Row> {
  const { type, relation, id = '' } = target
  const key = type.codec.decode(id)
  const asked = parentQuery(type, relation as Relation, query.needs.get(type))
  const parent = key === undefined ? null : await type.provider.one(type, key, asked, context, options)
  if (!parent) throw resourceNotFound({ type: type.name, id })
  return parent
}

const parentQueries = new WeakMap<Relation, Query>()

/** Settled once, where hooks ask for nothing. */
function parentQuery(type: ResourceType, relation: Relation, needs: readonly string[] | undefined): Query {
  const alone = getOrCreate(parentQueries, relation, () => keyQuery(type, relation))
  return needs ? { ...alone, needs: new Map([[type, [...(alone.needs.get(type) ?? []), ...needs]]]) } : alone
}

function keyQuery(type: ResourceType, relation: Relation): Query {
  const query = createQuery({ type })
  query.fields = new Map([[type.name, new Set(isOwnerSide(relation) ? [relation.name] : [])]])
  if (typeof relation.hidden === 'function') addNeeds(query, type, wholeRow(type))
  return query
}

/** A relation that is hidden from the requester, or by the parent, does not exist at its own URLs. */
export function checkShown({ target: { type, relation }, query, context }: Operation, parent: Row): void {
  if (!relation || !(query.visibility?.hides(relation) || isHiddenFrom(relation, parent, context))) return
  throw relationshipNotExists({ type: type.name, relationship: relation.segment })
}
