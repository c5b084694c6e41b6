import { type Context, isIn, type LinkageChange, type MemberRow, type Relation, type Row } from '#kernel/store'
import { memberNotFound } from '../../errors/write-errors.ts'
import { Compiler, propertyOf } from '../../sql/compiler.ts'
import { collectScopes } from '../../sql/scopes.ts'
import { emOf, unitOf } from '../../unit.ts'
import { type LockedRow, lockRows } from '../lock-rows.ts'
import { setReference } from '../references.ts'
import { removeEntity } from '../remove-entity.ts'

/** Sets the foreign key of added members. Sets it to null for removed members, or deletes them (orphan removal). */
export async function relateByForeignKey(
  relation: Relation,
  parent: object,
  change: LinkageChange,
  context: Context,
): Promise<void> {
  const em = emOf(context)
  const { owner } = relation
  const { back } = readInverseSide(relation, context)
  const locked = change.locked ?? (await lockMembersToMove(relation, parent, change, context))
  const { attach = [], detach = [], delete: orphans = [] } = Object.groupBy(locked, (row) => row.change)
  await change.beforeSave?.(orphans)
  for (const { entity } of orphans) removeEntity(relation.target, entity, context)
  for (const { entity } of detach) (entity as Row)[back.name] = null
  await change.beforeSave?.(detach)
  // The unique foreign key of a has-one must be free before another member gets it.
  if (relation.kind === 'hasOne') await em.flush()
  const target = { type: owner, key: owner.persister.keyOf(owner, parent) }
  for (const { entity } of attach) setReference(entity as Row, back, target, relation, context)
  await change.beforeSave?.(attach)
  await em.flush()
}

type LockedMember = MemberRow & LockedRow

/** Locks the named members and the members to remove, and decides how each row changes. */
export async function lockMembersToMove(
  relation: Relation,
  parent: object | null,
  change: LinkageChange,
  context: Context,
): Promise<readonly LockedMember[]> {
  const { owner, target } = relation
  const { orphanRemoval, back } = readInverseSide(relation, context)
  const parentKey = parent && String(owner.persister.keyOf(owner, parent))
  const named = new Map(change.members.map((member) => [String(member.key), member]))
  const rows: LockedMember[] = []
  for (const locked of await selectMembers(relation, parent, change, context)) {
    const { entity } = locked
    const isNamed = named.delete(String(entity[target.id.property]))
    const holder = entity[back.name] as Row | null | undefined
    const isMember = parentKey !== null && holder != null && String(holder[owner.id.property]) === parentKey
    const isAdded = isNamed && change.mode !== 'remove'
    rows.push({ ...locked, change: isAdded ? (isMember ? 'none' : 'attach') : orphanRemoval ? 'delete' : 'detach' })
  }
  const [missing] = change.mode === 'remove' ? [] : named.values()
  if (missing) throw memberNotFound(missing)
  return rows
}

/** Named members, and current members that a replacement removes; of a removal, named members of the parent. */
async function selectMembers(
  relation: Relation,
  parent: object | null,
  { mode, members }: LinkageChange,
  context: Context,
) {
  const { owner, target } = relation
  const compiler = new Compiler(unitOf(context), await collectScopes([target], [], context))
  const alias = compiler.alias()
  const { back } = readInverseSide(relation, context)
  const hasKeyIn = (property: string, keys: readonly unknown[]) =>
    compiler.condition(isIn(property, keys), target, alias)
  const keys = members.map(({ key }) => key)
  const isNamed = () => hasKeyIn(target.id.property, keys)
  const parentKeys = parent ? [owner.persister.keyOf(owner, parent)] : []
  const isOfParent = () => hasKeyIn(back.name, parentKeys)
  const condition = {
    replace: () => `(${isNamed()} or ${isOfParent()})`,
    add: isNamed,
    remove: () => `${isNamed()} and ${isOfParent()}`,
  }[mode]()
  const where = [condition, ...compiler.filters(target, alias)].join(' and ')
  return lockRows({ compiler, of: target, alias, where }, context)
}

/** Whether removed members are deleted, and the property of members that holds the foreign key. */
function readInverseSide({ owner, target, property }: Relation, context: Context) {
  const metadata = unitOf(context).orm.getMetadata()
  const { orphanRemoval, mappedBy } = propertyOf(metadata.get(owner.entity), property as string)
  return { orphanRemoval, back: propertyOf(metadata.get(target.entity), mappedBy as string) }
}
