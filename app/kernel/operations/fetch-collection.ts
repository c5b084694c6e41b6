import type { Operation } from '../contract/operation.ts'
import type { ApiResponse } from '../contract/response.ts'
import type { Page } from '../data/query.ts'
import { isThenable } from '../lib/awaitable.ts'
import { filterPages } from '../read/filter-rows.ts'
import { addRows } from '../read/load.ts'
import { finishRead, runChecks } from './hooks.ts'

/** https://jsonapi.org/format/1.1/#fetching-resources */
export async function fetchCollection(operation: Operation): Promise<ApiResponse> {
  const { query, context, target, plan } = operation
  const { type } = target
  const checked = plan.check.length > 0 ? runChecks(operation, null) : undefined // 403
  const early = checked && (await checked)
  if (early) return early
  const limited = { ...query, rowLimit: context.budget.rowLimit(query, context) }
  const read = await type.provider.collection(type, limited, context)
  const [page] = (type.filtersRowsAfterRead ? await filterPages([read], [type], context) : [read]) as [Page]
  const added = addRows(type, page.records, query, context)
  const members = isThenable(added) ? await added : added
  const data = query.single ? { data: members[0] ?? null } : { data: members, page }
  return finishRead(operation, { kind: 'data', status: 200, operation, ...data })
}
