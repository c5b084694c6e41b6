import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Context, LinkageChange, RelatedMember, Relation, Row } from '#kernel/store'
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
  const { found, association, back, member, place } = await lockItems(relation, key, locked, mode === 'add', context)
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
    let next = mode === 'add' && place ? 1 + highestPlace(found, place) : 1
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
  const rows = rowsOf(association)
  const parent = compiler.bind([parentKey])
  const ofParent = `${compiler.column(rows, back.name, alias)} = any(${parent})`
  const isLast = (place: string) => {
    const inner = compiler.alias()
    const ofSame = `${compiler.column(rows, back.name, inner)} = any(${parent})`
    const highest = `select max(${compiler.column(rows, place, inner)}) from ${compiler.table(rows)} ${inner} where ${ofSame}`
    return `${compiler.column(rows, place, alias)} = (${highest})`
  }
  const isNamed = (members: readonly RelatedMember[]) => {
    const types = Map.groupBy(members, (one) => discriminatorOf(one.type, member))
    const ofTypes = [...types].map(([name, list]) => {
      const keys = compiler.bind(list.map((one) => one.key))
      return `${discriminator} = ${compiler.bind(name)} and ${key} = any(${keys})`
    })
    return ofTypes.length === 0 ? 'false' : `(${ofTypes.join(' or ')})`
  }
  return { ...mixed, ofParent, visible, isNamed, isLast }
}

/** Deletes the rows of members that are not named, by one statement. False where MikroORM has to delete them. */
async function deleteOthers(
  relation: Relation,
  parentKey: unknown,
  members: readonly RelatedMember[],
  context: Context,
): Promise<boolean> {
  const { compiler, association, alias, ofParent, visible, isNamed } = await startItems(relation, parentKey, context)
  if (!deletesSilently(association, context)) return false
  const where = `${ofParent} and (${visible}) and not ${isNamed(members)}`
  await run(`delete from ${compiler.table(rowsOf(association))} ${alias} where ${where}`, compiler.parameters, context)
  return true
}

/** The rows of the parent: all of them, or those of the named members, with the last row where it is asked for. */
async function lockItems(
  relation: Relation,
  parentKey: unknown,
  members: readonly RelatedMember[] | null,
  withLast: boolean,
  context: Context,
) {
  const items = await startItems(relation, parentKey, context)
  const { compiler, association, alias, ofParent, visible, isNamed, discriminator, key } = items
  const place = placeOf(items.collection, association)
  const isWanted = members ? `(${visible}) and ${isNamed(members)}` : `(${visible})`
  const isLast = withLast && place ? ` or ${items.isLast(place)}` : ''
  const where = `${ofParent} and (${isWanted}${isLast})${inOrder(compiler, rowsOf(association), alias)}`
  const further = [`${discriminator} as "#type"`, `${key} as "#key"`]
  const found = await lockRows(compiler, rowsOf(association), alias, where, context, further)
  return { ...items, found, place }
}

/** The highest number among the rows; 0 when there are none. */
function highestPlace(rows: readonly LockedRow[], place: string): number {
  let highest = 0
  for (const { entity } of rows) highest = Math.max(highest, Number(entity[place]))
  return highest
}

function createItem({ type, key }: RelatedMember, parentKey: unknown, ends: Ends, context: Context): Row {
  const { owner, association, back, member } = ends
  const data = {
    [back.name]: referTo(back, owner, parentKey, context),
    [member.name]: referTo(member, type, key, context),
  }
  return emOf(context).create(association.class, data as never, { partial: true, persist: true } as never) as Row
}

/** The pair by which a member is stored. */
function nameOf({ type, key }: RelatedMember, member: EntityProperty): string {
  return `${discriminatorOf(type, member)} ${String(key)}`
}

function rowName({ further }: LockedRow): string {
  return `${String(further['#type'])} ${String(further['#key'])}`
}
