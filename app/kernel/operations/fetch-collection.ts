import type { Operation } from '../model/operation.ts'
import type { ApiResponse, DataResponse } from '../model/response.ts'
import { collectionRowLimit } from '../read/document-budget.ts'
import { filterPages } from '../read/filter-rows.ts'
import { addCollection } from '../read/load.ts'
import { runSubjectLoaded, showRead } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-resources */
export async function fetchCollection(operation: Operation): Promise<ApiResponse> {
  const { query, context } = operation
  const { type } = operation.target
  const checking = runSubjectLoaded(operation, null)
  const early = checking && (await checking)
  if (early) return early
  query.rowLimit = collectionRowLimit(query, context)
  const read = await type.provider.collection(type, query, context)
  const [page = read] = type.checksEachRow ? await filterPages([read], [type], context) : [read]
  const presenting = addCollection(type, page, query, context)
  const members = presenting instanceof Promise ? await presenting : presenting
  const found: DataResponse = query.single
    ? { kind: 'data', status: 200, operation, data: members[0] ?? null }
    : { kind: 'data', status: 200, operation, data: members, page }
  return await showRead(operation, found)
}
