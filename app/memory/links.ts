import type { RelatedKey, ResourceType } from '#kernel/store'
import { getOrCreate, isPolymorphic, type Relation, type Row } from '#kernel/store'

/** What a relation of a row in memory leads to; of several types the row holds `{ type, key }`, else the key. */
export function linksOf(relation: Relation, row: Row): RelatedKey[] {
  const held: unknown[] = [row[relation.property as string] ?? []].flat()
  if (!isPolymorphic(relation)) return held.map((key) => ({ type: relation.target, key }))
  return (held as readonly { readonly type: string; readonly key: unknown }[]).flatMap(({ type: name, key }) => {
    const type = relation.targets.find((target) => target.name === name)
    return type ? [{ type, key }] : []
  })
}

/** How a row holds it. */
export function toHeld(relation: Relation, { type, key }: RelatedKey): unknown {
  return isPolymorphic(relation) ? { type: type.name, key } : key
}

export function isSameLink(a: RelatedKey, b: RelatedKey): boolean {
  return a.type === b.type && a.key === b.key
}

export function keysByType(links: readonly RelatedKey[]): Map<ResourceType, Set<unknown>> {
  const keys = new Map<ResourceType, Set<unknown>>()
  for (const link of links) getOrCreate(keys, link.type, () => new Set<unknown>()).add(link.key)
  return keys
}
