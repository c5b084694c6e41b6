import { isIn } from '../../model/condition.ts'
import type { Relation, Row } from '../../model/field.ts'
import type { Identifier, LinkageInput, Operation } from '../../model/operation.ts'
import { createQuery, emptyRelationQuery } from '../../model/query.ts'
import type { ResourceType } from '../../model/resource-type.ts'
import { pivotKey } from '../../model/selection.ts'

/** The identifiers that were sent: none, one, or a list of them. */
export function identifiersOf({ data }: LinkageInput): readonly Identifier[] {
  if (data === null) return []
  return isList(data) ? data : [data]
}

/** Where one of them stands in the request. */
export function pointerTo({ data, pointer }: LinkageInput, index: number): string {
  return Array.isArray(data) ? `${pointer}/${index}` : pointer
}

function isList(data: Identifier | readonly Identifier[]): data is readonly Identifier[] {
  return Array.isArray(data)
}

/** A member as the request names it. */
export interface NamedMember {
  readonly type: ResourceType
  /** Undefined when nothing can have its id; that is told where it is looked up. */
  readonly key: unknown
  readonly identifier: Identifier
  readonly pointer: string
}

/** Each member once, in the order they are named; of one named twice the last association values count. */
export function namedMembers(linkage: LinkageInput): readonly NamedMember[] {
  const { relation } = linkage
  const members = new Map<unknown, NamedMember>()
  identifiersOf(linkage).forEach((identifier, index) => {
    const type = typeNamed(relation, identifier.type) as ResourceType
    const key = type.codec.decode(identifier.id as string)
    const name = key !== undefined && relation.targets.length === 1 ? key : `${type.name} ${key ?? `?${identifier.id}`}`
    if (identifier.meta?.pivot !== undefined || !members.has(name)) {
      members.set(name, { type, key, identifier, pointer: pointerTo(linkage, index) })
    }
  })
  return [...members.values()]
}

/**
 * Those of the named members that a relation has before the change, as far as the requester may see them, and their
 * association values.
 */
export async function currentMembers(
  { context }: Operation,
  relation: Relation,
  subject: object,
  named: readonly NamedMember[],
): Promise<Map<string, Row>> {
  const { owner, target, targets, pivotFields } = relation
  const base = createQuery({ type: owner, relation })
  const keys = named.flatMap(({ key }) => (key === undefined ? [] : [key]))
  // A condition is about the rows of one type.
  const where = targets.length === 1 ? [isIn(target.id.property, keys)] : []
  const query = emptyRelationQuery(base, true, { where })
  const [page] = await owner.provider.related(relation, [toParent(owner, subject)], query, context)
  const rows = (page?.records ?? []).map((record, index): [string, Row] => {
    const type = page?.types?.[index] ?? target
    const values = pivotFields.map((field) => [field.property, record[pivotKey(field)]])
    return [memberName(type, record[type.id.property]), Object.fromEntries(values)]
  })
  return new Map(rows)
}

/** The number of members that a relation has before the change, as far as the requester may see them. */
export async function countCurrentMembers(
  { context }: Operation,
  relation: Relation,
  subject: object,
): Promise<number> {
  const { owner } = relation
  const base = createQuery({ type: owner, relation })
  const window = { limit: 0, offset: 0, probe: false }
  const query = emptyRelationQuery(base, true, { window, count: true })
  const [page] = await owner.provider.related(relation, [toParent(owner, subject)], query, context)
  return page?.total ?? 0
}

/** The subject of a write as a parent whose members are read: rows in memory hold the keys of their members. */
export function toParent(owner: ResourceType, subject: object): Row {
  return { ...subject, [owner.id.property]: owner.persister.keyOf(owner, subject) }
}

/** The same for the same member, and for no other. */
export function memberName({ name }: ResourceType, key: unknown): string {
  return `${name} ${String(key)}`
}

export function typeNamed({ targets }: Relation, name: string): ResourceType | undefined {
  for (const type of targets) if (type.name === name) return type
  return undefined
}
