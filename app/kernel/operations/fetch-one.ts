import type { Operation } from '../model/operation.ts'
import type { ApiResponse, DataResponse } from '../model/response.ts'
import { findRecord } from './find.ts'
import { runSubjectLoaded, showRead } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-resources */
export async function fetchOne(operation: Operation): Promise<ApiResponse> {
  const { type } = operation.target
  const record = await findRecord(operation)
  const checking = runSubjectLoaded(operation, record)
  const early = checking && (await checking)
  if (early) return early
  const found: DataResponse = { kind: 'data', status: 200, operation, data: { type, record } }
  return await showRead(operation, found)
}
