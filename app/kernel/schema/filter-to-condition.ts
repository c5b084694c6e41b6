import { all, any, type Comparison, type Condition, compare, isIn, isNull, native, never, not } from './condition.ts'
import type { EntityShape } from './entity-shape.ts'

const operators: Readonly<Record<string, Comparison>> = {
  $eq: '=',
  $ne: '!=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
}

/**
 * Converts a native condition that compares columns whose values are compared unchanged. Other conditions stay as they are,
 * the same object.
 */
export function convertNative(condition: Condition, { properties }: EntityShape): Condition {
  if (condition.kind !== 'native') return condition
  const { filter, declaredBy } = condition
  const converted = filterToCondition(filter, (name) => properties.get(name)?.comparesUnchanged === true)
  if (!converted) return condition
  return declaredBy === undefined ? converted : { ...converted, declaredBy }
}

/** Converts a filter of the store to a condition. Null if it uses other operators, or properties that `isColumn` rejects. */
export function filterToCondition(filter: unknown, isColumn: (property: string) => boolean): Condition | null {
  if (!isFilterObject(filter)) return null
  const parts: Condition[] = []
  for (const key of Object.keys(filter)) {
    const part = member(key, filter[key], isColumn)
    if (!part) return null
    parts.push(part)
  }
  return join(parts)
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
  return isFilterObject(value) ? operations(key, value) : null
}

function operations(property: string, operands: Readonly<Record<string, unknown>>): Condition | null {
  const parts: Condition[] = []
  for (const name of Object.keys(operands)) {
    const part = operation(property, name, operands[name])
    if (!part) return null
    parts.push(part)
  }
  return join(parts)
}

function operation(property: string, name: string, operand: unknown): Condition | null {
  if (name === '$eq' && operand === null) return isNull(property)
  if (name === '$ne' && operand === null) return not(isNull(property))
  if (operators[name] && isScalar(operand)) return compare(property, operators[name], operand)
  return name === '$in' && Array.isArray(operand) && operand.every(isScalar) ? isIn(property, operand) : null
}

function join(parts: readonly Condition[]): Condition {
  const [first] = parts
  return first && parts.length === 1 ? first : all(...parts)
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
 * the store would ignore it.
 */
export function scopeCondition(result: unknown, declaredBy?: string): Condition | undefined {
  if (result === true) return undefined
  return isObjectLiteral(result) && isComplete(result) ? native(result, declaredBy) : never
}

/** Quantifiers of a to-many relation. Their empty filter matches any member. */
const quantifiers: readonly unknown[] = ['$some', '$none', '$every']

/** Whether a part of a filter is neither undefined nor empty. */
function isComplete(value: unknown, key?: string | symbol): boolean {
  if (typeof value !== 'object' || value === null) return value !== undefined
  if (Array.isArray(value)) {
    if (value.length === 0 && (key === '$and' || key === '$or')) return false
    return value.every((item) => isComplete(item))
  }
  if (!isObjectLiteral(value)) return true
  const keys = Reflect.ownKeys(value)
  if (keys.length === 0) return quantifiers.includes(key)
  for (const name of keys) if (!isComplete(value[name as string], name)) return false
  return true
}
