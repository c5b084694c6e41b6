import { isOwnerSide, isPolymorphic, type Relation } from '../model/field.ts'
import type { Operation } from '../model/operation.ts'
import { type Page, type RelationQuery, relationQuery } from '../model/query.ts'
import type { ApiResponse, DataResponse } from '../model/response.ts'
import { relationRowLimit } from '../read/document-budget.ts'
import { createLoad, type LoadRequest, loadRelation } from '../read/load-relation.ts'
import { checkShown, findParent } from './find.ts'
import { runSubjectLoaded, showRead } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-resources: the members of a relation are the primary data. */
export async function fetchRelated(operation: Operation): Promise<ApiResponse> {
  const { query, context, target } = operation
  const relation = target.relation as Relation
  const request = {
    relation,
    path: relation.name,
    included: false,
    ofPrimary: false,
    primary: true,
    query: relationQuery(query, false),
  }
  const finding = findParent(operation)
  const ahead = loadAhead(operation, request)
  const parent = await finding
  const checking = runSubjectLoaded(operation, parent)
  const early = checking && (await checking)
  checkShown(operation, parent) // 404
  if (early) return early
  await loadRelation({ ...request, parents: [parent], ahead }, query, context)
  const edge = context.graph.get(parent, relation)
  const members = edge?.members ?? []
  const found: DataResponse = {
    kind: 'related',
    status: 200,
    operation,
    data: relation.toMany ? members : (members[0] ?? null),
    ...(edge && relation.toMany && { page: edge.page?.page ?? { records: [], hasMore: false, total: members.length } }),
  }
  return await showRead(operation, found)
}

/**
 * Reads the page concurrently with its parent, by the key of the parent. The page is shown only after the parent was
 * found and authorized. Undefined if the page depends on other values of the parent, or a hook runs before it is loaded.
 */
function loadAhead(
  { target: { type, id = '' }, query: base, context }: Operation,
  request: Omit<LoadRequest, 'parents'> & { readonly query: RelationQuery },
): Promise<readonly Page[]> | undefined {
  const { app, batch } = context
  const { relation, query } = request
  const key = type.codec.decode(id)
  if (key === undefined || batch || type.provider !== app.store.provider) return undefined
  if (isOwnerSide(relation) || isPolymorphic(relation) || app.hooksFor('beforeRelationLoad', type).length > 0)
    return undefined
  const parents = [{ [type.id.property]: key }]
  query.rowLimit = relationRowLimit(createLoad({ ...request, parents }, base, context))
  const pages = type.provider.related(relation, parents, query, context)
  pages.catch(() => {}) // loadRelation awaits the same promise and throws its error
  return pages
}
