import { loadCollection } from '../load.ts'
import type { Operation } from '../operation.ts'
import type { ApiResponse, DataResponse } from '../response.ts'
import { askSubject, showRead } from './moments.ts'

/** https://jsonapi.org/format/1.1/#fetching-resources */
export async function fetchCollection(operation: Operation): Promise<ApiResponse> {
  const { query, context } = operation
  const { type } = operation.target
  const early = await askSubject(operation, null)
  if (early) return early
  const { page, members } = await loadCollection(type, query, context)
  const found: DataResponse = query.single
    ? { kind: 'data', status: 200, operation, data: members[0] ?? null }
    : { kind: 'data', status: 200, operation, data: members, page }
  return showRead(operation, found)
}
