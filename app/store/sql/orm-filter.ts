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

/** Converts a MikroORM filter over scalar properties of the entity to a condition. Null if it uses more than that. */
export function columnFilter(filter: object, meta: EntityMetadata): Condition | null {
  return filterToCondition(filter, (name) => isBare(meta.properties[name as never] as EntityProperty | undefined))
}

/** Converts native conditions that are plain filters. Other conditions stay as they are. */
export function convertColumnFilters(
  conditions: readonly Condition[],
  type: ResourceType,
  orm: Orm,
): readonly Condition[] {
  if (!conditions.some(({ kind }) => kind === 'native')) return conditions
  const meta = orm.getMetadata().get(type.entity) as EntityMetadata
  return conditions.map((condition) => {
    const converted = condition.kind === 'native' ? columnFilter(condition.filter, meta) : null
    return converted ? { ...converted, ...(condition.declaredBy && { declaredBy: condition.declaredBy }) } : condition
  })
}

const bareTypes: readonly unknown[] = [BigIntType, DateType, DecimalType, DoubleType, IntervalType, UuidType]

/** Whether values of the property are compared unchanged: its type does not convert them. */
function isBare(property: EntityProperty | undefined): boolean {
  if (property?.kind !== 'scalar') return false
  return !property.customType || bareTypes.includes(property.customType.constructor)
}
