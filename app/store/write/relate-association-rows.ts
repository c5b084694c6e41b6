import type { Context, LinkageChange, RelatedMember, Relation, Row } from '#kernel/store'
import { toRetryableConflict } from '../errors/sql-errors.ts'
import { rowsOf } from '../sql/compiler.ts'
import { emOf, run } from '../unit.ts'
import { type AssociationRows, describeRows } from './association-rows.ts'
import {
  deletesSilently,
  type LockedRow,
  lockRows,
  newlyManaged,
  orderByKey,
  referTo,
  releaseMembers,
  toEntityValue,
} from './lock-rows.ts'

/**
 * Changes members that are held by rows of an association entity, which have values of their own or lead to several
 * types: rows of named members are updated, missing ones created. Ordered rows are numbered in the order of the members.
 */
export async function relateAssociationRows(
  relation: Relation,
  parent: object,
  { mode, members }: LinkageChange,
  context: Context,
): Promise<void> {
  const em = emOf(context)
  const { owner } = relation
  const parentKey = owner.persister.keyOf(owner, parent)
  const deletesOthers = mode === 'replace' && (await deleteOthers(relation, parentKey, members, context))
  const rows = await describeRows(relation, parentKey, context)
  const found = await lockAssociation(rows, mode === 'replace' && !deletesOthers ? null : members, mode, context)
  const named = new Map(members.map((member) => [rows.nameOf(member), member]))
  const isRemoved = (row: LockedRow) => mode !== 'add' && named.has(nameIn(row)) === (mode === 'remove')
  const removed = found.filter(isRemoved)
  const kept = found.filter((row) => !isRemoved(row))
  for (const { entity } of removed) em.remove(entity)
  // A unique value is free for another row only after its row is deleted.
  if (removed.length > 0) await em.flush()
  if (mode === 'remove') return
  const written = new Set(newlyManaged(kept))
  const byName = Map.groupBy(kept, nameIn)
  let position = mode === 'add' ? 1 + highestPosition(found, rows) : 1
  for (const [name, member] of named) {
    const stored = byName.get(name)?.[0]?.entity ?? null
    const row = stored ?? createRow(member, parentKey, relation, rows, context)
    if (!stored) written.add(row)
    await fillRow(row, stored, member, rows, context)
    if (rows.position && !(stored && mode === 'add')) row[rows.position] = position++
  }
  await em.flush().catch((error) => {
    throw toRetryableConflict(error, [...rows.back.fieldNames, ...rows.member.fieldNames])
  })
  releaseMembers(parent, written, context)
}

/** Deletes the rows of members that are not named, by one statement. False if MikroORM has to delete them. */
async function deleteOthers(
  relation: Relation,
  parentKey: unknown,
  members: readonly RelatedMember[],
  context: Context,
): Promise<boolean> {
  const { compiler, meta, alias, ofParent, visible, isNamed } = await describeRows(relation, parentKey, context)
  if (!deletesSilently(meta, context)) return false
  const where = `${ofParent} and ${visible} and not ${isNamed(members)}`
  await run(`delete from ${compiler.table(rowsOf(meta))} ${alias} where ${where}`, compiler.parameters, context)
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
  const wanted = members ? `${visible} and ${rows.isNamed(members)}` : visible
  const last = mode === 'add' && rows.position ? ` or ${isLast(rows, rows.position)}` : ''
  const where = `${ofParent} and (${wanted}${last})${orderByKey(compiler, rowsOf(meta), alias)}`
  const extra = memberColumns.map((column, index) => `${column} as "#member${index}"`)
  return lockRows(compiler, rowsOf(meta), alias, where, context, extra)
}

function isLast({ compiler, meta, alias, back }: AssociationRows, position: string): string {
  const type = rowsOf(meta)
  const inner = compiler.alias()
  const ofSame = `${compiler.column(type, back.name, inner)} = ${compiler.column(type, back.name, alias)}`
  const highest = `select max(${compiler.column(type, position, inner)}) from ${compiler.table(type)} ${inner} where ${ofSame}`
  return `${compiler.column(type, position, alias)} = (${highest})`
}

function nameIn({ extra: further }: LockedRow): string {
  return Object.values(further).map(String).join(' ')
}

/** 0 if there are no rows, or they are not ordered. */
function highestPosition(found: readonly LockedRow[], { position }: AssociationRows): number {
  let highest = 0
  if (position) for (const { entity } of found) highest = Math.max(highest, Number(entity[position]))
  return highest
}

function createRow(
  { type, key }: RelatedMember,
  parentKey: unknown,
  { owner }: Relation,
  { meta, back, member }: AssociationRows,
  context: Context,
): Row {
  const data = {
    [back.name]: referTo(back, owner, parentKey, context),
    [member.name]: referTo(member, type, key, context),
  }
  return emOf(context).create(meta.class, data as never, { partial: true, persist: true } as never) as Row
}

async function fillRow(
  row: Row,
  stored: Row | null,
  member: RelatedMember,
  { meta }: AssociationRows,
  context: Context,
): Promise<void> {
  const { values, fills } = member.pivotChanges(stored)
  for (const [property, value] of values) row[property] = toEntityValue(rowsOf(meta), property, value, context)
  for (const fill of fills) await fill(row)
}
