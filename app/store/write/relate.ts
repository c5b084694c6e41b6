import type { EntityProperty } from '@mikro-orm/core'
import type { Context, FastPath, LinkageChange, Persister, Relation } from '#kernel/store'
import { explainRelation } from '../errors/sql-errors.ts'
import { unitOf } from '../unit.ts'
import { moveMembers, lockMembers as selectMembersToMove } from './relate-foreign-key.ts'
import { addSeenPairs, relatePairs } from './relate-join-table.ts'
import { relateRows } from './relate-pivot-rows.ts'
import { relateItems } from './relate-polymorphic.ts'

/** Changes the members of a relation, in the way that suits the place of its keys. */
export async function relate(
  relation: Relation,
  entity: object,
  change: LinkageChange,
  context: Context,
): Promise<void> {
  try {
    await wayOf(relation, context)(relation, entity, change, context)
  } catch (error) {
    throw explainRelation(error, change.members)
  }
}

/** Undefined where the rows of members stay unchanged: a join table or association rows hold the keys. */
export const lockMembers: NonNullable<Persister['lockMembers']> = async (relation, parent, change, context) =>
  wayOf(relation, context) === moveMembers ? selectMembersToMove(relation, parent, change, context) : undefined

/** Adds the pairs of a join table by one statement. False if the relation has another form, or a member is not visible. */
export const addVisibleMembers: FastPath['addMembers'] = async (relation, subject, members, context) => {
  if (members.length === 0 || wayOf(relation, context) !== relatePairs) return false
  try {
    return await addSeenPairs(relation, subject, members, context)
  } catch (error) {
    throw explainRelation(error, members)
  }
}

function wayOf({ owner, property, kind }: Relation, context: Context): typeof relate {
  const metadata = unitOf(context).orm.getMetadata()
  const stored = metadata.get(owner.entity).properties[property as never] as EntityProperty
  if (kind === 'morphToMany') return relateItems
  if (stored.kind !== 'm:n') return moveMembers
  return metadata.get(stored.pivotEntity).props.some(isOwn) ? relateRows : relatePairs
}

/** A column of association rows besides the keys of their two ends. */
function isOwn({ kind, primary }: EntityProperty): boolean {
  return kind !== 'm:1' && !primary
}
