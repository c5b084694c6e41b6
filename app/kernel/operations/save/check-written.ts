import type { Operation } from '../../contract/operation.ts'
import type { Context } from '../../data/context.ts'
import type { ReadOptions } from '../../data/provider.ts'
import { inWriteScopeKey } from '../../data/selection.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { keyQuery } from '../../read/key-query.ts'
import { type Condition, declaredNames, everyCondition } from '../../schema/condition.ts'
import type { PropertyShape } from '../../schema/entity-shape.ts'
import type { Row } from '../../schema/field.ts'
import { filterToCondition } from '../../schema/filter-to-condition.ts'
import { denial } from '../../schema/principal.ts'
import type { ResourceType } from '../../schema/resource-type.ts'

type Rows = readonly (Row | null)[]

/**
 * Checks the rows that the operation has written, before the commit: at most one statement per type. The changes that hooks
 * have made to entities are written before.
 */
export function checkRowChanges(operation: Operation): Awaitable<void> {
  const { unit, rowChanges } = operation.context
  if (unit.hasEntities || !rowChanges.isEmpty) return checkChanges(operation)
}

async function checkChanges(operation: Operation): Promise<void> {
  const { unit, rowChanges } = operation.context
  await unit.saveEntities()
  for (const [type, keys] of rowChanges.takeKeys()) await checkWritten(operation, type, keys, [])
}

/**
 * Throws a denial if a written row is outside of the writer's scope, or if a plugin refuses it. The rows hold under
 * `inWriteScopeKey` whether they are in scope; rows without it are read again.
 */
export function checkWritten(
  operation: Operation,
  type: ResourceType,
  keys: readonly unknown[],
  rows: Rows,
): Awaitable<void> {
  if (operation.context.writeScope(type) === undefined && type.steps.checkRows.written.length === 0) return
  return checkRows(operation, type, keys, rows)
}

async function checkRows(
  operation: Operation,
  type: ResourceType,
  keys: readonly unknown[],
  rows: Rows,
): Promise<void> {
  const { context } = operation
  const scope = await context.writeScope(type)
  if (scope && !(await areInScope(operation, type, keys, rows))) throw outOfScope(type, scope, context)
  for (const step of type.steps.checkRows.written) await step.check(operation, type, keys)
}

export function outOfScope({ name }: ResourceType, scope: Condition, { principal }: Context): Error {
  const names = declaredNames([scope])
  const cause = names.length > 0 ? `${names.join(' or ')} excludes the row after the write.` : ''
  return denial(principal, `A row of ${name} outside of the writer's scope`, cause)
}

/** How rows that the operation has written are read: with the mark whether they are in the scope of the writer. */
export async function writtenOptions(type: ResourceType, context: Context): Promise<ReadOptions> {
  const mark = await context.writeScope(type)
  return { justWritten: true, ...(mark && { mark }) }
}

async function areInScope(
  { context }: Operation,
  type: ResourceType,
  keys: readonly unknown[],
  rows: Rows,
): Promise<boolean> {
  const isMarked = (read: Rows) =>
    read.length === keys.length && read.every((row) => row?.[inWriteScopeKey] !== undefined)
  const isInScope = (row: Row | null) => row?.[inWriteScopeKey] === true
  if (isMarked(rows)) return rows.every(isInScope)
  const query = keyQuery(type)
  const reread = await type.provider.many(type, keys, query, context, await writtenOptions(type, context))
  if (isMarked(reread)) return reread.every(isInScope)
  // A custom provider may ignore `mark`: the rows that it finds for the writer are in scope.
  const visible = await type.provider.many(type, keys, query, context, { addressed: true })
  return visible.length === keys.length
}

/** Whether a write of other rows can move a row of the type out of the write scope, because the scope reads relations. */
export async function scopeReadsRelations(type: ResourceType, context: Context): Promise<boolean> {
  const scope = await context.writeScope(type)
  return scope !== undefined && !isOfOwnColumns(scope, type)
}

/** Whether a condition only compares columns of the row itself. */
function isOfOwnColumns(scope: Condition, type: ResourceType): boolean {
  return everyCondition(scope, (condition) => {
    if (condition.kind !== 'native') return condition.kind !== 'exists' && condition.kind !== 'pivot'
    return filterToCondition(condition.filter, (name) => isColumn(type.shape.properties.get(name))) !== null
  })
}

function isColumn(property: PropertyShape | undefined): boolean {
  return property?.role === 'scalar' || (property?.role === 'toOne' && property.owner)
}
