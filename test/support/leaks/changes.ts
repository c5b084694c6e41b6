import type { Attribute, Relation, ResourceType } from '#kernel'
import { type App, hasRelationshipEndpoint, isPolymorphic, type Server } from '#kernel/plugin'
import { sampleOf as sampleValue } from '../sample.ts'
import type { Membership, Memberships } from './membership.ts'
import { sampleOf } from './rows.ts'
import { pivotOf, relationsTo, urlOf, type Way } from './way.ts'
import { batch } from './writes.ts'

/** Rows of a type that a requester may not change, and rows that they may change. */
export interface Locked {
  readonly type: ResourceType
  readonly ids: readonly string[]
  /** Of every type; those of the type itself are the other rows. */
  readonly changeable: ReadonlyMap<ResourceType, readonly string[]>
  /** What a new resource of a type must lead to. */
  readonly required: ReadonlyMap<ResourceType, object>
}

interface Identifier {
  readonly type: string
  readonly id: string
  readonly meta?: object
}

/** Rows on which each way by an attribute of another object is tried. */
const mostRows = 4

/**
 * Every write that could change one of the rows: at its own URL, and through relations, linkage of other resources,
 * attributes of other resources and batches. Deletions come last.
 */
export function changesOf(app: App, locked: Locked, memberships: Memberships): Way[] {
  const { type } = locked
  const ways: Way[] = []
  for (const server of app.servers) {
    if (server.types.has(type.name)) ways.push(...atOwnUrl(server, locked))
    for (const root of server.types.values()) {
      ways.push(...throughAttributes(server, root, locked))
      for (const relation of relationsTo(root, type)) {
        const membership = memberships.get(relation)
        if (membership) ways.push(...throughRelation(server, relation, locked, membership))
      }
    }
  }
  return ways.toSorted((one, other) => Number(isDeletion(one)) - Number(isDeletion(other)))
}

function isDeletion({ method, path }: Way): boolean {
  return method === 'DELETE' && !path.includes('/relationships/')
}

/** The resource itself and its own relationships. */
function atOwnUrl(server: Server, { type, ids: [id = ''], changeable }: Locked): Way[] {
  const { operations, attributes, relations, name } = type
  const path = urlOf(server, type, id)
  const ref = { type: name, id }
  const values = Object.fromEntries(attributes.filter(isWritable).map((one) => [one.name, sampleValue(one, 7)]))
  const data = { ...ref, attributes: values }
  const ways: Way[] = []
  if (operations.has('Update')) {
    ways.push({ method: 'PATCH', path, body: { data }, own: true }, owned(batch(server, { op: 'update', ref, data })))
    for (const relation of relations.filter((one) => one.options.security?.mutate === undefined)) {
      const [target] = relation.targets
      const [first] = (target && changeable.get(target)) ?? []
      const member = target && first !== undefined ? [{ type: target.name, id: first }] : []
      ways.push(...linkageWays(server, relation, id, [[], member]).map(owned))
    }
  }
  if (operations.has('Create') && type.id.clientId !== 'forbidden') {
    ways.push({ method: 'POST', path: urlOf(server, type), body: { data: { ...sampleOf(type), id } }, own: true })
  }
  if (operations.has('Delete')) {
    ways.push(owned(batch(server, { op: 'remove', ref })), { method: 'DELETE', path, own: true })
  }
  return ways
}

function owned(way: Way): Way {
  return { ...way, own: true }
}

function isWritable({ options, writeOnly, hidden, on, readOnlyOnUpdate }: Attribute): boolean {
  return on === null && writeOnly === false && hidden === false && readOnlyOnUpdate === false && options !== undefined
}

