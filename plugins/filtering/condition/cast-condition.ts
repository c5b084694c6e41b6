import type { FilterQuery } from '@mikro-orm/core'
import { all, any, type Condition, isPlainObject, not, type ResourceType } from '#kernel/plugin'
import { castTo } from './values.ts'

// Conditions an author made from a client's value. Whatever stands in them is cast to its column, or refused.

/** The same condition with values the columns can hold; undefined when one of them cannot. */
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
      const value = castIn(type, condition.property, condition.value)
      return value === undefined ? undefined : { ...condition, value }
    }
    case 'in': {
      const values = condition.values.map((value) => castIn(type, condition.property, value))
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

/** The same for MikroORM's where, as far as it speaks of the row's own properties. */
export function castMatching<Where>(where: FilterQuery<Where>, type: ResourceType): FilterQuery<Where> | undefined {
  const cast = castMember(where, null, type)
  return cast as FilterQuery<Where> | undefined
}

function castMember(value: unknown, property: string | null, type: ResourceType): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => castMember(item, property, type))
    return items.includes(undefined) ? undefined : items
  }
  if (!isPlainObject(value)) return property === null || value === null ? value : castIn(type, property, value)
  const entries = Object.entries(value).map(([key, part]) => {
    const isProperty = type.shape.properties.get(key)?.role === 'scalar'
    return [key, isProperty || key.startsWith('$') ? castMember(part, isProperty ? key : property, type) : part]
  })
  return entries.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(entries)
}

/** Texts are cast; a list or a map is no value; what else an author puts there is taken as it is. */
function castIn({ shape }: ResourceType, property: string, value: unknown): unknown {
  if (Array.isArray(value) || isPlainObject(value)) return undefined
  const column = shape.properties.get(property)
  return column && typeof value === 'string' ? castTo(column, value) : value
}
