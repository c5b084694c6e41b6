import {
  type Comparison,
  type Condition,
  type ConditionVisitor,
  everyCondition,
  filterToCondition,
  parseDate,
  parseDateTime,
  type Row,
  visitCondition,
} from '#kernel/store'

/**
 * Whether a row in memory meets a condition, with the meaning it has in the store: a comparison of values that cannot be
 * compared is false, and its negation is true. Only for conditions that `canEvaluate` accepts.
 */
export function evaluateCondition(row: Row, condition: Condition): boolean {
  return visitCondition(condition, evaluators, row)
}

const evaluators: ConditionVisitor<boolean, Row> = {
  and: ({ conditions }, row) => conditions.every((part) => evaluateCondition(row, part)),
  or: ({ conditions }, row) => conditions.some((part) => evaluateCondition(row, part)),
  not: ({ condition }, row) => !evaluateCondition(row, condition),
  null: ({ property }, row) => row[property] === null || row[property] === undefined,
  in: ({ property, values }, row) =>
    toItems(row[property]).some((item) => values.some((value) => compares(item, '=', value))),
  compare: ({ property, operator, value }, row) =>
    toItems(row[property]).some((item) => compares(item, operator, value)),
  text: ({ property, match, text }, row) => toItems(row[property]).some((item) => matchesText(item, match, text)),
  pivot: ({ condition }, row) => evaluateCondition((row[pivotKey] ?? {}) as Row, condition),
  native: ({ filter }, row) => {
    const condition = nativeCondition(filter)
    return condition !== null && evaluateCondition(row, condition)
  },
  never: () => false,
  exists: () => false,
}

/** Holds the pivot row of a member while conditions and sort terms are evaluated. */
export const pivotKey = '#pivot'

/**
 * Whether rows in memory can be read under the condition. If a part of it cannot be evaluated, no row may be returned:
 * under a `not`, a part that counts as false would let rows through.
 */
export function canEvaluate(condition: Condition, hasPivot = false): boolean {
  return everyCondition(condition, (part) => {
    if (part.kind === 'native') return nativeCondition(part.filter) !== null
    return part.kind in evaluators && part.kind !== 'exists' && (part.kind !== 'pivot' || hasPivot)
  })
}

function nativeCondition(filter: unknown): Condition | null {
  return filterToCondition(filter, () => true)
}

/** A list meets a condition if one of its items does. */
function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function compares(value: unknown, operator: Comparison, operand: unknown): boolean {
  const order = compareTwo(value, operand)
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

function matchesText(value: unknown, match: 'contains' | 'starts' | 'ends', text: string): boolean {
  if (typeof value !== 'string' || typeof text !== 'string') return false
  const [searched, part] = [lower(value), lower(text)]
  if (match === 'starts') return searched.startsWith(part)
  return match === 'ends' ? searched.endsWith(part) : searched.includes(part)
}

/** Changes ASCII letters only, as the store does. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Negative, zero or positive. Null if the values cannot be compared: NaN, null, or values of different types. */
function compareTwo(one: unknown, other: unknown): number | null {
  const isTime = one instanceof Date || other instanceof Date
  const [a, b] = isTime ? [toTime(one), toTime(other)] : [comparable(one), comparable(other)]
  if (a === null || b === null || toFamily(a) !== toFamily(b)) return null
  return a < b ? -1 : a > b ? 1 : 0
}

type Comparable = string | number | bigint | boolean

/** The value, if it can be compared with values of its family. Null if it cannot. */
function comparable(value: unknown): Comparable | null {
  if (typeof value === 'number') return numberOrNull(value)
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean' ? value : null
}

/** The time of a Date, or of a text in the form of a date. */
function toTime(value: unknown): number | null {
  if (value instanceof Date) return numberOrNull(value.getTime())
  const day = parseDate(value)
  return (day ? new Date(`${day}T00:00:00Z`) : parseDateTime(value))?.getTime() ?? null
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}

function toFamily(value: Comparable): string {
  return typeof value === 'bigint' ? 'number' : typeof value
}

/** The sort order: comparable values, grouped by type if their types differ, then incomparable ones, then null. */
export function compareValues(one: unknown, other: unknown): number {
  const order = compareTwo(one, other)
  if (order !== null) return order
  const [a, b] = [toRank(one), toRank(other)]
  return a < b ? -1 : a > b ? 1 : 0
}

function toRank(value: unknown): string {
  if (value === null || value === undefined) return '2'
  const compared = value instanceof Date ? toTime(value) : comparable(value)
  return compared === null ? '1' : `0 ${value instanceof Date ? 'date' : toFamily(compared)}`
}
