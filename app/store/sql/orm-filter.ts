import {
  BigIntType,
  DateType,
  DecimalType,
  DoubleType,
  type EntityMetadata,
  type EntityProperty,
  IntervalType,
  UuidType,
} from '@mikro-orm/core'
import { type Condition, filterToCondition, type ResourceType } from '#kernel/store'
import type { Orm } from '../connection/types.ts'

/** A MikroORM filter over the entity's own scalar properties, as conditions; null when it says more than that. */
export function plainFilter(filter: object, meta: EntityMetadata): Condition | null {
  return filterToCondition(filter, (name) => isBare(meta.properties[name as never] as EntityProperty | undefined))
}

/** The same conditions; what is a plain filter of MikroORM's becomes one of ours. */
export function toPlain(conditions: readonly Condition[], type: ResourceType, orm: Orm): readonly Condition[] {
  if (!conditions.some(({ kind }) => kind === 'native')) return conditions
  const meta = orm.getMetadata().get(type.entity) as EntityMetadata
  return conditions.map((condition) =>
    condition.kind === 'native' ? (plainFilter(condition.filter, meta) ?? condition) : condition,
  )
}

const bareTypes: readonly unknown[] = [BigIntType, DateType, DecimalType, DoubleType, IntervalType, UuidType]

/** Whether its values are compared as they are; any other type converts them in its own way. */
function isBare(property: EntityProperty | undefined): boolean {
  if (property?.kind !== 'scalar') return false
  return !property.customType || bareTypes.includes(property.customType.constructor)
}
