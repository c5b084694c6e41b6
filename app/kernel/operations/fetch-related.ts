import { isOwnerSide, isPolymorphic, type Relation } from '../model/field.ts'
import type { Operation } from '../model/operation.ts'
import { type Page, type RelationQuery, relationQuery } from '../model/query.ts'
import type { ApiResponse } from '../model/response.ts'
import { relationRowLimit } from '../read/document-budget.ts'
import { createLoad, loadRelation } from '../read/load-relation.ts'
import { checkShown, findParent } from './find.ts'
import { finishRead, runSubjectLoaded } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-resources: the members of a relation are the primary data. */
export async function fetchRelated(operation: Operation): Promise<ApiResponse> {
  const { query: base, context, target } = operation
  const relation = target.relation as Relation
  const query = relationQuery(base, false)
  const finding = findParent(operation) // 404
  const ahead = loadAhead(operation, query)
  const parent = await finding
  const early = await runSubjectLoaded(operation, parent) // 403
  checkShown(operation, parent) // 404
  if (early) return early
  await loadRelation({ relation, parents: [parent], primary: true, query, ahead }, base, context)
  const edge = context.graph.get(parent, relation)
  const members = edge?.members ?? []
  const page = edge?.page?.page ?? { records: [], hasMore: false, total: members.length }
  const data = relation.toMany ? { data: members, ...(edge && { page }) } : { data: members[0] ?? null }
  return finishRead(operation, { kind: 'related', status: 200, operation, ...data })
}

/**
 * perf: reads the page concurrently with its parent, by the key of the parent: 1.2 times as many requests per second for a
 * related page at 32 connections. The page is shown only after the parent was
 * found and authorized. Undefined if the page depends on other values of the parent, or a hook runs before it is loaded.
 */
function loadAhead(
  { target, query: base, context }: Operation,
  query: RelationQuery,
): Promise<readonly Page[]> | undefined {
  const { type, id = '' } = target
  const relation = target.relation as Relation
  const key = type.codec.decode(id)
  if (key === undefined || context.batch || type.provider !== context.app.store.provider) return undefined
  if (isOwnerSide(relation) || isPolymorphic(relation)) return undefined
  if (context.app.hooksFor('beforeRelationLoad', type).length > 0) return undefined
  const parents = [{ [type.id.property]: key }]
  query.rowLimit = relationRowLimit(createLoad({ relation, parents, primary: true, query }, base, context))
  const pages = type.provider.related(relation, parents, query, context)
  pages.catch(() => {}) // loadRelation awaits the same promise and throws its error
  return pages
}
