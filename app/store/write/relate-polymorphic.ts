import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Context, LinkageChange, Rec, RelatedMember, Relation } from '#kernel/store'
import { discriminatorOf, placeOf, startMixed } from '../read/polymorphic.ts'
import { rowsOf } from '../sql/compiler.ts'
import { emOf, run } from '../unit.ts'
import { addedBy, inOrder, type LockedRow, lockRows, referTo, releaseMembers } from './lock-rows.ts'
import { deletesSilently } from './silent-deletes.ts'

/** Association rows that lead to members of several types, kept in the order in which they are named. */
export async function relateItems(
  relation: Relation,
  parent: object,
  { mode, members }: LinkageChange,
  context: Context,
): Promise<void> {
  const em = emOf(context)
  const { owner } = relation
  const key = owner.persister.keyOf(owner, parent)
  const deletesOthers = mode === 'replace' && (await deleteOthers(relation, key, members, context))
  const locked = mode === 'replace' && !deletesOthers ? null : members
  const { found, association, back, member, place } = await lockItems(relation, key, locked, context)
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
    const isLonger = mode === 'add' && place !== null && byName.size < named.size
    let next = isLonger ? 1 + (await highestPlace(relation, key, place, context)) : 1
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

/** The association rows of a parent that lead to members the requester may see, for one statement. */
async function startItems(relation: Relation, parentKey: unknown, context: Context) {
  const mixed = await startMixed(relation, context)
  const { compiler, association, back, member, alias, visible, discriminator, key } = mixed
  const ofParent = `${compiler.column(rowsOf(association), back.name, alias)} = any(${compiler.bind([parentKey])})`
  const isNamed = (members: readonly RelatedMember[]) => {
    const types = Map.groupBy(members, (one) => discriminatorOf(one.type, member))
    const ofTypes = [...types].map(([name, list]) => {
      const keys = compiler.bind(list.map((one) => one.key))
      return `${discriminator} = ${compiler.bind(name)} and ${key} = any(${keys})`
    })
    return ofTypes.length === 0 ? 'false' : `(${ofTypes.join(' or ')})`
  }
  return { ...mixed, conditions: [ofParent, `(${visible})`], isNamed }
}

/** Deletes the rows of members that are not named, by one statement. False where MikroORM has to delete them. */
async function deleteOthers(
  relation: Relation,
  parentKey: unknown,
  members: readonly RelatedMember[],
  context: Context,
): Promise<boolean> {
  const { compiler, association, alias, conditions, isNamed } = await startItems(relation, parentKey, context)
  if (!deletesSilently(association, context)) return false
  const where = [...conditions, `not ${isNamed(members)}`].join(' and ')
  await run(`delete from ${compiler.table(rowsOf(association))} ${alias} where ${where}`, compiler.parameters, context)
  return true
}

/** The rows of the parent: all of them, or those of the named members. */
async function lockItems(
  relation: Relation,
  parentKey: unknown,
  members: readonly RelatedMember[] | null,
  context: Context,
) {
  const items = await startItems(relation, parentKey, context)
  const { compiler, association, alias, conditions, isNamed, discriminator, key } = items
  if (members) conditions.push(isNamed(members))
  const where = conditions.join(' and ') + inOrder(compiler, rowsOf(association), alias)
  const further = [`${discriminator} as "#type"`, `${key} as "#key"`]
  const found = await lockRows(compiler, rowsOf(association), alias, where, context, further)
  return { ...items, found, place: placeOf(items.collection, association) }
}

/** The number of the last row. */
async function highestPlace(relation: Relation, parentKey: unknown, place: string, context: Context): Promise<number> {
  const { compiler, association, alias, conditions } = await startItems(relation, parentKey, context)
  const rows = rowsOf(association)
  const highest = `max(${compiler.column(rows, place, alias)})`
  const sql = `select ${highest} as "highest" from ${compiler.table(rows)} ${alias} where ${conditions.join(' and ')}`
  const [row] = await run(sql, compiler.parameters, context)
  return Math.max(0, Number(row?.highest ?? 0))
}

function createItem({ type, key }: RelatedMember, parentKey: unknown, ends: Ends, context: Context): Rec {
  const { owner, association, back, member } = ends
  const data = {
    [back.name]: referTo(back, owner, parentKey, context),
    [member.name]: referTo(member, type, key, context),
  }
  return emOf(context).create(association.class, data as never, { partial: true, persist: true } as never) as Rec
}

/** The pair by which a member is stored. */
function nameOf({ type, key }: RelatedMember, member: EntityProperty): string {
  return `${discriminatorOf(type, member)} ${String(key)}`
}

function rowName({ further }: LockedRow): string {
  return `${String(further['#type'])} ${String(further['#key'])}`
}
