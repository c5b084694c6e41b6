import type { Relation } from '../fields/definition.ts'
import { loadRelation } from '../load-relation.ts'
import type { Operation } from '../operation.ts'
import { relationQuery } from '../query.ts'
import type { ApiResponse, DataResponse } from '../response.ts'
import { askSubject, findParent, showRead } from './moments.ts'

/** The resources a relation leads to: the related type is primary here. */
export async function fetchRelated(operation: Operation): Promise<ApiResponse> {
  const { query, context, target } = operation
  const relation = target.relation as Relation
  const parent = await findParent(operation)
  const asking = askSubject(operation, parent)
  const early = asking && (await asking)
  if (early) return early
  const load = {
    relation,
    parents: [parent],
    path: relation.name,
    included: false,
    ofPrimary: false,
    primary: true,
    query: relationQuery(query, false),
  }
  await loadRelation(load, query, context)
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
