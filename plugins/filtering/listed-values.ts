import type { Attribute } from '#kernel/plugin'
import type { FilterOwner } from './declare/check-declaration.ts'
import type { FilterDefinition } from './declare/definition.ts'
import { findOperator, pivotField } from './targets.ts'

type Values = NonNullable<Attribute['values']>

/** Kinds whose values have one spelling. */
const listedKinds = new Set<Attribute['kind']>(['string', 'integer', 'decimal'])

/**
 * Returns the values of the attributes that write the property a filter compares for equality. Returns null if one of them
 * accepts other values, or converts them.
 */
export function findListedValues(filter: FilterDefinition, owner: FilterOwner): Values | null {
  if (!comparesForEquality(filter)) return null
  const lists = findAttributes(filter.target, owner).map(listValues)
  return lists.length > 0 && lists.every((values) => values !== null) ? [...new Set(lists.flat())] : null
}

function comparesForEquality(filter: FilterDefinition): boolean {
  if (filter.kind !== 'where') return filter.kind === 'in'
  return ['=', '!='].includes(findOperator(filter))
}

function findAttributes(target: string, { type, relation }: FilterOwner): readonly Attribute[] {
  const pivot = pivotField(target)
  if (pivot !== null) return relation?.pivotFields.filter(({ name }) => name === pivot) ?? []
  return type.attributes.filter(({ property, on }) => property === target && !on)
}

/** Returns the values that an attribute lists; null if it accepts others, or converts them. */
export function listValues({ kind, values, fill, deserialize }: Attribute): Values | null {
  return fill || deserialize || !listedKinds.has(kind) ? null : values
}
