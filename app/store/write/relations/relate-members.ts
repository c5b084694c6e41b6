import type { Context, LinkageChange, Persister, Relation, StatementWriter } from '#kernel/store'
import type { Orm } from '../../connection/types.ts'
import { toRelationError } from '../../errors/write-errors.ts'
import { propertyOf } from '../../sql/compiler.ts'
import { unitOf } from '../../unit.ts'
import { relateByAssociationRows } from './relate-association-rows.ts'
import { lockMembersToMove, relateByForeignKey } from './relate-foreign-key.ts'
import { addVisiblePairs, relateByJoinTable } from './relate-join-table.ts'

/** Changes the members of a relation. The foreign keys are in the rows of members, a join table or association rows. */
export async function relateMembers(
  relation: Relation,
  entity: object,
  change: LinkageChange,
  context: Context,
): Promise<void> {
  try {
    await strategyFor(relation, unitOf(context).orm)(relation, entity, change, context)
  } catch (error) {
    throw toRelationError(error, change.members, context)
  }
}

/** Returns undefined if the rows of members stay unchanged: a join table or association rows hold the keys. */
export const lockMembers: NonNullable<Persister['lockMembers']> = async (relation, parent, change, context) =>
  strategyFor(relation, unitOf(context).orm) === relateByForeignKey
    ? lockMembersToMove(relation, parent, change, context)
    : undefined

/** Adds members of a join table, if the requester sees the parent and all of them. Otherwise adds none and returns false. */
export const addMembers: StatementWriter['addMembers'] = async (relation, key, members, context) => {
  try {
    return await addVisiblePairs(relation, key, members, context)
  } catch (error) {
    throw toRelationError(error, members, context)
  }
}

/** Whether members of the relation are rows of a join table that holds only the two keys. */
export function addsMembers(relation: Relation, orm: Orm): boolean {
  return strategyFor(relation, orm) === relateByJoinTable
}

function strategyFor({ owner, property, kind }: Relation, orm: Orm): typeof relateMembers {
  const metadata = orm.getMetadata()
  const stored = propertyOf(metadata.get(owner.entity), property as string)
  if (kind === 'morphToMany') return relateByAssociationRows
  if (stored.kind !== 'm:n') return relateByForeignKey
  const hasPivotValues = metadata
    .get(stored.pivotEntity)
    .props.some((column) => column.kind !== 'm:1' && !column.primary)
  return hasPivotValues ? relateByAssociationRows : relateByJoinTable
}
