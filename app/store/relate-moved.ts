import type { EntityProperty } from '@mikro-orm/core'
import { type Context, type LinkageChange, type Rec, type Relation, resourceNotFound } from '#kernel'
import { Compiler } from './compiler.ts'
import { addedBy, inOrder, lockRows, referTo, releaseMembers } from './entities.ts'
import { resolveScopes } from './scopes.ts'
import { emOf, unitOf } from './unit.ts'

/** The key of the parent stands in its members: those that come get it, those that go lose it or are removed. */
export async function moveMembers(
  relation: Relation,
  parent: object,
  { mode, members }: LinkageChange,
  context: Context,
): Promise<void> {
  const em = emOf(context)
  const { owner, target } = relation
  const { orphanRemoval, back } = sidesOf(relation, context)
  const found = await lockMembers(relation, parent, { mode, members }, context)
  const named = new Map(members.map((member) => [String(member.key), member]))
  const coming: Rec[] = []
  const written = new Set(addedBy(found))
  for (const { entity } of found) {
    const isNamed = named.delete(String(entity[target.id.property]))
    if (isNamed && mode !== 'remove') coming.push(entity)
    else if (orphanRemoval) {
      em.remove(entity)
      written.delete(entity)
    } else entity[back.name] = null
  }
  const [gone] = mode === 'remove' ? [] : named.values()
  if (gone) {
    const id = target.codec.encode(gone.key)
    throw resourceNotFound({ type: target.name, id }, { source: { pointer: gone.pointer } })
  }
  // Where only one member may have the key, it must be free before it is given away.
  if (relation.kind === 'hasOne') await em.flush()
  const key = owner.persister.keyOf(owner, parent)
  for (const entity of coming) entity[back.name] = referTo(back, owner, key, context)
  await em.flush()
  releaseMembers(parent, written, context)
}

/** Those that are named, and those that will have to go; of a removal, those that are both named and there. */
async function lockMembers(relation: Relation, parent: object, { mode, members }: LinkageChange, context: Context) {
  const { owner, target } = relation
  const compiler = new Compiler(unitOf(context), await resolveScopes([target], [], context))
  const alias = compiler.alias()
  const { back } = sidesOf(relation, context)
  const keys = members.map(({ key }) => key)
  const isNamed = () => compiler.isAnyOf(target, target.id.property, keys, alias)
  const isThere = () => compiler.isAnyOf(target, back.name, [owner.persister.keyOf(owner, parent)], alias)
  const scope = compiler.scope(target, alias)
  const wanted = {
    replace: () => `(${isNamed()} or ${isThere()})`,
    add: isNamed,
    remove: () => `${isNamed()} and ${isThere()}`,
  }[mode]()
  const where = scope ? `${wanted} and ${scope}` : wanted
  return lockRows(compiler, target, alias, where + inOrder(compiler, target, alias), context)
}

/** The property of the parent, and that of its members which holds the key. */
function sidesOf({ owner, target, property }: Relation, context: Context) {
  const metadata = unitOf(context).orm.getMetadata()
  const { orphanRemoval, mappedBy } = metadata.get(owner.entity).properties[property as never] as EntityProperty
  return { orphanRemoval, back: metadata.get(target.entity).properties[mappedBy as never] as EntityProperty }
}
