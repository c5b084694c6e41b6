import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Context, LinkageChange, Rec, RelatedMember, Relation } from '#kernel/store'
import { discriminatorOf, placeOf, startMixed } from '../read/polymorphic.ts'
import { rowsOf } from '../sql/compiler.ts'
import { emOf } from '../unit.ts'
import { addedBy, inOrder, type LockedRow, lockRows, referTo, releaseMembers } from './lock-rows.ts'

/** Association rows that lead to members of several types, kept in the order in which they are named. */
export async function relateItems(
  relation: Relation,
  parent: object,
  { mode, members }: LinkageChange,
  context: Context,
): Promise<void> {
  const em = emOf(context)
  const { owner } = relation
  const { compiler, association, back, member, place, alias, visible, further } = await startItems(relation, context)
  const key = owner.persister.keyOf(owner, parent)
  const ofParent = `${compiler.column(rowsOf(association), back.name, alias)} = any(${compiler.bind([key])})`
  const where = `${ofParent} and (${visible})${inOrder(compiler, rowsOf(association), alias)}`
  const found = await lockRows(compiler, rowsOf(association), alias, where, context, further)
  const named = new Map(members.map((one) => [nameOf(one, member), one]))
  const written = new Set(addedBy(found))
  const kept = found.filter((row) => {
    const isNamed = named.has(rowName(row))
    if (mode === 'remove' ? isNamed : mode === 'replace' && !isNamed) em.remove(row.entity)
    else return true
    written.delete(row.entity)
    return false
  })
  if (mode !== 'remove') {
    const byName = new Map(kept.map((row) => [rowName(row), row.entity]))
    let next = mode === 'replace' ? 1 : 1 + highest(kept, place)
    for (const [name, one] of named) {
      const known = byName.get(name)
      if (known && mode === 'add') continue
      const row = known ?? createItem(one, key, { owner, association, back, member }, context)
      if (!known) written.add(row)
      if (place) row[place] = next++
    }
  }
  await em.flush()
  releaseMembers(parent, written, context)
}

interface Ends {
  readonly owner: Relation['owner']
  readonly association: EntityMetadata
  /** The ends of a row: the parent, and the member. */
  readonly back: EntityProperty
  readonly member: EntityProperty
}

async function startItems(relation: Relation, context: Context) {
  const mixed = await startMixed(relation, context)
  const further = [`${mixed.discriminator} as "#type"`, `${mixed.key} as "#key"`]
  return { ...mixed, further, place: placeOf(mixed.collection, mixed.association) }
}

function createItem({ type, key }: RelatedMember, parentKey: unknown, ends: Ends, context: Context): Rec {
  const { owner, association, back, member } = ends
  const data = {
    [back.name]: referTo(back, owner, parentKey, context),
    [member.name]: referTo(member, type, key, context),
  }
  return emOf(context).create(association.class, data as never, { partial: true, persist: true } as never) as Rec
}

function highest(rows: readonly LockedRow[], place: string | null): number {
  return place ? Math.max(0, ...rows.map(({ entity }) => Number(entity[place]))) : 0
}

/** The pair by which a member is stored. */
function nameOf({ type, key }: RelatedMember, member: EntityProperty): string {
  return `${discriminatorOf(type, member)} ${String(key)}`
}

function rowName({ further }: LockedRow): string {
  return `${String(further['#type'])} ${String(further['#key'])}`
}
