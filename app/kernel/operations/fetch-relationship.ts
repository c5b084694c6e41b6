import type { Operation } from '../contract/operation.ts'
import type { ApiResponse } from '../contract/response.ts'
import { relationQuery } from '../data/create-query.ts'
import type { RelationQuery } from '../data/query.ts'
import { parentOptions } from '../read/joined-page.ts'
import { loadRelation } from '../read/load-relation.ts'
import type { Relation, Row } from '../schema/field.ts'
import { checkShown, findParent } from './find.ts'
import { runChecks } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-relationships: identifiers only. */
export async function fetchRelationship(operation: Operation): Promise<ApiResponse> {
  const query = relationQuery(operation.query, true)
  const parent = await findParent(operation, parentOptions(operation, query)) // 404
  const early = await runChecks(operation, parent) // 403
  checkShown(operation, parent) // 404
  return early ?? fetchLinkage(operation, parent, query)
}

export async function fetchLinkage(
  operation: Operation,
  parent: Row,
  query: RelationQuery = relationQuery(operation.query, true),
): Promise<ApiResponse> {
  const { query: base, context, target } = operation
  const relation = target.relation as Relation
  await loadRelation({ relation, parents: [parent], primary: true, query }, base, context)
  const edge = context.graph.get(parent, relation) ?? { members: [] }
  return { kind: 'identifier', status: 200, operation, parent, relation, edge }
}
