import type { Attribute, Relation, ResourceType } from '#kernel'
import { type App, hasRelationshipEndpoint, isPolymorphic, type Server } from '#kernel/plugin'
import { sampleValue } from '../sample.ts'
import { buildUrl, type LeakRequest, relationsTo, samplePivot } from './leak-request.ts'
import type { Membership, Memberships } from './membership.ts'
import { sampleResource } from './rows.ts'
import { batch } from './writes.ts'

/** Rows of a type that a caller may not change, and rows that the caller may change. */
export interface LockedRows {
  readonly type: ResourceType
  readonly ids: readonly string[]
  /** The ids of the changeable rows by type. */
  readonly changeable: ReadonlyMap<ResourceType, readonly string[]>
  /** The relationships that a new resource of a type requires. */
  readonly required: ReadonlyMap<ResourceType, object>
}

interface Identifier {
  readonly type: string
  readonly id: string
  readonly meta?: object
}

/** The number of rows on which each write through an attribute is tried. */
const mostRows = 4

/**
 * Returns every write that could change one of the rows: at its own URL, through relations, linkage and attributes of
 * other resources, and in batches. Deletions are the last ones.
 */
export function listChanges(app: App, locked: LockedRows, memberships: Memberships): LeakRequest[] {
  const { type } = locked
  const requests: LeakRequest[] = []
  for (const server of app.servers) {
    if (server.types.has(type.name)) requests.push(...atOwnUrl(server, locked))
    for (const root of server.types.values()) {
      requests.push(...throughAttributes(server, root, locked))
      for (const relation of relationsTo(root, type)) {
        const membership = memberships.get(relation)
        if (membership) requests.push(...throughRelation(server, relation, locked, membership))
      }
    }
  }
  return requests.toSorted((one, other) => Number(isDeletion(one)) - Number(isDeletion(other)))
}

function isDeletion({ method, path }: LeakRequest): boolean {
  return method === 'DELETE' && !path.includes('/relationships/')
}

/** Writes of the resource itself and of its own relationships. */
function atOwnUrl(server: Server, { type, ids: [id = ''], changeable }: LockedRows): LeakRequest[] {
  const { operations, attributes, relations, name } = type
  const path = buildUrl(server, type, id)
  const ref = { type: name, id }
  const values = Object.fromEntries(
    attributes.filter(isWritable).map((attribute) => [attribute.name, sampleValue(attribute, 7)]),
  )
  const data = { ...ref, attributes: values }
  const requests: LeakRequest[] = []
  if (operations.has('Update')) {
    requests.push(
      { method: 'PATCH', path, body: { data }, isOwnUrl: true },
      owned(batch(server, { op: 'update', ref, data })),
    )
    for (const relation of relations.filter(({ options }) => options.security?.mutate === undefined)) {
      const [target] = relation.targets
      const [first] = (target && changeable.get(target)) ?? []
      const member = target && first !== undefined ? [{ type: target.name, id: first }] : []
      requests.push(...linkageRequests(server, relation, id, [[], member]).map(owned))
    }
  }
  if (operations.has('Create') && type.id.clientId !== 'forbidden') {
    requests.push({
      method: 'POST',
      path: buildUrl(server, type),
      body: { data: { ...sampleResource(type), id } },
      isOwnUrl: true,
    })
  }
  if (operations.has('Delete')) {
    requests.push(owned(batch(server, { op: 'remove', ref })), { method: 'DELETE', path, isOwnUrl: true })
  }
  return requests
}

function owned(request: LeakRequest): LeakRequest {
  return { ...request, isOwnUrl: true }
}

function isWritable({ options, writeOnly, hidden, on, readOnlyOnUpdate }: Attribute): boolean {
  return on === null && writeOnly === false && hidden === false && readOnlyOnUpdate === false && options !== undefined
}

