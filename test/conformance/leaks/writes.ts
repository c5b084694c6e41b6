import type { Relation, ResourceType } from '#kernel'
import type { App, Server } from '#kernel/plugin'
import { mediaType } from '#test/support/client.ts'
import {
  buildUrl,
  type HiddenRows,
  historyUrls,
  type LeakRequest,
  read,
  relationsTo,
  samplePivot,
} from './leak-request.ts'
import { sampleResource } from './rows.ts'

interface Identifier {
  readonly type: string
  readonly id: string
}

/** Returns every request that names a hidden row: by its own URL, in linkage of a write, and in a batch. */
export function requestsNaming({ servers }: App, { type, ids: [id = ''], visible }: HiddenRows): LeakRequest[] {
  return servers.flatMap((server) => [
    ...(server.types.has(type.name) ? byUrl(server, type, id).map((request) => ({ ...request, isOwnUrl: true })) : []),
    ...[...server.types.values()].flatMap((root) =>
      relationsTo(root, type).flatMap((relation) => {
        const [parent] = visible.get(root) ?? []
        return byLinkage(server, relation, { type: type.name, id }, parent)
      }),
    ),
  ])
}

function byUrl(server: Server, type: ResourceType, id: string): LeakRequest[] {
  const url = buildUrl(server, type, id)
  const ref = { type: type.name, id }
  return [
    read(url),
    { method: 'HEAD', path: url },
    { method: 'PATCH', path: url, body: { data: ref } },
    { method: 'DELETE', path: url },
    batch(server, { op: 'update', ref, data: ref }),
    batch(server, { op: 'remove', ref }),
    batch(server, { op: 'remove', href: url }),
    ...historyUrls(server, type, id).map(read),
    ...type.relations.flatMap((relation) =>
      [
        read(`${url}/${relation.segment}`),
        read(`${url}/relationships/${relation.segment}`),
        ...linkageChanges(server, relation, ref, relation.toMany ? [] : null),
      ].map((request) => (relation.options.security ? { ...request, isDecidedByRelation: true } : request)),
    ),
  ]
}

function byLinkage(server: Server, relation: Relation, hidden: Identifier, parent: string | undefined): LeakRequest[] {
  const { owner, name, toMany } = relation
  const identifier = { ...hidden, meta: { pivot: samplePivot(relation) } }
  const data = toMany ? [identifier] : identifier
  // Another number than that of any row: a conflict with a hidden row reveals it by its unique value.
  const sample = sampleResource(owner, 6)
  const related = { ...sample, relationships: { [name]: { data } } }
  const lid = { type: owner.name, lid: 'new' }
  // A new resource without the relation would get another generated id in each response.
  const creates = [
    { method: 'POST', path: buildUrl(server, owner), body: { data: related } },
    batch(server, { op: 'add', data: related }),
  ]
  return [
    ...(relation.readOnlyOnCreate === true ? [] : creates),
    batch(
      server,
      { op: 'add', data: { ...sample, ...lid } },
      { op: 'update', ref: { ...lid, relationship: name }, data },
    ),
    ...(parent === undefined ? [] : fromParent(server, relation, parent, data)),
  ]
}

function fromParent(server: Server, relation: Relation, id: string, data: object): LeakRequest[] {
  const ref = { type: relation.owner.name, id }
  const changed = { ...ref, relationships: { [relation.name]: { data } } }
  return [
    { method: 'PATCH', path: buildUrl(server, relation.owner, id), body: { data: changed } },
    batch(server, { op: 'update', data: changed }),
    ...linkageChanges(server, relation, ref, data),
  ]
}

/** Writes that replace, add and remove linkage, at its own URL and in a batch. */
function linkageChanges(
  server: Server,
  { owner, name, segment, toMany }: Relation,
  ref: Identifier,
  data: object | null,
): LeakRequest[] {
  const path = `${buildUrl(server, owner, ref.id)}/relationships/${segment}`
  const methods = { PATCH: 'update', ...(toMany && { POST: 'add', DELETE: 'remove' }) }
  return Object.entries(methods).flatMap(([method, op]) => [
    { method, path, body: { data } },
    batch(server, { op, ref: { ...ref, relationship: name }, data }),
  ])
}

export function batch({ prefix }: Server, ...operations: readonly object[]): LeakRequest {
  const media = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`
  return {
    method: 'POST',
    path: `${prefix}/operations`,
    body: { 'atomic:operations': operations },
    headers: { accept: media, 'content-type': media },
  }
}
