import type { Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { findRecord } from './find.ts'
import { finishRead, runChecks } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-resources */
export async function fetchOne(operation: Operation): Promise<ApiResponse> {
  const { type } = operation.target
  const record = await findRecord(operation) // 404
  const checked = runChecks(operation, record) // 403
  const early = checked && (await checked)
  if (early) return early
  return finishRead(operation, { kind: 'data', status: 200, operation, data: { type, record } })
}
