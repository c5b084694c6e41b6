import { all, any, type Comparison, type Condition, compare, isIn, isNull, not } from './condition.ts'

const operators: Readonly<Record<string, Comparison>> = {
  $eq: '=',
  $ne: '!=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
}

/** A MikroORM filter over properties that are compared as they are, as a condition; null when it says more than that. */
export function plainCondition(filter: unknown, isBare: (property: string) => boolean): Condition | null {
  if (!isPlain(filter)) return null
  return combine(Object.entries(filter).map(([key, value]) => member(key, value, isBare)))
}

function member(key: string, value: unknown, isBare: (property: string) => boolean): Condition | null {
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(value)) return null
    const parts = value.map((part) => plainCondition(part, isBare))
    return parts.every((part) => part !== null) ? (key === '$and' ? all : any)(...parts) : null
  }
  if (!isBare(key)) return null
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
