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
import { type Condition, plainCondition } from '#kernel'

/** A MikroORM filter over the entity's own scalar properties, as conditions; null when it says more than that. */
export function toCondition(filter: object, meta: EntityMetadata): Condition | null {
  return plainCondition(filter, (name) => isBare(meta.properties[name as never] as EntityProperty | undefined))
}

const bareTypes: readonly unknown[] = [BigIntType, DateType, DecimalType, DoubleType, IntervalType, UuidType]

/** Whether its values are compared as they are; any other type converts them in its own way. */
function isBare(property: EntityProperty | undefined): boolean {
  if (property?.kind !== 'scalar') return false
  return !property.customType || bareTypes.includes(property.customType.constructor)
}
