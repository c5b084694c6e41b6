import { all, any, type Comparison, type Condition, compare, isIn, isNull, native, never, not } from './condition.ts'

const operators: Readonly<Record<string, Comparison>> = {
  $eq: '=',
  $ne: '!=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
}

/** Converts a MikroORM filter to a condition. Null if it uses other operators, or properties that `isColumn` rejects. */
export function filterToCondition(filter: unknown, isColumn: (property: string) => boolean): Condition | null {
  return isFilterObject(filter) ? combine(filter, (key, value) => member(key, value, isColumn)) : null
}

function member(key: string, value: unknown, isColumn: (property: string) => boolean): Condition | null {
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(value)) return null
    const parts = value.map((part) => filterToCondition(part, isColumn))
    return parts.every((part) => part !== null) ? (key === '$and' ? all : any)(...parts) : null
  }
  if (!isColumn(key)) return null
  if (value === null) return isNull(key)
  if (isScalar(value)) return compare(key, '=', value)
  return isFilterObject(value) ? combine(value, (name, operand) => operation(key, name, operand)) : null
}

function operation(property: string, name: string, operand: unknown): Condition | null {
  if (name === '$eq' && operand === null) return isNull(property)
  if (name === '$ne' && operand === null) return not(isNull(property))
  if (operators[name] && isScalar(operand)) return compare(property, operators[name], operand)
  return name === '$in' && Array.isArray(operand) && operand.every(isScalar) ? isIn(property, operand) : null
}

function combine(
  members: Readonly<Record<string, unknown>>,
  read: (key: string, value: unknown) => Condition | null,
): Condition | null {
  const parts: Condition[] = []
  for (const key of Object.keys(members)) {
    const part = read(key, members[key])
    if (!part) return null
    parts.push(part)
  }
  return all(...parts)
}

function isFilterObject(value: unknown): value is Record<string, unknown> {
  return isObjectLiteral(value) && Object.getOwnPropertySymbols(value).length === 0
}

/** Whether the value is an object literal: its prototype is null or that of `Object`, of any realm. */
export function isObjectLiteral(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function isScalar(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
      return true
    default:
      return value instanceof Date
  }
}

/**
 * Converts the result of a declared scope to a condition. Undefined for `true`, which means all rows. Fails closed: any
 * other result that is not a filter matches no row, and so does a filter that is empty or has an undefined value, because
 * MikroORM would ignore it.
 */
export function scopeCondition(result: unknown, declaredBy?: string): Condition | undefined {
  if (result === true) return undefined
  return isObjectLiteral(result) && isComplete(result) ? native(result, declaredBy) : never
}

/** Quantifiers of a to-many relation. Their empty filter matches any member. */
const quantifiers: readonly unknown[] = ['$some', '$none', '$every']

/** Whether a part of a filter is neither undefined nor empty. */
function isComplete(value: unknown, key?: string | symbol): boolean {
  if (value === undefined) return false
  if (Array.isArray(value)) {
    if (value.length === 0 && (key === '$and' || key === '$or')) return false
    return value.every((item) => isComplete(item))
  }
  if (!isObjectLiteral(value)) return true
  const keys = Reflect.ownKeys(value)
  if (keys.length === 0) return quantifiers.includes(key)
  return keys.every((name) => isComplete(value[name as string], name))
}
