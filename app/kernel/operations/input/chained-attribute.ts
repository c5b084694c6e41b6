import type { LinkageInput, MemberWrite, Operation } from '../../contract/operation.ts'
import type { Context } from '../../data/context.ts'
import { createQuery, emptyRelationQuery } from '../../data/create-query.ts'
import { relatedAttributeOwnerMissing } from '../../errors/core-errors.ts'
import { getOrCreate } from '../../lib/get-or-create.ts'
import type { Attribute, Relation } from '../../schema/field.ts'
import type { ResourceType } from '../../schema/resource-type.ts'
import { beforeSaveMembers, checkMembers, toMemberWrite } from './member-writes.ts'
import { memberName, namedMembers } from './members.ts'

type Entity = Record<string, unknown>

/** The value of a chained attribute: it is stored in a row at the end of to-one relations. */
export interface ChainedValue {
  readonly attribute: Attribute
  /** The value to store in the owner: members of an object that were not sent keep their values. */
  readonly valueFor: (owner: object) => unknown
  readonly pointer: string
}

/** An entity at the end of to-one relations, and its new values. */
interface Owner {
  readonly type: ResourceType
  readonly entity: Entity
  readonly values: Map<string, unknown>
}

/**
 * Writes chained attributes. Each owner is loaded within its scope and locked, and its policy and hooks run once, before
 * any value is changed.
 */
export async function writeChained(
  chained: readonly ChainedValue[],
  subject: object,
  operation: Operation,
  linkage: readonly LinkageInput[],
): Promise<void> {
  const { context } = operation
  const owners = await findOwners(chained, subject as Entity, operation, linkage)
  const relatedOwners = owners.filter(({ entity }) => entity !== subject)
  const writes = relatedOwners.map(({ type, entity }) => toMemberWrite(operation, type, entity, 'Update'))
  for (const [type, writesOfType] of Map.groupBy(writes, getType)) await checkMembers(type, writesOfType)
  for (const { type, entity, values } of owners) {
    await type.persister.change(type, entity, { values, fills: [], toOne: new Map() }, context)
  }
  await beforeSaveMembers(writes)
}

const getType = ({ operation }: MemberWrite) => operation.target.type

/** Each owner once, even if several attributes lead to it. */
async function findOwners(
  chained: readonly ChainedValue[],
  subject: Entity,
  operation: Operation,
  linkage: readonly LinkageInput[],
): Promise<readonly Owner[]> {
  const { target, context } = operation
  const loading = new Map<string, Promise<Entity | null>>()
  // The subject is changed in memory already: another load would discard the changes.
  loading.set(memberName(target.type, target.type.persister.keyOf(target.type, subject)), Promise.resolve(subject))
  const load = (type: ResourceType, key: unknown) =>
    getOrCreate(loading, memberName(type, key), () => type.persister.load(type, key, context) as Promise<Entity | null>)
  const owners = new Map<Entity, Owner>()
  for (const { attribute, valueFor, pointer } of chained) {
    const found = await follow(attribute, subject, operation, load, linkage)
    if (!found) throw relatedAttributeOwnerMissing({ attribute: attribute.name }, { source: { pointer } })
    const owner = getOrCreate(owners, found.entity, () => ({ ...found, values: new Map() }))
    owner.values.set(attribute.property as string, valueFor(found.entity))
  }
  return [...owners.values()]
}

/** The entity at the end of the relations, as the linkage of the request changes them; null if one of them is empty. */
async function follow(
  { on }: Attribute,
  subject: Entity,
  { target, context }: Operation,
  load: (type: ResourceType, key: unknown) => Promise<Entity | null>,
  linkage: readonly LinkageInput[],
): Promise<Pick<Owner, 'type' | 'entity'> | null> {
  let entity = subject
  let { type } = target
  for (const name of on ?? []) {
    const relation = type.fields.get(name) as Relation
    const sent = entity === subject && linkage.find((one) => one.relation === relation)
    const key = sent ? namedMembers(sent)[0]?.key : await keyBehind(relation, entity, context)
    type = relation.target
    const next = key === undefined || key === null ? null : await load(type, key)
    if (!next) return null
    entity = next
  }
  return { type, entity }
}

/** The key of a to-one: held by the entity, or by the row at the other end of a has-one. */
async function keyBehind(relation: Relation, owner: Entity, context: Context): Promise<unknown> {
  const { target, property, kind } = relation
  if (kind !== 'hasOne') return (owner[property as string] as Entity | null | undefined)?.[target.id.property]
  const base = createQuery({ type: target })
  const query = emptyRelationQuery(base, true)
  const [page] = await relation.owner.provider.related(relation, [owner], query, context)
  return page?.records[0]?.[target.id.property]
}
