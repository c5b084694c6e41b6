import type { Identifier, LinkageInput } from '../../contract/operation.ts'
import type { Relation, Row } from '../../schema/field.ts'
import type { ResourceType } from '../../schema/resource-type.ts'

export function listIdentifiers({ data }: LinkageInput): readonly Identifier[] {
  if (data === null) return []
  return Array.isArray(data) ? data : [data as Identifier]
}

/** A member that the request names. */
export interface NamedMember {
  readonly type: ResourceType
  /** Undefined if no row can have the id: the lookup reports it as not found. */
  readonly key: unknown
  readonly identifier: Identifier
  readonly pointer: string
}

/** Each member once, in the order of the request. If a member is named twice, its last pivot values apply. */
export function namedMembers({ relation, data, pointer }: LinkageInput): readonly NamedMember[] {
  if (!Array.isArray(data)) return data === null ? [] : [nameMember(relation, data as Identifier, pointer)]
  const members = new Map<unknown, NamedMember>()
  for (const [index, identifier] of (data as readonly Identifier[]).entries()) {
    const member = nameMember(relation, identifier, `${pointer}/${index}`)
    const { type, key } = member
    const name = key !== undefined && relation.targets.length === 1 ? key : `${type.name} ${key ?? `?${identifier.id}`}`
    if (identifier.meta?.pivot !== undefined || !members.has(name)) members.set(name, member)
  }
  return [...members.values()]
}

function nameMember(relation: Relation, identifier: Identifier, pointer: string): NamedMember {
  const type = relation.targets.length === 1 ? relation.target : (typeNamed(relation, identifier.type) as ResourceType)
  return { type, key: type.codec.decode(identifier.id as string), identifier, pointer }
}

/** The subject of a write as a parent whose members are read. Rows in memory hold the keys of their members. */
export function toParent(owner: ResourceType, subject: object): Row {
  return { ...subject, [owner.id.property]: owner.persister.keyOf(owner, subject) }
}

/** Identifies a member by its type and key. */
export function memberName({ name }: ResourceType, key: unknown): string {
  return `${name} ${String(key)}`
}

/** The target of a relation by its type name. Undefined if the relation does not lead to it. */
export function typeNamed({ targets }: Relation, name: string): ResourceType | undefined {
  for (const type of targets) if (type.name === name) return type
  return undefined
}
