import { resourceNotFound, resourceTypeUnacceptable, validationFailed } from '../core-errors.ts'
import { type ApiError, throwFaults } from '../errors.ts'
import { isObject } from '../fields/codecs.ts'
import { isOwnerSide, isPolymorphic, type Relation } from '../fields/definition.ts'
import { type Identifier, type LinkageInput, linkageModeOf, type Operation } from '../operation.ts'
import type { RelatedKey, RelatedMember } from '../provider.ts'
import { createQuery } from '../query.ts'
import { remember } from '../remember.ts'
import type { ResourceType } from '../resource.ts'
import { toRowChanges } from './hydrate.ts'
import { identifiersOf, keyNamed, type NamedMember, namedMembers, typeNamed, type Use } from './members.ts'

/** Every identifier must be of a type the relation leads to. */
export function checkLinkageTypes(linkage: readonly LinkageInput[]): void {
  const faults = linkage.flatMap((one) =>
    identifiersOf(one).flatMap(({ identifier: { type }, pointer }) => {
      if (typeNamed(one.relation, type)) return []
      const expected = one.relation.targetNames.map((name) => `'${name}'`).join(' or ')
      return [resourceTypeUnacceptable({ type, expected }, { source: { pointer: `${pointer}/type` } })]
    }),
  )
  throwFaults(faults)
}

/** Every identifier must have the form of an id of its type. */
export function linkageFormatFaults(linkage: readonly LinkageInput[]): ApiError[] {
  return linkage.flatMap((one) =>
    identifiersOf(one).flatMap(({ identifier: { type, id }, pointer }) => {
      if (id === undefined || typeNamed(one.relation, type)?.codec.accepts(id)) return []
      const message = `'${id}' does not have the form of an id of type '${type}'.`
      return [validationFailed({ message }, { source: { pointer: `${pointer}/id` } })]
    }),
  )
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
  await findAll(operation, linkage)
  return sortLinkage(operation, linkage)
}

/** The keys of related resources that are known to be there. */
export function sortLinkage(operation: Operation, linkage: readonly LinkageInput[]): Related {
  const toOne = new Map<Relation, RelatedKey | null>()
  const members = new Map<Relation, readonly RelatedMember[]>()
  for (const one of linkage) {
    const named = namedMembers(one)
    if (isOwnerSide(one.relation)) toOne.set(one.relation, named[0] ?? null)
    else members.set(one.relation, toMembers(one.relation, named, operation))
  }
  return { toOne, members }
}

function toMembers(relation: Relation, named: readonly NamedMember[], operation: Operation): readonly RelatedMember[] {
  return named.map(({ type, key, pointer, meta }) => {
    const sent = isObject(meta?.pivot) ? meta.pivot : {}
    return { type, key, pointer, rowChanges: (row) => toRowChanges(operation, relation, sent, pointer, row) }
  })
}

/** Fails unless all of them are there. */
export async function findAll(operation: Operation, linkage: readonly LinkageInput[]): Promise<void> {
  const faults: ApiError[] = []
  const wanted = new Map<ResourceType, Map<unknown, Use[]>>()
  for (const one of linkage) {
    for (const use of identifiersOf(one)) {
      const { identifier } = use
      const type = typeNamed(one.relation, identifier.type) as ResourceType
      const key = keyNamed(identifier, type)
      if (key === undefined) faults.push(notFound(use))
      if (key === undefined || isMadeHere(identifier, one.relation)) continue
      const keys = remember(wanted, type, () => new Map<unknown, Use[]>())
      remember(keys, key, () => []).push(use)
    }
  }
  for (const [type, keys] of wanted) {
    for (const key of await keysThere(operation, type, [...keys.keys()])) keys.delete(key)
    for (const uses of keys.values()) faults.push(...uses.map(notFound))
  }
  throwFaults(faults)
}

async function keysThere({ context }: Operation, type: ResourceType, keys: readonly unknown[]): Promise<unknown[]> {
  const query = createQuery({ type })
  query.fields.set(type.name, new Set())
  const { typeOf } = type.declaration
  const rows = await type.provider.many(type, keys, query, context)
  return rows.filter((row) => !typeOf || typeOf(row as never) === type.name).map((row) => row[type.id.property])
}

/** Made by an earlier operation of the batch. Should it be gone again a foreign key tells, which mixed members lack. */
function isMadeHere({ lid }: Identifier, relation: Relation): boolean {
  return lid !== undefined && !isPolymorphic(relation)
}

function notFound({ identifier: { type, id = '' }, pointer }: Use): ApiError {
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