/** The other side: members that are added, moved, displaced and removed. */
function throughRelation(
  server: Server,
  relation: Relation,
  { type, ids, changeable, required }: Locked,
  { holder, held, other }: Membership,
): Way[] {
  const { owner, name, toMany } = relation
  const identifierOf = (id: string): Identifier => ({ type: type.name, id, meta: { pivot: pivotOf(relation) } })
  const [id = ''] = ids
  const named = [identifierOf(held ?? id)]
  const free = (changeable.get(type) ?? []).filter((one) => !ids.includes(one)).slice(0, 1)
  const ways: Way[] = []
  if (owner.operations.has('Update')) {
    if (holder !== undefined) {
      ways.push(...linkageWays(server, relation, holder, [[], free.map(identifierOf)], named))
    }
    if (other !== undefined) ways.push(...linkageWays(server, relation, other, [named], [], named))
  }
  if (owner.operations.has('Create')) {
    const data = toMany ? named : named[0]
    const sample = sampleOf(owner, 9)
    const relationships = { ...required.get(owner), [name]: { data } }
    const lid = { type: owner.name, lid: 'new' }
    ways.push(
      { method: 'POST', path: urlOf(server, owner), body: { data: { ...sample, relationships } } },
      batch(server, { op: 'add', data: { ...sample, relationships } }),
      batch(
        server,
        { op: 'add', data: { ...sample, ...lid, relationships: required.get(owner) ?? {} } },
        { op: 'update', ref: { ...lid, relationship: name }, data },
      ),
    )
  }
  if (owner.operations.has('Delete') && holder !== undefined) {
    ways.push({ method: 'DELETE', path: urlOf(server, owner, holder) })
  }
  return ways
}

/** Linkage that is replaced, removed and added: by its own URL, in the resource, and each of it in a batch. */
function linkageWays(
  server: Server,
  relation: Relation,
  parent: string,
  replacements: readonly (readonly object[])[],
  removed: readonly object[] = [],
  added: readonly object[] = [],
): Way[] {
  const { owner, name, segment, toMany } = relation
  const path = `${urlOf(server, owner, parent)}/relationships/${segment}`
  const ref = { type: owner.name, id: parent, relationship: name }
  const ways: Way[] = []
  const change = (method: string, op: string, data: unknown) => {
    if (hasRelationshipEndpoint(relation)) ways.push({ method, path, body: { data } })
    ways.push(batch(server, { op, ref, data }))
  }
  if (toMany && removed.length > 0) change('DELETE', 'remove', removed)
  if (toMany && added.length > 0) change('POST', 'add', added)
  for (const members of replacements) {
    const data = toMany ? members : (members[0] ?? null)
    change('PATCH', 'update', data)
    const resource = { type: owner.name, id: parent, relationships: { [name]: { data } } }
    ways.push({ method: 'PATCH', path: urlOf(server, owner, parent), body: { data: resource } })
    ways.push(batch(server, { op: 'update', data: resource }))
  }
  return ways
}

/** Attributes by `on()`, of rows that may lead to one of the locked ones, and of a new one that does. */
function throughAttributes(server: Server, root: ResourceType, locked: Locked): Way[] {
  return root.attributes.flatMap((attribute) => {
    const relations = chainOf(root, attribute)
    const [first] = relations
    if (!first || relations.at(-1)?.target !== locked.type) return []
    const value = { [attribute.name]: sampleValue(attribute, 8) }
    const ids = (locked.changeable.get(root) ?? []).slice(0, mostRows)
    const changes = root.operations.has('Update') ? ids : []
    const ways = changes.flatMap((id): Way[] => {
      const data = { type: root.name, id, attributes: value }
      return [{ method: 'PATCH', path: urlOf(server, root, id), body: { data } }, batch(server, { op: 'update', data })]
    })
    if (relations.length > 1 || !root.operations.has('Create')) return ways
    const sample = sampleOf(root, 9)
    const member = { type: locked.type.name, id: locked.ids[0] }
    const data = {
      ...sample,
      attributes: { ...sample.attributes, ...value },
      relationships: { ...locked.required.get(root), [first.name]: { data: member } },
    }
    return [...ways, { method: 'POST', path: urlOf(server, root), body: { data } }]
  })
}

/** The relations that lead to the object which holds the attribute. */
function chainOf(root: ResourceType, { on }: Attribute): readonly Relation[] {
  let type: ResourceType | undefined = root
  const relations: Relation[] = []
  for (const name of on ?? []) {
    const relation: Relation | undefined = type?.relations.find((one) => one.name === name)
    if (!relation || isPolymorphic(relation)) return []
    relations.push(relation)
    type = relation.target
  }
  return relations
}
