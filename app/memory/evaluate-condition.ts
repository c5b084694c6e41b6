import type { Comparison, Condition, Row } from '#kernel/store'
import { filterToCondition, parseDate, parseDateTime } from '#kernel/store'

/**
 * Whether a row in memory meets a condition, with the meaning the store gives to it: a comparison that cannot be decided
 * is false, and its `not` is true. Only for conditions that `canEvaluate` accepts.
 */
export function evaluateCondition(row: Row, condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every((one) => evaluateCondition(row, one))
    case 'or':
      return condition.conditions.some((one) => evaluateCondition(row, one))
    case 'not':
      return !evaluateCondition(row, condition.condition)
    case 'null':
      return row[condition.property] === null || row[condition.property] === undefined
    case 'in':
      return itemsOf(row[condition.property]).some((item) => isAmong(item, condition.values))
    case 'compare':
      return itemsOf(row[condition.property]).some((item) => isSo(item, condition.operator, condition.value))
    case 'text':
      return itemsOf(row[condition.property]).some((item) => isIn(item, condition.match, condition.text))
    case 'native': {
      const plain = toPlain(condition.filter)
      return plain !== null && evaluateCondition(row, plain)
    }
    default:
      return false
  }
}

const leaves: ReadonlySet<string> = new Set<Condition['kind']>(['never', 'null', 'in', 'compare', 'text'])

/**
 * Whether rows in memory can be read under the condition. Where a part of it cannot be evaluated, the whole condition
 * must hold for no row: under a `not`, a part that counts as false would let rows through.
 */
export function canEvaluate(condition: Condition): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.conditions.every(canEvaluate)
  if (condition.kind === 'not') return canEvaluate(condition.condition)
  return condition.kind === 'native' ? toPlain(condition.filter) !== null : leaves.has(condition.kind)
}

function toPlain(filter: unknown): Condition | null {
  return filterToCondition(filter, () => true)
}

/** A list meets a condition when one of its items does. */
function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function isAmong(value: unknown, wanted: readonly unknown[]): boolean {
  return wanted.some((one) => isSo(value, '=', one))
}

function isSo(value: unknown, operator: Comparison, wanted: unknown): boolean {
  const order = orderOf(value, wanted)
  switch (order === null ? null : operator) {
    case '=':
      return order === 0
    case '!=':
      return order !== 0
    case '>':
      return (order as number) > 0
    case '>=':
      return (order as number) >= 0
    case '<':
      return (order as number) < 0
    case '<=':
      return (order as number) <= 0
    default:
      return false
  }
}

function isIn(value: unknown, match: 'contains' | 'starts' | 'ends', text: string): boolean {
  if (typeof value !== 'string' || typeof text !== 'string') return false
  const [inside, wanted] = [lower(value), lower(text)]
  if (match === 'starts') return inside.startsWith(wanted)
  return match === 'ends' ? inside.endsWith(wanted) : inside.includes(wanted)
}

/** ASCII letters only, as the store does. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Negative, zero or positive; null when the values cannot be compared: NaN, null, or values of different types. */
function orderOf(one: unknown, other: unknown): number | null {
  const isTime = one instanceof Date || other instanceof Date
  const [a, b] = isTime ? [timeOf(one), timeOf(other)] : [comparable(one), comparable(other)]
  if (a === null || b === null || familyOf(a) !== familyOf(b)) return null
  return a < b ? -1 : a > b ? 1 : 0
}

type Comparable = string | number | bigint | boolean

/** A value that can be compared with others of its family; null when it cannot. */
function comparable(value: unknown): Comparable | null {
  if (typeof value === 'number') return numberOrNull(value)
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean' ? value : null
}

/** The time of a date, or of a text that is one. */
function timeOf(value: unknown): number | null {
  if (value instanceof Date) return numberOrNull(value.getTime())
  const day = parseDate(value)
  return (day ? new Date(`${day}T00:00:00Z`) : parseDateTime(value))?.getTime() ?? null
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}

function familyOf(value: Comparable): string {
  return typeof value === 'bigint' ? 'number' : typeof value
}

/**
 * The order in which rows are sorted: values that can be compared, then those that cannot, kept apart by their type, and
 * null as the largest.
 */
export function compareValues(one: unknown, other: unknown): number {
  const order = orderOf(one, other)
  if (order !== null) return order
  const [a, b] = [rankOf(one), rankOf(other)]
  return a < b ? -1 : a > b ? 1 : 0
}

function rankOf(value: unknown): string {
  if (value === null || value === undefined) return '2'
  const known = value instanceof Date ? timeOf(value) : comparable(value)
  return known === null ? '1' : `0 ${value instanceof Date ? 'date' : familyOf(known)}`
}
