import { Cascade, type EntityMetadata, type EntityProperty, EventType } from '@mikro-orm/core'
import type { Context, LinkageChange, RelatedMember, Relation, Row } from '#kernel/store'
import { toRetryableConflict } from '../../errors/write-errors.ts'
import { rowsOf } from '../../sql/compiler.ts'
import { emOf, unitOf } from '../../unit.ts'
import { type LockedRow, lockRows, toEntityValue } from '../lock-rows.ts'
import { referTo } from '../references.ts'
import { type AssociationRows, describeRows } from './association-rows.ts'

/**
 * Changes members that are held by rows of an association entity, which have pivot values or lead to several types
 * (polymorphic): updates the rows of named members and creates missing ones. Numbers ordered rows in the order of members.
 */
export async function relateByAssociationRows(
  relation: Relation,
  parent: object,
  { mode, members }: LinkageChange,
  context: Context,
): Promise<void> {
  const em = emOf(context)
  const { owner } = relation
  const parentKey = owner.persister.keyOf(owner, parent)
  const isReplaced = mode === 'replace' && (await deleteUnnamed(relation, parentKey, members, context))
  const rows = await describeRows(relation, parentKey, context)
  const locked = await lockAssociation(rows, mode === 'replace' && !isReplaced ? null : members, mode, context)
  const named = new Map(members.map((member) => [rows.nameOf(member), member]))
  const isRemoved = (row: LockedRow) => mode !== 'add' && named.has(memberName(row)) === (mode === 'remove')
  const removed = locked.filter(isRemoved)
  const kept = locked.filter((row) => !isRemoved(row))
  for (const { entity } of removed) em.remove(entity)
  // A unique value is free for another row only after its row is deleted.
  if (removed.length > 0) await em.flush()
  if (mode === 'remove') return
  const storedByName = Map.groupBy(kept, memberName)
  let position = mode === 'add' ? 1 + highestPosition(locked, rows) : 1
  for (const [name, member] of named) {
    const stored = storedByName.get(name)?.[0]?.entity ?? null
    const row = stored ?? createRow(member, parentKey, relation, rows, context)
    const { values, fills } = member.pivotChanges(stored)
    for (const [property, value] of values) {
      row[property] = toEntityValue(rowsOf(rows.meta), property, value, context)
    }
    for (const fill of fills) await fill(row)
    if (rows.position && !(stored && mode === 'add')) row[rows.position] = position++
  }
  await em.flush().catch((error) => {
    // Race condition: a concurrent request has created the row of a member.
    throw toRetryableConflict(error, [...rows.back.fieldNames, ...rows.member.fieldNames])
  })
}

/** Deletes the rows of members that are not named, by one statement. Returns false if MikroORM has to delete them. */
async function deleteUnnamed(
  relation: Relation,
  parentKey: unknown,
  members: readonly RelatedMember[],
  context: Context,
): Promise<boolean> {
  const { compiler, meta, alias, ofParent, visible, isNamed } = await describeRows(relation, parentKey, context)
  if (!canDeleteByStatement(meta, context)) return false
  const where = `${ofParent} and ${visible} and not ${isNamed(members)}`
  await compiler.run(`delete from ${compiler.table(rowsOf(meta))} ${alias} where ${where}`)
  return true
}

/** Locks all rows of the parent, or the rows of named members. An addition to ordered rows also locks the last row. */
function lockAssociation(
  rows: AssociationRows,
  members: readonly RelatedMember[] | null,
  mode: LinkageChange['mode'],
  context: Context,
): Promise<LockedRow[]> {
  const { compiler, meta, alias, ofParent, visible, memberColumns } = rows
  const condition = members ? `${visible} and ${rows.isNamed(members)}` : visible
  const last = mode === 'add' && rows.position ? ` or ${isLast(rows, rows.position)}` : ''
  const where = `${ofParent} and (${condition}${last})`
  const extraColumns = memberColumns.map((column, index) => `${column} as "#member${index}"`)
  return lockRows({ compiler, of: rowsOf(meta), alias, where, extraColumns }, context)
}

function isLast({ compiler, meta, alias, back }: AssociationRows, position: string): string {
  const rows = rowsOf(meta)
  const inner = compiler.alias()
  const sameParent = `${compiler.column(rows, back.name, inner)} = ${compiler.column(rows, back.name, alias)}`
  const highest = `select max(${compiler.column(rows, position, inner)}) from ${compiler.table(rows)} ${inner} where ${sameParent}`
  return `${compiler.column(rows, position, alias)} = (${highest})`
}

/** The same text for a row as `AssociationRows.nameOf` returns for its member. */
function memberName({ extra }: LockedRow): string {
  return Object.values(extra).map(String).join(' ')
}

/** 0 if there are no rows, or they are not ordered. */
function highestPosition(locked: readonly LockedRow[], { position }: AssociationRows): number {
  let highest = 0
  if (position) for (const { entity } of locked) highest = Math.max(highest, Number(entity[position]))
  return highest
}

function createRow(
  related: RelatedMember,
  parentKey: unknown,
  { owner }: Relation,
  { meta, back, member }: AssociationRows,
  context: Context,
): Row {
  const data = {
    [back.name]: referTo(back, { type: owner, key: parentKey }, context),
    [member.name]: referTo(member, related, context),
  }
  return emOf(context).create(meta.class, data as never, { partial: true, persist: true } as never) as Row
}

/** Whether one statement may delete rows of an entity: no hook, subscriber or cascade of MikroORM takes part. */
function canDeleteByStatement(meta: EntityMetadata, context: Context): boolean {
  const events = unitOf(context).orm.em.getEventManager()
  return !deleteEvents.some((event) => events.hasListeners(event, meta)) && !meta.props.some(cascadesDelete)
}

const deleteEvents = [
  EventType.onInit,
  EventType.onLoad,
  EventType.beforeDelete,
  EventType.afterDelete,
  EventType.beforeFlush,
  EventType.onFlush,
  EventType.afterFlush,
]

function cascadesDelete({ orphanRemoval, cascade = [] }: EntityProperty): boolean {
  return orphanRemoval === true || cascade.includes(Cascade.REMOVE) || cascade.includes(Cascade.ALL)
}
