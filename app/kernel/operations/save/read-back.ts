import type { Operation } from '../../contract/operation.ts'
import type { ApiResponse } from '../../contract/response.ts'
import type { Member } from '../../data/graph.ts'
import { resourceNotFound } from '../../errors/core-errors.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { addRows, loadOne } from '../../read/load.ts'
import { loadRelations } from '../../read/load-relations.ts'
import type { Row } from '../../schema/field.ts'
import { wireId } from '../../schema/resource-type.ts'
import { isInRow } from '../hooks.ts'
import { resolveLocation } from '../resolve-location.ts'
import { checkWritten, writtenOptions } from './check-written.ts'

/**
 * The response to a write: the row is read inside the transaction, unless the write has returned it, and checked. No other row
 * refers to a new one that was returned.
 */
export function readBack(operation: Operation, key: unknown, returned: Row | null = null): Awaitable<ApiResponse> {
  if (!returned) return readAndShow(operation, key)
  const checking = checkWritten(operation, operation.target.type, [key], [returned])
  return checking ? checking.then(() => addAndShow(operation, returned)) : addAndShow(operation, returned)
}

async function readAndShow(operation: Operation, key: unknown): Promise<ApiResponse> {
  const row = await readWritten(operation, key)
  await checkWritten(operation, operation.target.type, [key], [row])
  return loadAndShow(operation, row, false)
}

/** Adds a row that the write has returned to the document. */
function addAndShow(operation: Operation, record: Row): Awaitable<ApiResponse> {
  const { query, context, target, kind } = operation
  const isNew = kind === 'Create'
  const adding = addRows(target.type, [record], query, context)
  if (adding instanceof Promise) return adding.then(() => loadAndShow(operation, record, isNew))
  return loadAndShow(operation, record, isNew)
}

function loadAndShow(operation: Operation, record: Row, isUnrelated: boolean): Awaitable<ApiResponse> {
  const { query, context, target } = operation
  const data = { type: target.type, record }
  const loading = isInRow(operation, 1) ? undefined : loadRelations([data], query, context, isUnrelated)
  return loading ? loading.then(() => toResponse(operation, data)) : toResponse(operation, data)
}

function toResponse(operation: Operation, data: Member): ApiResponse {
  const { context, kind } = operation
  if (kind !== 'Create') return { kind: 'data', status: 200, operation, data }
  const { type, record } = data
  const location = `/${type.uriType}/${encodeURIComponent(wireId(type, record))}`
  return { kind: 'data', status: 201, operation, data, headers: { Location: resolveLocation(location, context) } }
}

async function readWritten({ query, context, target: { type } }: Operation, key: unknown): Promise<Row> {
  const record = await loadOne(type, key, query, context, await writtenOptions(type, context))
  if (!record) throw resourceNotFound({ type: type.name, id: type.codec.encode(key) })
  return record
}
