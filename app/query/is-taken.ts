import type { Context, ResourceType, Row } from '#kernel/plugin'
import { compare, createQuery, not, unscoped } from '#kernel/queries'

/**
 * Whether another row has the values of these properties: also a row outside of the scope of the requester, but only
 * rows that meet `uniqueAmong`. Null counts as different from every value.
 */
export async function isTaken(
  type: ResourceType,
  properties: readonly string[],
  entity: object,
  context: Context,
): Promise<boolean> {
  const values = properties.map((property) => [property, toStored((entity as Row)[property])] as const)
  if (values.some(([, value]) => value === null || value === undefined)) return false
  const query = createQuery({ type })
  query.where.push(...values.map(([property, value]) => compare(property, '=', value)))
  if (type.uniqueAmong) query.where.push(type.uniqueAmong)
  const key = type.persister.keyOf(type, entity)
  if (key !== undefined && key !== null) query.where.push(not(compare(type.id.property, '=', key)))
  return (await type.provider.count(type, query, unscoped(context))) > 0
}

function toStored(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}
