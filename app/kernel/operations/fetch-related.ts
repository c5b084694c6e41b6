import type { Operation } from '../contract/operation.ts'
import type { ApiResponse } from '../contract/response.ts'
import { relationQuery } from '../data/create-query.ts'
import { parentOptions } from '../read/joined-page.ts'
import { loadRelation } from '../read/load-relation.ts'
import type { Relation } from '../schema/field.ts'
import { checkShown, findParent } from './find.ts'
import { finishRead, runChecks } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-resources: the members of a relation are the primary data. */
export async function fetchRelated(operation: Operation): Promise<ApiResponse> {
  const { query: base, context, target } = operation
  const relation = target.relation as Relation
  const query = relationQuery(base, false)
  const parent = await findParent(operation, parentOptions(operation, query)) // 404
  const early = await runChecks(operation, parent) // 403
  checkShown(operation, parent) // 404
  if (early) return early
  await loadRelation({ relation, parents: [parent], primary: true, query }, base, context)
  const edge = context.graph.get(parent, relation)
  const members = edge?.members ?? []
  const page = edge?.page?.page ?? { records: [], hasMore: false, total: members.length }
  const data = relation.toMany ? { data: members, ...(edge && { page }) } : { data: members[0] ?? null }
  return finishRead(operation, { kind: 'related', status: 200, operation, ...data })
}
