import type { Relation, Row } from '../model/field.ts'
import type { Operation } from '../model/operation.ts'
import { relationQuery } from '../model/query.ts'
import type { ApiResponse } from '../model/response.ts'
import { loadRelation } from '../read/load-relation.ts'
import { checkShown, findParent } from './find.ts'
import { runSubjectLoaded } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-relationships: identifiers only. */
export async function fetchRelationship(operation: Operation): Promise<ApiResponse> {
  const parent = await findParent(operation) // 404
  const early = await runSubjectLoaded(operation, parent) // 403
  checkShown(operation, parent) // 404
  return early ?? readLinkage(operation, parent)
}

export async function readLinkage(operation: Operation, parent: Row): Promise<ApiResponse> {
  const { query, context, target } = operation
  const relation = target.relation as Relation
  const load = { relation, parents: [parent], primary: true, query: relationQuery(query, true) }
  await loadRelation(load, query, context)
  const edge = context.graph.get(parent, relation) ?? { members: [] }
  return { kind: 'identifier', status: 200, operation, parent, relation, edge }
}
