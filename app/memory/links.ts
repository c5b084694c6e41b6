import { getOrCreate, isPolymorphic, type RelatedKey, type Relation, type ResourceType, type Row } from '#kernel/store'

/** A related resource, and its pivot row if the parent holds one. */
export interface Link extends RelatedKey {
  readonly pivot?: Row | undefined
}

/**
 * The related resources that a row holds: a key, `{ type, key }` if the relation has several types, or `{ key, pivot }`
 * if the relation has pivot values.
 */
export function linksOf(relation: Relation, row: Row): Link[] {
  const held: unknown[] = [row[relation.property as string] ?? []].flat()
  return held.flatMap((value): Link[] => {
    if (!isHeldObject(value)) return [{ type: relation.target, key: value }]
    const type = isPolymorphic(relation) ? relation.targets.find(({ name }) => name === value.type) : relation.target
    return type ? [{ type, key: value.key, pivot: value.pivot }] : []
  })
}

interface HeldObject {
  readonly type?: string
  readonly key: unknown
  readonly pivot?: Row
}

function isHeldObject(value: unknown): value is HeldObject {
  return typeof value === 'object' && value !== null && 'key' in value
}

/** The value that a row holds for a link. */
export function toHeld(relation: Relation, { type, key, pivot }: Link): unknown {
  if (isPolymorphic(relation)) return { type: type.name, key }
  return pivot ? { key, pivot } : key
}

export function isSameLink(a: RelatedKey, b: RelatedKey): boolean {
  return a.type === b.type && a.key === b.key
}

export function keysByType(links: readonly RelatedKey[]): Map<ResourceType, Set<unknown>> {
  const keys = new Map<ResourceType, Set<unknown>>()
  for (const link of links) getOrCreate(keys, link.type, () => new Set<unknown>()).add(link.key)
  return keys
}
