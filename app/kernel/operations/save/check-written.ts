import { getOrCreate } from '../../lib/get-or-create.ts'
import { type Condition, everyCondition } from '../../model/condition.ts'
import type { Context } from '../../model/context.ts'
import type { Row } from '../../model/field.ts'
import { filterToCondition } from '../../model/filter-to-condition.ts'
import type { Operation } from '../../model/operation.ts'
import { denial } from '../../model/principal.ts'
import type { PropertyShape } from '../../model/provider.ts'
import { createQuery, type Query } from '../../model/query.ts'
import type { ResourceType } from '../../model/resource-type.ts'
import { markKey } from '../../model/selection.ts'
import { takeResources } from '../../read/document-budget.ts'

/** Checks the rows of other resources that the operation has written, before the commit: at most one statement per type. */
export async function checkRowChanges(operation: Operation): Promise<void> {
  for (const [type, keys] of operation.context.rowChanges.takeKeys()) await checkWritten(operation, type, keys, [])
}

/**
 * Throws a denial if a written row is outside of the writer's scope, or if a plugin refuses it. The rows hold
 * under `#within` whether they are in scope; rows without it are read again.
 */
export async function checkWritten(
  operation: Operation,
  type: ResourceType,
  keys: readonly unknown[],
  rows: readonly (Row | null)[],
): Promise<void> {
  const { context } = operation
  const mark = await context.writeScope(type)
  if (mark && !(await areWithin(type, keys, rows, mark, context))) {
    throw denial(context.principal, `A row of ${type.name} outside of the writer's scope`)
  }
  for (const plugin of context.app.hooksFor('onRowsWritten', type)) await plugin.onRowsWritten?.(operation, type, keys)
}

async function areWithin(
  type: ResourceType,
  keys: readonly unknown[],
  rows: readonly (Row | null)[],
  mark: Condition,
  context: Context,
): Promise<boolean> {
  if (areMarked(rows, keys)) return areAllWithin(rows)
  const read = await type.provider.many(type, keys, keyQuery(type), context, { justWritten: true, mark })
  if (areMarked(read, keys)) return areAllWithin(read)
  // A custom provider may ignore `mark`: the rows that it finds for the writer are in scope.
  const existing = await type.provider.many(type, keys, keyQuery(type), context, { addressed: true })
  return existing.length === keys.length
}

function areMarked(rows: readonly (Row | null)[], keys: readonly unknown[]): boolean {
  return rows.length === keys.length && rows.every((row) => row !== null && row[markKey] !== undefined)
}

function areAllWithin(rows: readonly (Row | null)[]): boolean {
  return rows.every((row) => row?.[markKey] === true)
}

/** Selects the key of a row alone. */
export function keyQuery(type: ResourceType): Query {
  return getOrCreate(keyQueries, type, () => {
    const query = createQuery({ type })
    query.fields = new Map([[type.name, new Set<string>()]])
    return query
  })
}

const keyQueries = new WeakMap<ResourceType, Query>()

/** Adds rows that a write has returned to the document. */
export function addReturned({ query, context, target: { type } }: Operation, rows: readonly Row[]): Row[] {
  takeResources(rows.length, query, context)
  return rows.map((row) => context.graph.member(type, row).record)
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