/** Writes of the inverse side: members that are added, moved, displaced and removed. */
function throughRelation(
  server: Server,
  relation: Relation,
  { type, ids, changeable, required }: LockedRows,
  { holder, held, other }: Membership,
): LeakRequest[] {
  const { owner, name, toMany } = relation
  const identifierOf = (id: string): Identifier => ({ type: type.name, id, meta: { pivot: samplePivot(relation) } })
  const [id = ''] = ids
  const named = [identifierOf(held ?? id)]
  const free = (changeable.get(type) ?? []).filter((candidate) => !ids.includes(candidate)).slice(0, 1)
  const requests: LeakRequest[] = []
  if (owner.operations.has('Update')) {
    if (holder !== undefined) {
      requests.push(...linkageRequests(server, relation, holder, [[], free.map(identifierOf)], named))
    }
    if (other !== undefined) requests.push(...linkageRequests(server, relation, other, [named], [], named))
  }
  if (owner.operations.has('Create')) {
    const data = toMany ? named : named[0]
    const sample = sampleResource(owner, 9)
    const relationships = { ...required.get(owner), [name]: { data } }
    const lid = { type: owner.name, lid: 'new' }
    requests.push(
      { method: 'POST', path: buildUrl(server, owner), body: { data: { ...sample, relationships } } },
      batch(server, { op: 'add', data: { ...sample, relationships } }),
      batch(
        server,
        { op: 'add', data: { ...sample, ...lid, relationships: required.get(owner) ?? {} } },
        { op: 'update', ref: { ...lid, relationship: name }, data },
      ),
    )
  }
  if (owner.operations.has('Delete') && holder !== undefined) {
    requests.push({ method: 'DELETE', path: buildUrl(server, owner, holder) })
  }
  return requests
}

/** Writes that replace, remove and add linkage: at its own URL, in the resource, and each of them in a batch. */
function linkageRequests(
  server: Server,
  relation: Relation,
  parent: string,
  replacements: readonly (readonly object[])[],
  removed: readonly object[] = [],
  added: readonly object[] = [],
): LeakRequest[] {
  const { owner, name, segment, toMany } = relation
  const path = `${buildUrl(server, owner, parent)}/relationships/${segment}`
  const ref = { type: owner.name, id: parent, relationship: name }
  const requests: LeakRequest[] = []
  const change = (method: string, op: string, data: unknown) => {
    if (hasRelationshipEndpoint(relation)) requests.push({ method, path, body: { data } })
    requests.push(batch(server, { op, ref, data }))
  }
  if (toMany && removed.length > 0) change('DELETE', 'remove', removed)
  if (toMany && added.length > 0) change('POST', 'add', added)
  for (const members of replacements) {
    const data = toMany ? members : (members[0] ?? null)
    change('PATCH', 'update', data)
    const resource = { type: owner.name, id: parent, relationships: { [name]: { data } } }
    requests.push({ method: 'PATCH', path: buildUrl(server, owner, parent), body: { data: resource } })
    requests.push(batch(server, { op: 'update', data: resource }))
  }
  return requests
}

/** Writes of attributes with `on()`, of rows that may refer to a locked row, and of a new row that does. */
function throughAttributes(server: Server, root: ResourceType, locked: LockedRows): LeakRequest[] {
  return root.attributes.flatMap((attribute) => {
    const relations = relationsToAttribute(root, attribute)
    const [first] = relations
    if (!first || relations.at(-1)?.target !== locked.type) return []
    const value = { [attribute.name]: sampleValue(attribute, 8) }
    const ids = (locked.changeable.get(root) ?? []).slice(0, mostRows)
    const changes = root.operations.has('Update') ? ids : []
    const requests = changes.flatMap((id): LeakRequest[] => {
      const data = { type: root.name, id, attributes: value }
      return [
        { method: 'PATCH', path: buildUrl(server, root, id), body: { data } },
        batch(server, { op: 'update', data }),
      ]
    })
    if (relations.length > 1 || !root.operations.has('Create')) return requests
    const sample = sampleResource(root, 9)
    const member = { type: locked.type.name, id: locked.ids[0] }
    const data = {
      ...sample,
      attributes: { ...sample.attributes, ...value },
      relationships: { ...locked.required.get(root), [first.name]: { data: member } },
    }
    return [...requests, { method: 'POST', path: buildUrl(server, root), body: { data } }]
  })
}

/** Returns the relations from the type to the entity of the attribute. */
function relationsToAttribute(root: ResourceType, { on }: Attribute): readonly Relation[] {
  let type: ResourceType | undefined = root
  const relations: Relation[] = []
  for (const name of on ?? []) {
    const relation: Relation | undefined = type?.relations.find((candidate) => candidate.name === name)
    if (!relation || isPolymorphic(relation)) return []
    relations.push(relation)
    type = relation.target
  }
  return relations
}
