import { loadRelations } from '../load.ts'
import type { Operation } from '../operation.ts'
import { type ApiResponse, type DataResponse, membersOf } from '../response.ts'
import { askSubject, findRecord, showRead } from './moments.ts'

export async function fetchOne(operation: Operation): Promise<ApiResponse> {
  const { query, context } = operation
  const { type } = operation.target
  const record = await findRecord(operation)
  const early = await askSubject(operation, record)
  if (early) return early
  const found: DataResponse = { kind: 'data', status: 200, operation, data: { type, record } }
  const response = await showRead(operation, found)
  await loadRelations(membersOf(response), query, context)
  return response
}
