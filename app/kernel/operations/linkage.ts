import type { Context } from '../context.ts'
import { resourceNotFound, resourceTypeUnacceptable, validationFailed } from '../core-errors.ts'
import { type ApiError, throwFaults } from '../errors.ts'
import { isObject } from '../fields/codecs.ts'
import { isOwnerSide, isPolymorphic, type Relation } from '../fields/definition.ts'
import { type Identifier, type LinkageInput, linkageModeOf, type Operation } from '../operation.ts'
import type { RelatedKey, RelatedMember, RowChanges } from '../provider.ts'
import { createQuery, type Query } from '../query.ts'
import { remember } from '../remember.ts'
import type { ResourceType } from '../resource.ts'
import { toRowChanges } from './hydrate.ts'
import { identifiersOf, type NamedMember, namedMembers, pointerTo, typeNamed } from './members.ts'

/** Every identifier must be of a type the relation leads to. */
export function checkLinkageTypes(linkage: readonly LinkageInput[]): void {
  const faults: ApiError[] = []
  for (const one of linkage) {
    identifiersOf(one).forEach(({ type }, index) => {
      if (typeNamed(one.relation, type)) return
      const expected = one.relation.targetNames.map((name) => `'${name}'`).join(' or ')
      const pointer = `${pointerTo(one, index)}/type`
      faults.push(resourceTypeUnacceptable({ type, expected }, { source: { pointer } }))
    })
  }
  throwFaults(faults)
}

/** Every identifier must have the form of an id of its type. */
export function linkageFormatFaults(linkage: readonly LinkageInput[]): ApiError[] {
  const faults: ApiError[] = []
  for (const one of linkage) {
    identifiersOf(one).forEach(({ type, id }, index) => {
      if (id === undefined || typeNamed(one.relation, type)?.codec.accepts(id)) return
      const message = `'${id}' does not have the form of an id of type '${type}'.`
      faults.push(validationFailed({ message }, { source: { pointer: `${pointerTo(one, index)}/id` } }))
    })
  }
  return faults
}

/** The linkage of a relation, each member once. */
export interface NamedLinkage {
  readonly relation: Relation
  readonly members: readonly NamedMember[]
}

export function nameMembers(linkage: readonly LinkageInput[]): readonly NamedLinkage[] {
  return linkage.map((one) => ({ relation: one.relation, members: namedMembers(one) }))
}

/** The related resources of a write, all of them there. */
export interface Related {
  /** Of relations whose key stands in the resource itself. */
  readonly toOne: ReadonlyMap<Relation, RelatedKey | null>
  /** Of all others. */
  readonly members: ReadonlyMap<Relation, readonly RelatedMember[]>
}

/** The keys of all related resources; one statement per related type says whether they are there. */
export async function resolveLinkage(operation: Operation, linkage: readonly LinkageInput[]): Promise<Related> {
  const named = nameMembers(linkage)
  await findAll(operation, named)
  return sortLinkage(operation, named)
}

/** The keys of related resources that are known to be there. */
export function sortLinkage(operation: Operation, linkage: readonly NamedLinkage[]): Related {
  const toOne = new Map<Relation, RelatedKey | null>()
  const members = new Map<Relation, readonly RelatedMember[]>()
  for (const { relation, members: named } of linkage) {
    if (isOwnerSide(relation)) toOne.set(relation, named[0] ?? null)
    else
      members.set(
        relation,
        named.map((member) => new Sent(member, relation, operation)),
      )
  }
  return { toOne, members }
}

/** A member, and what was sent for its association row. */
class Sent implements RelatedMember {
  readonly type: ResourceType
  readonly key: unknown
  readonly pointer: string
  readonly #sent: unknown
  readonly #relation: Relation
  readonly #operation: Operation

  constructor({ type, key, pointer, identifier }: NamedMember, relation: Relation, operation: Operation) {
    this.type = type
    this.key = key
    this.pointer = pointer
    this.#sent = identifier.meta?.pivot
    this.#relation = relation
    this.#operation = operation
  }

  rowChanges(row: object | null): RowChanges {
    const sent = isObject(this.#sent) ? this.#sent : {}
    return toRowChanges(this.#operation, this.#relation, sent, this.pointer, row)
  }
}

/** Fails unless all of them are there. */
export async function findAll(operation: Operation, linkage: readonly NamedLinkage[]): Promise<void> {
  throwFaults((await missingMembers(linkage, operation.context)).map(notFound))
}

/** Fails if some members of the linkage are among those that are missing. */
export function checkMissing(linkage: readonly NamedLinkage[], missing: ReadonlySet<NamedMember>): void {
  const members = linkage.flatMap((one) => one.members)
  throwFaults(members.filter((member) => missing.has(member)).map(notFound))
}

/** The members that do not exist, or not for the requester. */
export async function missingMembers(linkage: readonly NamedLinkage[], context: Context): Promise<NamedMember[]> {
  const missing: NamedMember[] = []
  const wanted = new Map<ResourceType, NamedMember[]>()
  for (const { relation, members } of linkage) {
    for (const member of members) {
      if (member.key === undefined) missing.push(member)
      else if (!isMadeHere(member.identifier, relation)) remember(wanted, member.type, () => []).push(member)
    }
  }
  for (const [type, members] of wanted) {
    const found = await keysThere(type, members, context)
    for (const member of members) if (!found.has(member.key)) missing.push(member)
  }
  return missing
}

async function keysThere(
  type: ResourceType,
  members: readonly NamedMember[],
  context: Context,
): Promise<ReadonlySet<unknown>> {
  const keys = [...new Set(members.map(({ key }) => key))]
  const { typeOf } = type.declaration
  const found = new Set<unknown>()
  const query = remember(keyQueries, type, () => keyQuery(type))
  for (const row of await type.provider.many(type, keys, query, context)) {
    if (!typeOf || typeOf(row as never) === type.name) found.add(row[type.id.property])
  }
  return found
}

const keyQueries = new WeakMap<ResourceType, Query>()

/** Nothing but keys is asked for. */
function keyQuery(type: ResourceType): Query {
  const query = createQuery({ type }, new Map())
  query.fields = new Map([[type.name, new Set()]])
  return query
}

/** Made by an earlier operation of the batch. Should it be gone again a foreign key tells, which mixed members lack. */
function isMadeHere({ lid }: Identifier, relation: Relation): boolean {
  return lid !== undefined && !isPolymorphic(relation)
}

function notFound({ identifier: { type, id = '' }, pointer }: NamedMember): ApiError {
  return resourceNotFound({ type, id }, { source: { pointer } })
}

/** Changes the members whose keys stand elsewhere than in the resource, which is saved. */
export async function relate(operation: Operation, entity: object, members: Related['members']): Promise<void> {
  const { target, context, kind } = operation
  const mode = kind === 'Create' ? 'add' : linkageModeOf(kind)
  for (const [relation, named] of members) {
    if (mode !== 'replace' && named.length === 0) continue
    await target.type.persister.relate(relation, entity, { mode, members: named }, context)
  }
}
