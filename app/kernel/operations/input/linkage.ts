import type { Identifier, LinkageInput, Operation } from '../../contract/operation.ts'
import type { Context } from '../../data/context.ts'
import type { LinkageChange, RelatedKey, RelatedMember } from '../../data/persister.ts'
import { acceptedNames } from '../../errors/accepted-names.ts'
import { resourceNotFound, resourceTypeUnacceptable, validationFailed } from '../../errors/core-errors.ts'
import { type ApiError, phrase } from '../../errors/errors.ts'
import { Faults } from '../../errors/faults.ts'
import { getOrCreate } from '../../lib/get-or-create.ts'
import { isObject } from '../../lib/is-object.ts'
import { filterRows } from '../../read/filter-rows.ts'
import { keyQuery } from '../../read/key-query.ts'
import { isOwnerSide, type Relation, type Row } from '../../schema/field.ts'
import { isOfType, type ResourceType } from '../../schema/resource-type.ts'
import { toPivotChanges } from './hydrate.ts'
import { checkLinks, type FoundRows, hasMemberSteps, prepareMove, toLinkageMode } from './member-writes.ts'
import { type NamedMember, namedMembers, typeNamed } from './members.ts'

/**
 * Throws if an identifier has a type that the relation does not lead to. Reports identifiers that do not have the form of an
 * id of their type.
 */
export function checkLinkage({ context }: Operation, linkage: readonly LinkageInput[], faults: Faults): void {
  const found: WrongIdentifiers = { types: null, ids: null }
  for (const { relation, data, pointer } of linkage) {
    if (!Array.isArray(data)) {
      if (data !== null) checkIdentifier(relation, data as Identifier, pointer, found)
      continue
    }
    for (const [index, one] of (data as readonly Identifier[]).entries())
      checkIdentifier(relation, one, `${pointer}/${index}`, found)
  }
  if (found.types) {
    const wrongTypes = new Faults(context.app.config.limits.errors)
    for (const error of found.types) wrongTypes.push(error)
    wrongTypes.throwAny()
  }
  if (found.ids) for (const error of found.ids) faults.push(error)
}

interface WrongIdentifiers {
  types: ApiError[] | null
  ids: ApiError[] | null
}

function checkIdentifier(relation: Relation, { type, id }: Identifier, pointer: string, found: WrongIdentifiers): void {
  const target = typeNamed(relation, type)
  if (!target) {
    const expected = acceptedNames(relation.targetNames, type)
    found.types ??= []
    found.types.push(resourceTypeUnacceptable({ type, expected }, { source: { pointer: `${pointer}/type` } }))
  } else if (id !== undefined && !target.codec.accepts(id)) {
    const message = phrase("'{id}' does not have the form of an id of type '{type}'.", { id, type })
    found.ids ??= []
    found.ids.push(validationFailed({ message }, { source: { pointer: `${pointer}/id` } }))
  }
}

/** The linkage of a relation, each member once. */
export interface NamedLinkage {
  readonly relation: Relation
  readonly members: readonly NamedMember[]
}

export function toNamedLinkage(linkage: readonly LinkageInput[]): readonly NamedLinkage[] {
  const named: NamedLinkage[] = []
  for (const one of linkage) named.push({ relation: one.relation, members: namedMembers(one) })
  return named
}

/** The related resources of a write, all of them visible to the requester. */
export interface Related {
  /** Relations whose key is a column of the resource. */
  readonly toOne: ReadonlyMap<Relation, RelatedKey | null>
  /** All other relations, and how each changes. */
  readonly changes: ReadonlyMap<Relation, LinkageChange>
}

/**
 * Looks up the related resources of a write by one statement per type, and authorizes the changes of their rows. Throws
 * RESOURCE_NOT_FOUND if the requester does not see one of them. The parent is null while it is new.
 */
