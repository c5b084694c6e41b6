import type { Operation } from '../model/operation.ts'
import type { ApiResponse, DataResponse } from '../model/response.ts'
import { findRecord, runSubjectLoaded, showRead } from './hooks.ts'

export async function fetchOne(operation: Operation): Promise<ApiResponse> {
  const { type } = operation.target
  const record = await findRecord(operation)
  const asking = runSubjectLoaded(operation, record)
  const early = asking && (await asking)
  if (early) return early
  const found: DataResponse = { kind: 'data', status: 200, operation, data: { type, record } }
  return await showRead(operation, found)
}
