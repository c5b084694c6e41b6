import type { Comparison, Condition } from './condition.ts'
import type { Rec } from './fields/definition.ts'
import { plainCondition } from './plain-filter.ts'

/** Whether a row in memory meets a condition, with the meaning the store gives to it. */
export function meets(row: Rec, condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every((one) => meets(row, one))
    case 'or':
      return condition.conditions.some((one) => meets(row, one))
    case 'not':
      return !meets(row, condition.condition)
    case 'never':
      return false
    case 'null':
      return row[condition.property] === null || row[condition.property] === undefined
    case 'in':
      return itemsOf(row[condition.property]).some((item) => condition.values.includes(item))
    case 'compare':
      return itemsOf(row[condition.property]).some((item) => isSo(item, condition.operator, condition.value))
    case 'text':
      return itemsOf(row[condition.property]).some((item) => isIn(item, condition.match, condition.text))
    case 'native':
      return meets(row, plainOrFail(condition.filter))
    default:
      throw new Error(`Rows in memory cannot be read under a condition of the kind '${condition.kind}'.`)
  }
}

function plainOrFail(filter: unknown): Condition {
  const condition = plainCondition(filter, () => true)
  if (!condition) throw new Error('Rows in memory can be filtered by comparisons of their own properties only.')
  return condition
}

/** A list meets a condition when one of its items does. */
function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** Null meets no comparison. */
function isSo(value: unknown, operator: Comparison, wanted: unknown): boolean {
  if (value === null || value === undefined || wanted === null) return false
  const order = compareValues(value, wanted)
  if (operator === '=') return order === 0
  if (operator === '!=') return order !== 0
  if (operator === '>') return order > 0
  if (operator === '>=') return order >= 0
  return operator === '<' ? order < 0 : order <= 0
}

function isIn(value: unknown, match: 'contains' | 'starts' | 'ends', text: string): boolean {
  if (typeof value !== 'string') return false
  const [inside, wanted] = [lower(value), lower(text)]
  if (match === 'starts') return inside.startsWith(wanted)
  return match === 'ends' ? inside.endsWith(wanted) : inside.includes(wanted)
}

/** ASCII letters only, as the store does. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Null counts as the largest value. */
export function compareValues(one: unknown, other: unknown): number {
  const [a, b] = [plain(one), plain(other)]
  if (a === b) return 0
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1
  if (b === null || b === undefined) return -1
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0
}

function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}