export async function resolveLinkage(
  operation: Operation,
  linkage: readonly NamedLinkage[],
  parent: object | null,
): Promise<Related> {
  const found = await findMembers(operation, linkage)
  checkFound(operation, linkage, found)
  const changes = new Map<Relation, LinkageChange>()
  const mode = toLinkageMode(operation)
  for (const { relation, members: sent } of linkage) {
    if (isOwnerSide(relation)) continue
    const members = sent.map((member) => toRelatedMember(member, relation, operation))
    if (mode !== 'replace' && members.length === 0) continue
    const locked = await prepareMembers(operation, relation, parent, members, found)
    changes.set(relation, { mode, members, ...locked })
  }
  return { toOne: toOnesIn(linkage), changes }
}

async function prepareMembers(
  operation: Operation,
  relation: Relation,
  parent: object | null,
  members: readonly RelatedMember[],
  found: FoundRows,
): Promise<Pick<LinkageChange, 'locked' | 'beforeSave'>> {
  const isMove = relation.kind === 'hasMany' || relation.kind === 'hasOne'
  if (isMove && hasMemberSteps(operation, relation.target)) {
    const prepared = await prepareMove(operation, relation, parent, members)
    if (prepared) return prepared
  }
  await checkLinks(operation, relation, parent, members, found)
  return {}
}

/** The to-ones whose key is a column of the resource. */
export function toOnesIn(named: readonly NamedLinkage[]): Related['toOne'] {
  const toOne = new Map<Relation, RelatedKey | null>()
  for (const { relation, members } of named) if (isOwnerSide(relation)) toOne.set(relation, members[0] ?? null)
  return toOne
}

function toRelatedMember(member: NamedMember, relation: Relation, operation: Operation): RelatedMember {
  const { type, key, pointer, identifier } = member
  const sent = identifier.meta?.pivot
  const pivot = isObject(sent) ? sent : {}
  return { type, key, pointer, pivotChanges: (row) => toPivotChanges(operation, relation, pivot, pointer, row) }
}

/** Reads the members that exist for the requester: one statement per type. */
export async function findMembers(operation: Operation, linkage: readonly NamedLinkage[]): Promise<FoundRows> {
  const rows = new Map<ResourceType, ReadonlyMap<string, Row>>()
  const membersByType = new Map<ResourceType, NamedMember[]>()
  for (const { members } of linkage) {
    for (const member of members) {
      if (member.key !== undefined) getOrCreate(membersByType, member.type, () => []).push(member)
    }
  }
  for (const [type, members] of membersByType) rows.set(type, await findRows(type, members, operation.context))
  return rows
}

/** Throws RESOURCE_NOT_FOUND if a member of the linkage was not found. */
export function checkFound(operation: Operation, linkage: readonly NamedLinkage[], found: FoundRows): void {
  const faults = new Faults(operation.context.app.config.limits.errors)
  for (const { members } of linkage) {
    for (const member of members) {
      const isFound = member.key !== undefined && found.get(member.type)?.has(String(member.key))
      if (!isFound) faults.push(notFound(member))
    }
  }
  faults.throwAny()
}

async function findRows(
  type: ResourceType,
  members: readonly NamedMember[],
  context: Context,
): Promise<ReadonlyMap<string, Row>> {
  const keys = [...new Set(members.map(({ key }) => key))]
  const query = keyQuery(type, type.linkColumns)
  const rows = await filterRows(type, await type.provider.many(type, keys, query, context), context)
  const rowsOfType = rows.filter((row) => isOfType(row, type))
  return new Map(rowsOfType.map((row) => [String(row[type.id.property]), row]))
}

function notFound({ identifier: { type, id, lid = '' }, pointer }: NamedMember): ApiError {
  return resourceNotFound({ type, id: id ?? lid }, { source: { pointer } })
}

/** Changes the members of relations whose keys are not columns of the saved resource. */
export async function relate({ target, context }: Operation, entity: object, { changes }: Related): Promise<void> {
  for (const [relation, change] of changes) await target.type.persister.relate(relation, entity, change, context)
}
