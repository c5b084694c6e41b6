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
import { all, any, type Comparison, type Condition, compare, isIn, isNull, not } from '#kernel'

const operators: Readonly<Record<string, Comparison>> = {
  $eq: '=',
  $ne: '!=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
}

/** A MikroORM filter over the entity's own scalar properties, as conditions; null when it says more than that. */
export function toCondition(filter: object, meta: EntityMetadata): Condition | null {
  if (!isPlain(filter)) return null
  return combine(Object.entries(filter).map(([key, value]) => member(key, value, meta)))
}

function member(key: string, value: unknown, meta: EntityMetadata): Condition | null {
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(value)) return null
    const parts = value.map((part) => toCondition(part, meta))
    return parts.every((part) => part !== null) ? (key === '$and' ? all : any)(...parts) : null
  }
  const property = meta.properties[key as never] as EntityProperty | undefined
  if (!property || !isBare(property)) return null
  if (value === null) return isNull(key)
  if (isScalar(value)) return compare(key, '=', value)
  return isPlain(value) ? combine(Object.entries(value).map(([name, operand]) => operation(key, name, operand))) : null
}

function operation(property: string, name: string, operand: unknown): Condition | null {
  if (name === '$eq' && operand === null) return isNull(property)
  if (name === '$ne' && operand === null) return not(isNull(property))
  if (operators[name] && isScalar(operand)) return compare(property, operators[name], operand)
  return name === '$in' && Array.isArray(operand) && operand.every(isScalar) ? isIn(property, operand) : null
}

const bareTypes: readonly unknown[] = [BigIntType, DateType, DecimalType, DoubleType, IntervalType, UuidType]

/** Whether its values are compared as they are; any other type converts them in its own way. */
function isBare({ kind, customType }: EntityProperty): boolean {
  return kind === 'scalar' && (!customType || bareTypes.includes(customType.constructor))
}

function combine(parts: readonly (Condition | null)[]): Condition | null {
  return parts.every((part) => part !== null) ? all(...parts) : null
}

function isPlain(value: unknown): value is Record<string, unknown> {
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined
  const plain = prototype === Object.prototype || prototype === null
  return plain && Object.getOwnPropertySymbols(value).length === 0
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) || value instanceof Date
}
