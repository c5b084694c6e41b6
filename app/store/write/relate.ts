import type { Context, FastPath, LinkageChange, Persister, Relation } from '#kernel/store'
import { toRelationError } from '../errors/write-errors.ts'
import { propertyOf } from '../sql/compiler.ts'
import { hasOneScope } from '../sql/scopes.ts'
import { unitOf } from '../unit.ts'
import { relateAssociationRows } from './relate-association-rows.ts'
import { lockMembersToMove, moveMembers } from './relate-foreign-key.ts'
import { addVisiblePairs, relatePairs } from './relate-join-table.ts'

/** Changes the members of a relation. The foreign keys are in the rows of members, a join table or association rows. */
export async function relate(
  relation: Relation,
  entity: object,
  change: LinkageChange,
  context: Context,
): Promise<void> {
  try {
    await strategyFor(relation, context)(relation, entity, change, context)
  } catch (error) {
    throw toRelationError(error, change.members, context)
  }
}

/** Returns undefined if the rows of members stay unchanged: a join table or association rows hold the keys. */
export const lockMembers: NonNullable<Persister['lockMembers']> = async (relation, parent, change, context) =>
  strategyFor(relation, context) === moveMembers ? lockMembersToMove(relation, parent, change, context) : undefined

/** Fast path of additions to a join table. Returns false for another relation, or if a row is not visible. */
export const addVisibleMembers: FastPath['addMembers'] = async (relation, key, members, context, isOnlyStatement) => {
  if (members.length === 0 || strategyFor(relation, context) !== relatePairs) return false
  if (!(await hasOneScope(relation.owner, context))) return false
  try {
    return await addVisiblePairs(relation, key, members, context, isOnlyStatement)
  } catch (error) {
    throw toRelationError(error, members, context)
  }
}

function strategyFor({ owner, property, kind }: Relation, context: Context): typeof relate {
  const metadata = unitOf(context).orm.getMetadata()
  const stored = propertyOf(metadata.get(owner.entity), property as string)
  if (kind === 'morphToMany') return relateAssociationRows
  if (stored.kind !== 'm:n') return moveMembers
  const hasPivotValues = metadata
    .get(stored.pivotEntity)
    .props.some((column) => column.kind !== 'm:1' && !column.primary)
  return hasPivotValues ? relateAssociationRows : relatePairs
}
