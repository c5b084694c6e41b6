import { evaluateCondition } from '#app/memory/evaluate-condition.ts'
import type { ResourceType } from '#kernel'
import { compare, isIn, isNull, textMatch } from '#kernel'
import type { Row } from '#kernel/store'
import type { Drawn, DrawnComparison, DrawnValue } from './random-expression.ts'
import type { StoredRows } from './stored-rows.ts'

/** Whether a requester may see a row as a member of a relation. */
export type IsVisible = (type: ResourceType, row: Row) => boolean

/** Whether a row matches an expression, evaluated in memory for a requester. */
export function matches(drawn: Drawn, row: Row, rows: StoredRows, isVisible: IsVisible): boolean {
  const evaluate = (part: Drawn, subject: Row): boolean => {
    switch (part.kind) {
      case 'and':
        return part.parts.every((one) => evaluate(one, subject))
      case 'or':
        return part.parts.some((one) => evaluate(one, subject))
      case 'not':
        return !evaluate(part.part, subject)
      case 'has': {
        const { relation, part: inner } = part
        const members = rows.related(relation, subject).filter((member) => isVisible(relation.target, member))
        return members.some((member) => inner === null || evaluate(inner, member))
      }
      case 'comparison': {
        const [relation, ...path] = part.path
        if (!relation) return compareRow(part, subject, rows)
        return evaluate({ kind: 'has', relation, part: { ...part, path } }, subject)
      }
    }
  }
  return evaluate(drawn, row)
}

const comparisons = { eq: '=', ne: '!=', gt: '>', ge: '>=', lt: '<', le: '<=' } as const

function compareRow({ attribute, operator, values }: DrawnComparison, row: Row, rows: StoredRows): boolean {
  const name = attribute?.name ?? 'id'
  const converted = values.map((value) => (attribute ? storedForm(attribute.kind, value) : value))
  const [value] = converted
  const stored = attribute ? row : { id: String(row.id) }
  switch (operator) {
    case 'null':
      return evaluateCondition(stored, isNull(name))
    case 'in':
      return evaluateCondition(stored, isIn(name, converted))
    case 'contains':
    case 'starts':
    case 'ends':
      return evaluateCondition(stored, textMatch(name, operator, String(value)))
    case 'eq':
    case 'ne':
      return evaluateCondition(stored, compare(name, comparisons[operator], value))
    default:
      if (attribute?.kind === 'string') return compareTexts(row[name], operator, String(value), rows)
      return evaluateCondition(stored, compare(name, comparisons[operator], value))
  }
}

/** Times are compared as texts with microseconds, which a Date does not have. */
function storedForm(kind: string, value: DrawnValue): DrawnValue {
  if (kind !== 'dateTime') return value
  const [seconds = '', fraction = ''] = String(value).replace('Z', '').split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}

function compareTexts(stored: unknown, operator: 'gt' | 'ge' | 'lt' | 'le', value: string, { isBefore }: StoredRows) {
  if (typeof stored !== 'string') return false
  if (stored === value) return operator === 'ge' || operator === 'le'
  return operator === 'gt' || operator === 'ge' ? isBefore(value, stored) : isBefore(stored, value)
}
