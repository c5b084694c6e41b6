import { isOwnerSide, isPolymorphic, type Relation } from '../model/field.ts'
import type { Operation } from '../model/operation.ts'
import { type Page, type RelationQuery, relationQuery } from '../model/query.ts'
import type { ApiResponse, DataResponse } from '../model/response.ts'
import { relationRowLimit } from '../read/document-budget.ts'
import { createLoad, type LoadRequest, loadRelation } from '../read/load-relation.ts'
import { checkShown, findParent, runSubjectLoaded, showRead } from './hooks.ts'

/** The resources a relation leads to: the related type is primary here. */
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
  const ahead = askAhead(operation, request)
  const parent = await finding
  const asking = runSubjectLoaded(operation, parent)
  const early = asking && (await asking)
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
 * The page is asked for together with its parent where nobody has a say in between: both are sent at once. Whether it is
 * shown is decided when the parent is there. Undefined where it has to wait for it.
 */
function askAhead(
  { target: { type, id = '' }, query: base, context }: Operation,
  request: Omit<LoadRequest, 'parents'> & { readonly query: RelationQuery },
): Promise<readonly Page[]> | undefined {
  const { app, batch } = context
  const { relation, query } = request
  const key = type.codec.decode(id)
  if (key === undefined || batch || type.provider !== app.store.provider) return undefined
  // The store needs nothing but the key of the parent then.
  if (isOwnerSide(relation) || isPolymorphic(relation) || app.hooksFor('beforeRelationLoad', type).length > 0)
    return undefined
  const parents = [{ [type.id.property]: key }]
  query.rowLimit = relationRowLimit(createLoad({ ...request, parents }, base, context))
  const pages = type.provider.related(relation, parents, query, context)
  pages.catch(() => {}) // told where it is waited for
  return pages
}
