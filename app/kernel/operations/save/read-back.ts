import { resourceNotFound } from '../../errors/core-errors.ts'
import { isThenable } from '../../lib/awaitable.ts'
import type { Row } from '../../model/field.ts'
import type { Operation } from '../../model/operation.ts'
import { wireId } from '../../model/resource-type.ts'
import type { ApiResponse } from '../../model/response.ts'
import { addRows, loadOne } from '../../read/load.ts'
import { loadRelations } from '../../read/load-relations.ts'
import { checkWritten, writtenOptions } from './check-written.ts'

/**
 * The response to a write: the row is read inside the transaction, unless the write has returned it, and checked.
 * `isUnrelated`: no other row refers to it yet.
 */
export async function readBack(
  operation: Operation,
  key: unknown,
  returned?: Row,
  isUnrelated = false,
): Promise<ApiResponse> {
  const { query, context, target, kind } = operation
  const { type } = target
  const record = returned ?? (await readWritten(operation, key))
  const checking = checkWritten(operation, type, [key], [record])
  if (checking) await checking
  const adding = returned && addRows(type, [returned], query, context)
  if (adding && isThenable(adding)) await adding
  const data = { type, record }
  const loading = loadRelations([data], query, context, isUnrelated)
  if (loading) await loading
  if (kind !== 'Create') return { kind: 'data', status: 200, operation, data }
  const base = context.request?.url.base ?? (context.server.baseUri || context.server.prefix)
  const location = `${base}/${type.uriType}/${encodeURIComponent(wireId(type, record))}`
  return { kind: 'data', status: 201, operation, data, headers: { Location: location } }
}

async function readWritten({ query, context, target: { type } }: Operation, key: unknown): Promise<Row> {
  const record = await loadOne(type, key, query, context, await writtenOptions(type, context))
  if (!record) throw resourceNotFound({ type: type.name, id: type.codec.encode(key) })
  return record
}
