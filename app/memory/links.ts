import { isPolymorphic, type RelatedKey, type Relation, type Row } from '#kernel/store'

/** A related resource, and its pivot row or its own row if the parent holds it. */
export interface Link extends RelatedKey {
  readonly pivot?: Row | undefined
  readonly row?: Row
}

/**
 * The related resources that a row holds: a key, `{ type, key }` if the relation has several types, `{ key, pivot }` if
 * the relation has pivot values, or the related row itself.
 */
export function readLinks(relation: Relation, row: Row): Link[] {
  const { target } = relation
  const held: unknown[] = [row[relation.property as string] ?? []].flat()
  return held.flatMap((value): Link[] => {
    if (!isHeldObject(value)) {
      if (typeof value !== 'object') return [{ type: target, key: value }]
      const related = value as Row
      return [{ type: target, key: related[target.id.property], row: related }]
    }
    const type = isPolymorphic(relation) ? relation.targets.find(({ name }) => name === value.type) : target
    return type ? [{ type, key: value.key, pivot: value.pivot }] : []
  })
}

/** The rows that parents hold themselves. */
export function heldRows(links: readonly Link[]): Row[] {
  return links.flatMap(({ row }) => (row ? [row] : []))
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
export function toHeld(relation: Relation, { type, key, pivot, row }: Link): unknown {
  if (row) return row
  if (isPolymorphic(relation)) return { type: type.name, key }
  return pivot ? { key, pivot } : key
}

export function isSameLink(a: RelatedKey, b: RelatedKey): boolean {
  return a.type === b.type && a.key === b.key
}
