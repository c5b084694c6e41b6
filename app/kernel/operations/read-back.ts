import { resourceNotFound } from '../errors/core-errors.ts'
import type { Row } from '../model/field.ts'
import type { Operation } from '../model/operation.ts'
import { wireId } from '../model/resource-type.ts'
import type { ApiResponse } from '../model/response.ts'
import { loadOne } from '../read/load.ts'
import { loadRelations } from '../read/load-relations.ts'
import { checkWritten } from './written.ts'

/** The answer to a write is read like any other, inside its transaction, checked, and shows the row just written. */
export async function readBack(operation: Operation, key: unknown): Promise<ApiResponse> {
  const { query, context, target } = operation
  const { type } = target
  const mark = await context.writeScope(type)
  const record = await loadOne(type, key, query, context, { justWritten: true, ...(mark && { mark }) })
  if (!record) throw resourceNotFound({ type: type.name, id: type.codec.encode(key) })
  await checkWritten(operation, type, [key], [record])
  return showWritten(operation, record)
}

/** `isUnrelated` says that nothing refers to the row yet. */
export async function showWritten(operation: Operation, record: Row, isUnrelated = false): Promise<ApiResponse> {
  const { query, context, target, kind } = operation
  const { type } = target
  const data = { type, record }
  await loadRelations([data], query, context, isUnrelated)
  if (kind !== 'Create') return { kind: 'data', status: 200, operation, data }
  const base = context.request?.url.base ?? (context.server.baseUri || context.server.prefix)
  const location = `${base}/${type.uriType}/${encodeURIComponent(wireId(type, record))}`
  return { kind: 'data', status: 201, operation, data, headers: { Location: location } }
}
