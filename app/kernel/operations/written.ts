import type { Row } from '../model/field.ts'
import type { Operation } from '../model/operation.ts'
import { denial } from '../model/principal.ts'
import { createQuery } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { withinKey } from '../model/selection.ts'

/** Checks rows of other resources that the operation has written, before the commit: one statement per type at most. */
export async function checkRowChanges(operation: Operation): Promise<void> {
  const { context } = operation
  for (const [type, keys] of context.rowChanges.takeKeys()) {
    const mark = await context.writeScope(type)
    const rows = mark ? await type.provider.many(type, keys, keyQuery(type), context, { justWritten: true, mark }) : []
    await checkWritten(operation, type, keys, rows)
  }
}

/**
 * Refuses an operation that has left a row outside of the writer's scope, or in a state that a plugin refuses. The rows
 * were read after the write and say under `#within` whether they are in scope.
 */
export async function checkWritten(
  operation: Operation,
  type: ResourceType,
  keys: readonly unknown[],
  rows: readonly (Row | null)[],
): Promise<void> {
  const { context } = operation
  if ((await context.writeScope(type)) && !(await areWithin(operation, type, keys, rows))) {
    throw denial(context.principal, `A row of ${type.name} outside of the writer's scope`)
  }
  for (const plugin of context.app.hooksFor('onRowsWritten', type)) await plugin.onRowsWritten?.(operation, type, keys)
}

async function areWithin(
  { context }: Operation,
  type: ResourceType,
  keys: readonly unknown[],
  rows: readonly (Row | null)[],
): Promise<boolean> {
  if (areMarked(rows, keys)) return areAllWithin(rows)
  const mark = await context.writeScope(type)
  const read = await type.provider.many(type, keys, keyQuery(type), context, {
    justWritten: true,
    ...(mark && { mark }),
  })
  if (areMarked(read, keys)) return areAllWithin(read)
  // A provider of the author's own that does not mark rows is asked which of them exist for the writer.
  const existing = await type.provider.many(type, keys, keyQuery(type), context, { addressed: true })
  return existing.length === keys.length
}

function areMarked(rows: readonly (Row | null)[], keys: readonly unknown[]): boolean {
  return rows.length === keys.length && rows.every((row) => row !== null && row[withinKey] !== undefined)
}

function areAllWithin(rows: readonly (Row | null)[]): boolean {
  return rows.every((row) => row?.[withinKey] === true)
}

function keyQuery(type: ResourceType) {
  const query = createQuery({ type })
  query.fields = new Map([[type.name, new Set<string>()]])
  return query
}
