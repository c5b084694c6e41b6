import { relatedAttributeOwnerMissing } from '../../errors/core-errors.ts'
import type { Context } from '../../model/context.ts'
import type { Attribute, Relation } from '../../model/field.ts'
import type { Operation } from '../../model/operation.ts'
import { createQuery } from '../../model/query.ts'
import type { ResourceType } from '../../model/resource-type.ts'
import { askMembers, beforeSaveMembers, toMemberWrite } from './member-writes.ts'

type Entity = Record<string, unknown>

/**
 * Writes a value to the object at the end of an attribute's to-one relations, which is read within its scope, locked and
 * put before its own policy and hooks.
 */
export async function writeChained(
  attribute: Attribute,
  value: unknown,
  pointer: string,
  entity: object,
  operation: Operation,
): Promise<void> {
  const { target, context } = operation
  let owner = entity as Entity
  let type: ResourceType = target.type
  for (const name of attribute.on ?? []) {
    const relation = type.fields.get(name) as Relation
    const key = await keyBehind(relation, owner, context)
    type = relation.target
    const next = key === undefined || key === null ? null : await type.persister.load(type, key, context)
    if (!next) throw relatedAttributeOwnerMissing({ attribute: attribute.name }, { source: { pointer } })
    owner = next as Entity
  }
  const write = toMemberWrite(operation, type, owner, 'Update')
  await askMembers(type, [write])
  const values = new Map([[attribute.property as string, value]])
  await type.persister.change(type, owner, { values, fills: [], toOne: new Map() }, context)
  await beforeSaveMembers([write])
}

/** The key stands in the owner, or in the row at the other end. */
async function keyBehind(relation: Relation, owner: Entity, context: Context): Promise<unknown> {
  const { target, property, kind } = relation
  if (kind !== 'hasOne') return (owner[property as string] as Entity | null | undefined)?.[target.id.property]
  const base = createQuery({ type: target })
  const query = { where: [], sort: [], paginator: null, window: null, count: false, base, linkage: true }
  const [page] = await relation.owner.provider.related(relation, [owner], query, context)
  return page?.records[0]?.[target.id.property]
}
