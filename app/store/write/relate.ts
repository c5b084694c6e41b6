import type { EntityProperty } from '@mikro-orm/core'
import type { Context, FastPath, LinkageChange, Persister, Relation } from '#kernel/store'
import { toRelationError } from '../errors/sql-errors.ts'
import { unitOf } from '../unit.ts'
import { relateAssociationRows } from './relate-association-rows.ts'
import { moveMembers, lockMembers as selectMembersToMove } from './relate-foreign-key.ts'
import { addVisiblePairs, relatePairs } from './relate-join-table.ts'

/** Changes the members of a relation, depending on which table holds the keys. */
export async function relate(
  relation: Relation,
  entity: object,
  change: LinkageChange,
  context: Context,
): Promise<void> {
  try {
    await strategyFor(relation, context)(relation, entity, change, context)
  } catch (error) {
    throw toRelationError(error, change.members)
  }
}

/** Undefined if the rows of members stay unchanged: a join table or association rows hold the keys. */
export const lockMembers: NonNullable<Persister['lockMembers']> = async (relation, parent, change, context) =>
  strategyFor(relation, context) === moveMembers ? selectMembersToMove(relation, parent, change, context) : undefined

/** Adds the pairs of a join table by one statement. False if the relation has another form, or a member is not visible. */
export const addVisibleMembers: FastPath['addMembers'] = async (relation, subject, members, context) => {
  if (members.length === 0 || strategyFor(relation, context) !== relatePairs) return false
  try {
    return await addVisiblePairs(relation, subject, members, context)
  } catch (error) {
    throw toRelationError(error, members)
  }
}

function strategyFor({ owner, property, kind }: Relation, context: Context): typeof relate {
  const metadata = unitOf(context).orm.getMetadata()
  const stored = metadata.get(owner.entity).properties[property as never] as EntityProperty
  if (kind === 'morphToMany') return relateAssociationRows
  if (stored.kind !== 'm:n') return moveMembers
  const hasValues = metadata.get(stored.pivotEntity).props.some((one) => one.kind !== 'm:1' && !one.primary)
  return hasValues ? relateAssociationRows : relatePairs
}
