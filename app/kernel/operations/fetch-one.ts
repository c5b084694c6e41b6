import type { Operation } from '../contract/operation.ts'
import type { ApiResponse } from '../contract/response.ts'
import { findQueryPlan } from '../plan/create-query-plan.ts'
import { addRows } from '../read/load.ts'
import { isOfType } from '../schema/resource-type.ts'
import { notFound } from './find.ts'
import { finishRead, runChecks } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-resources */
export async function fetchOne(operation: Operation): Promise<ApiResponse> {
  const { target, query, context, plan } = operation
  const { type, id = '' } = target
  const key = type.codec.decode(id)
  const { addressed } = query.plan ?? findQueryPlan(context.app, operation)
  const record = key === undefined ? null : await type.provider.one(type, key, query, context, addressed)
  if (!record) return notFound(type, id) // 404
  const added = addRows(type, [record], query, context)
  if (type.provider.complete) await added
  if (type.declaration.typeOf && !isOfType(record, type)) return notFound(type, id) // 404
  const checked = plan.check.length > 0 ? runChecks(operation, record) : undefined // 403
  const early = checked && (await checked)
  if (early) return early
  return finishRead(operation, { kind: 'data', status: 200, operation, data: { type, record } })
}
