import type { EntityProperty } from '@mikro-orm/core'
import { isObject } from '#kernel/store'

/** Whether the property is an embeddable whose properties are columns of the entity. */
export function isInlined({ kind, object }: EntityProperty): boolean {
  return kind === 'embedded' && object !== true
}

/** The properties of an embeddable by name. Undefined if the property is no embeddable, or a list of them. */
export function listEmbeddedMembers({ kind, array, embeddedProps }: EntityProperty): readonly Member[] | undefined {
  return kind === 'embedded' && !array ? Object.entries<EntityProperty>(embeddedProps) : undefined
}

type Member = readonly [name: string, property: EntityProperty]

/**
 * Converts an embeddable from its form in a statement to a plain object with the values of the entity. A JSON column has
 * the names of columns as keys.
 */
export function embeddedConverter(
  property: EntityProperty,
  members: readonly Member[],
  converterOf: (property: EntityProperty) => ((value: unknown) => unknown) | null,
): (value: unknown) => unknown {
  const read = members.map(([name, member]) => {
    const key = isInlined(property) ? name : (member.fieldNames[0] as string)
    return { name, key, convert: converterOf(member) }
  })
  return (value) => {
    if (!isObject(value)) return value
    return Object.fromEntries(
      read.map(({ name, key, convert }) => {
        const stored = value[key] ?? null
        return [name, stored === null || !convert ? stored : convert(stored)]
      }),
    )
  }
}

/** Whether values of documents have the form of the entity already. */
export function hasEntityForm(property: EntityProperty): boolean {
  const { runtimeType } = property
  return listEmbeddedMembers(property) === undefined && runtimeType !== 'bigint' && runtimeType !== 'string'
}

/** The value of a property in the form of the entity. A member of an embeddable that is missing becomes null. */
export function toEntityForm(property: EntityProperty, value: unknown): unknown {
  const members = listEmbeddedMembers(property)
  if (members && isObject(value)) {
    return Object.fromEntries(members.map(([name, member]) => [name, toEntityForm(member, value[name] ?? null)]))
  }
  if (typeof value !== 'number') return value
  if (property.runtimeType === 'bigint') return BigInt(value)
  return property.runtimeType === 'string' ? String(value) : value
}
