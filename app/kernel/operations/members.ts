import type { Rec, Relation } from '../fields/definition.ts'
import type { Identifier, LinkageInput, Operation } from '../operation.ts'
import { createQuery } from '../query.ts'
import type { ResourceType } from '../resource.ts'
import { pivotKey } from '../selection.ts'

/** An identifier, and where it stands in the request. */
export interface Use {
  readonly identifier: Identifier
  readonly pointer: string
}

export function identifiersOf({ data, pointer }: LinkageInput): Use[] {
  if (data === null) return []
  if (!isList(data)) return [{ identifier: data, pointer }]
  return data.map((identifier, index) => ({ identifier, pointer: `${pointer}/${index}` }))
}

function isList(data: Identifier | readonly Identifier[]): data is readonly Identifier[] {
  return Array.isArray(data)
}

/** A member as the request names it. */
export interface NamedMember {
  readonly type: ResourceType
  /** Undefined when nothing can have its id; that is told where it is looked up. */
  readonly key: unknown
  readonly meta: Identifier['meta']
  readonly pointer: string
}

/** Each member once, in the order they are named; of one named twice the last association values count. */
export function namedMembers(linkage: LinkageInput): NamedMember[] {
  const members = new Map<string, NamedMember>()
  for (const { identifier, pointer } of identifiersOf(linkage)) {
    const type = typeNamed(linkage.relation, identifier.type) as ResourceType
    const key = keyNamed(identifier, type)
    const { meta } = identifier
    const name = key === undefined ? `${type.name} ?${identifier.id}` : memberName(type, key)
    if (meta?.pivot !== undefined || !members.has(name)) members.set(name, { type, key, meta, pointer })
  }
  return [...members.values()]
}

/** The members of a relation before the change, as far as the requester may see them, and their association values. */
export async function currentMembers(
  { context }: Operation,
  relation: Relation,
  subject: object,
): Promise<Map<string, Rec>> {
  const { owner, target, pivotFields } = relation
  const base = createQuery({ type: owner, relation })
  const query = { where: [], sort: [], paginator: null, window: null, count: false, base, linkage: true }
  const parent = { [owner.id.property]: owner.persister.keyOf(owner, subject) }
  const [page] = await owner.provider.related(relation, [parent], query, context)
  const rows = (page?.records ?? []).map((record, index): [string, Rec] => {
    const type = page?.types?.[index] ?? target
    const values = pivotFields.map((field) => [field.property, record[pivotKey(field)]])
    return [memberName(type, record[type.id.property]), Object.fromEntries(values)]
  })
  return new Map(rows)
}

/** The same for the same member, and for no other. */
export function memberName({ name }: ResourceType, key: unknown): string {
  return `${name} ${String(key)}`
}

export function typeNamed({ targets }: Relation, name: string): ResourceType | undefined {
  return targets.find((type) => type.name === name)
}

/** Undefined when nothing can have this id. */
export function keyNamed({ id }: Identifier, type: ResourceType): unknown {
  return type.codec.decode(id as string)
}
