import type { FilterQuery } from '@mikro-orm/core'
import { all, any, type Condition, isPlainObject, not, type ResourceType } from '#kernel/plugin'
import { castTo } from './values.ts'

// Conditions that application code built from a client's value. Every value is converted to the type of its column,
// so that a text that the column cannot hold is a 400 and not a database error.

/** Returns the condition with converted values; undefined if a column cannot hold its value. */
export function castValues(condition: Condition, type: ResourceType): Condition | undefined {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const parts = condition.conditions.flatMap((part) => castValues(part, type) ?? [])
      if (parts.length < condition.conditions.length) return undefined
      return condition.kind === 'and' ? all(...parts) : any(...parts)
    }
    case 'not': {
      const inner = castValues(condition.condition, type)
      return inner && not(inner)
    }
    case 'compare': {
      const value = castValue(type, condition.property, condition.value)
      return value === undefined ? undefined : { ...condition, value }
    }
    case 'in': {
      const values = condition.values.map((value) => castValue(type, condition.property, value))
      return values.includes(undefined) ? undefined : { ...condition, values }
    }
    case 'exists': {
      const { relation } = condition
      const inner = condition.condition && castValues(condition.condition, relation.target)
      return condition.condition && !inner ? undefined : { ...condition, ...(inner && { condition: inner }) }
    }
    default:
      return condition
  }
}

/** Does the same for a MikroORM filter. Converts only properties of the row itself, not of its relations. */
export function castMatching<Where>(where: FilterQuery<Where>, type: ResourceType): FilterQuery<Where> | undefined {
  const cast = castNode(where, null, type)
  return cast as FilterQuery<Where> | undefined
}

function castNode(value: unknown, property: string | null, type: ResourceType): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => castNode(item, property, type))
    return items.includes(undefined) ? undefined : items
  }
  if (!isPlainObject(value)) return property === null || value === null ? value : castValue(type, property, value)
  const entries = Object.entries(value).map(([key, part]) => {
    const isProperty = type.shape.properties.get(key)?.role === 'scalar'
    return [key, isProperty || key.startsWith('$') ? castNode(part, isProperty ? key : property, type) : part]
  })
  return entries.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(entries)
}

/** Converts texts; rejects lists and maps (undefined); returns other values unchanged. */
function castValue({ shape }: ResourceType, property: string, value: unknown): unknown {
  if (Array.isArray(value) || isPlainObject(value)) return undefined
  const column = shape.properties.get(property)
  return column && typeof value === 'string' ? castTo(column, value) : value
}
