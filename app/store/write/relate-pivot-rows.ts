import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Context, LinkageChange, RelatedMember, Relation, Row } from '#kernel/store'
import { foundMeanwhile } from '../errors/sql-errors.ts'
import { associationOf } from '../sql/association.ts'
import { Compiler, quote, rowsOf } from '../sql/compiler.ts'
import { resolveScopes } from '../sql/scopes.ts'
import { emOf, run, unitOf } from '../unit.ts'
import { addedBy, inOrder, lockRows, type Mapped, referTo, releaseMembers, toEntityValue } from './lock-rows.ts'
import { deletesSilently } from './silent-deletes.ts'

/** Association rows with values of their own: those of named members are changed in place, others are made. */
export async function relateRows(
  relation: Relation,
  parent: object,
  { mode, members }: LinkageChange,
  context: Context,
): Promise<void> {
  const em = emOf(context)
  const deletesOthers = mode === 'replace' && (await deleteOthers(relation, parent, members, context))
  const locked = mode === 'replace' && !deletesOthers ? null : members
  const { rows, added, byMember, ends, sides } = await lockAssociation(relation, parent, locked, context)
  const named = new Set(members.map(({ key }) => String(key)))
  const removed = [...byMember].flatMap(([key, entities]) => (mode === 'remove' || !named.has(key) ? entities : []))
  for (const entity of removed) em.remove(entity)
  // A value that must be unique is free for another row once its row is gone.
  if (removed.length > 0) await em.flush()
  if (mode === 'remove') return
  const written = new Set(added)
  for (const entity of removed) written.delete(entity)
  for (const member of members) {
    const [known] = byMember.get(String(member.key)) ?? []
    const row = known ?? createRow(relation, parent, member, rows, ends, context)
    if (!known) written.add(row)
    await fillRow(row, known ?? null, member, rows, context)
  }
  await em.flush().catch((error) => {
    throw foundMeanwhile(error, sides)
  })
  releaseMembers(parent, written, context)
}

interface Ends {
  readonly parent: EntityProperty
  readonly member: EntityProperty
}

/** Deletes the rows of members that are not named, by one statement. False where MikroORM has to delete them. */
async function deleteOthers(
  relation: Relation,
  parent: object,
  members: readonly RelatedMember[],
  context: Context,
): Promise<boolean> {
  const { compiler, alias, meta, table, theirs, conditions } = await startAssociation(relation, parent, context)
  if (!deletesSilently(meta, context)) return false
  const named = compiler.bind(members.map(({ key }) => key))
  const where = [...conditions, `not ${theirs} = any(${named})`].join(' and ')
  await run(`delete from ${table} ${alias} where ${where}`, compiler.parameters, context)
  return true
}

/** The association rows of a parent that lead to members the requester may see, for one statement. */
async function startAssociation(relation: Relation, parent: object, context: Context) {
  const { owner, target } = relation
  const compiler = new Compiler(unitOf(context), await resolveScopes([target], [], context))
  const association = associationOf(compiler, relation)
  const { alias, sides, visible } = association
  const [mine, theirs] = sides.map((side) => `${alias}.${quote(side)}`) as [string, string]
  const of = compiler.bind([owner.persister.keyOf(owner, parent)])
  return { ...association, compiler, theirs, conditions: [`${mine} = any(${of})`, ...visible()] }
}

/** The rows of the parent by their member: all of them, or those of the named members. */
async function lockAssociation(
  relation: Relation,
  parent: object,
  members: readonly RelatedMember[] | null,
  context: Context,
) {
  const { compiler, alias, meta, sides, theirs, conditions } = await startAssociation(relation, parent, context)
  const rows: Mapped = rowsOf(meta)
  if (members) conditions.push(`${theirs} = any(${compiler.bind(members.map(({ key }) => key))})`)
  const where = conditions.join(' and ') + inOrder(compiler, rows, alias)
  const found = await lockRows(compiler, rows, alias, where, context, [`${theirs} as "#member"`])
  const byMember = Map.groupBy(found, ({ further }) => String(further['#member']))
  return {
    rows,
    added: addedBy(found),
    byMember: new Map([...byMember].map(([key, list]) => [key, list.map(({ entity }) => entity)])),
    ends: { parent: endAt(sides[0], meta), member: endAt(sides[1], meta) },
    sides,
  }
}

function endAt(column: string, { props }: EntityMetadata): EntityProperty {
  return props.find(({ kind, fieldNames }) => kind === 'm:1' && fieldNames[0] === column) as EntityProperty
}

function createRow(
  { owner }: Relation,
  parent: object,
  { type, key }: RelatedMember,
  { entity }: Mapped,
  ends: Ends,
  context: Context,
): Row {
  const data = {
    [ends.parent.name]: referTo(ends.parent, owner, owner.persister.keyOf(owner, parent), context),
    [ends.member.name]: referTo(ends.member, type, key, context),
  }
  return emOf(context).create(entity, data as never, { partial: true, persist: true } as never) as Row
}

async function fillRow(
  row: Row,
  known: Row | null,
  member: RelatedMember,
  rows: Mapped,
  context: Context,
): Promise<void> {
  const { values, fills } = member.rowChanges(known)
  for (const [property, value] of values) row[property] = toEntityValue(rows, property, value, context)
  for (const fill of fills) await fill(row)
}
