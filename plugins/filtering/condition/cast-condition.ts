import type { EntityShape, PropertyShape, ResourceType } from '#kernel/plugin'
import { type Condition, isObjectLiteral, mapCondition, type ParamValue, type RowFilter } from '#kernel/queries'
import { castTo } from './values.ts'

// Conditions that application code built from a client's value. Every value is converted to the type of its column,
// so that a text that the column cannot hold is a 400 and not a database error.

/**
 * Returns the condition with values that the columns can hold. Returns undefined if a value does not fit its column. Other texts
 * than those the client has sent are not converted in filters of the store: one that does not fit is a fault of the application.
 */
export function castValues(condition: Condition, type: ResourceType, sent: ParamValue): Condition | undefined {
  return castParts(condition, type, new Set(textsIn(sent)))
}

function textsIn(value: ParamValue): readonly string[] {
  return typeof value === 'string' ? [value] : Object.values(value).flatMap(textsIn)
}

function castParts(condition: Condition, { shape }: ResourceType, sent: ReadonlySet<string>): Condition | undefined {
  return mapCondition(condition, {
    compare: (part) => {
      const value = castValue(shape, part.property, part.value)
      return value === undefined ? undefined : { ...part, value }
    },
    in: (part) => {
      const values = part.values.map((value) => castValue(shape, part.property, value))
      return values.includes(undefined) ? undefined : { ...part, values }
    },
    exists: (part) => {
      if (!part.condition) return part
      const inner = castParts(part.condition, part.relation.target, sent)
      return inner && { ...part, condition: inner }
    },
    native: (part) => {
      const filter = castNode(part.filter, null, shape, sent)
      return filter === undefined ? undefined : { ...part, filter: filter as RowFilter<object> }
    },
  })
}

/** Does the same for a filter of the store. Conditions on rows of a polymorphic relation are not converted. */
export function castMatching<Where>(where: RowFilter<Where>, { shape }: ResourceType): RowFilter<Where> | undefined {
  const cast = castNode(where, null, shape)
  return cast as RowFilter<Where> | undefined
}

/** `property` is the one that the value is compared with; null at the start and inside of `$and`, `$or` and `$not`. */
function castNode(value: unknown, property: string | null, shape: EntityShape, sent: Sent = null): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => castNode(item, property, shape, sent))
    return items.includes(undefined) ? undefined : items
  }
  if (!isObjectLiteral(value)) {
    const isConverted = property !== null && value !== null && (typeof value !== 'string' || (sent?.has(value) ?? true))
    return isConverted ? castValue(shape, property, value) : value
  }
  const filter = value as Readonly<Record<string | symbol, unknown>>
  const entries = Reflect.ownKeys(filter).map(
    (key) => [key, castMember(key, filter[key], { property, shape, sent })] as const,
  )
  return entries.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(entries)
}

/** The texts of the client; null converts all texts. */
type Sent = ReadonlySet<string> | null

/** The part of a filter that a member belongs to. */
interface Place {
  readonly property: string | null
  readonly shape: EntityShape
  readonly sent: Sent
}

/** A symbol is the key of an SQL fragment. */
function castMember(key: string | symbol, value: unknown, { property, shape, sent }: Place): unknown {
  if (typeof key === 'symbol') return value
  if (property !== null && typeof value === 'string' && patternOperators.has(key)) {
    return castPattern(shape, property, value)
  }
  if (key.startsWith('$')) return convertedOperators.has(key) ? castNode(value, property, shape, sent) : value
  const { role, target } = shape.properties.get(key) ?? {}
  const related = target?.()
  if (related) return castNode(value, related.key, related, sent)
  return role === 'scalar' ? castNode(value, key, shape, sent) : value
}

const patternOperators = new Set(['$like', '$ilike', '$re'])
/** The operands of other operators do not have the type of the column, such as the text of `$fulltext`. */
const convertedOperators = new Set(
  ['and', 'or', 'not', 'some', 'every', 'none', 'eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin'].map(
    (name) => `$${name}`,
  ),
)

/** Returns the pattern if the column holds texts, also if it is an enum, of which the pattern is not a value. */
function castPattern(shape: EntityShape, property: string, pattern: string): string | undefined {
  return shape.properties.get(property)?.accepts(pattern) ? pattern : undefined
}

/** Converts texts; rejects lists, maps, and numbers that the column cannot hold (undefined); returns other values unchanged. */
function castValue(shape: EntityShape, property: string, value: unknown): unknown {
  if (Array.isArray(value) || isObjectLiteral(value)) return undefined
  const column = shape.properties.get(property)
  if (typeof value === 'number') return isComparable(value, column) ? value : undefined
  return column && typeof value === 'string' ? castTo(column, value) : value
}

/** Columns that hold texts in JSON, such as `numeric`, can be compared with every finite number. */
function isComparable(value: number, column: PropertyShape | undefined): boolean {
  return Number.isFinite(value) && (!column?.accepts(0) || column.accepts(value))
}
