import type { IdentifierObject, RelationshipObject, ResourceObject } from './document.ts'
import { codecOf } from './fields/codecs.ts'
import type { Attribute, Rec, Relation } from './fields/definition.ts'
import type { Edge, Graph, Member } from './graph.ts'
import { pageLink } from './page-link.ts'
import type { Query } from './query.ts'
import { remember } from './remember.ts'
import type { ApiRequest } from './request.ts'
import { type ResourceType, wireId } from './resource.ts'
import { chainKey, linkKey, pivotKey, type Shown, shownFields } from './selection.ts'
import { hasRelatedEndpoint, hasRelationshipEndpoint, type Server, servesTarget } from './server.ts'

/** Builds the resource object of a record. Rendering never loads: what is not in the graph is not shown. */
export type Serializer = (record: Rec, base: string, graph: Graph, request: ApiRequest | null) => ResourceObject

const maxCached = 200
const caches = new WeakMap<Server, Map<string, Serializer>>()

/** The serializer of a type under the fieldsets of a query, compiled once per server and fieldset. */
export function serializerOf(server: Server, type: ResourceType, fields: Query['fields']): Serializer {
  const cache = remember(caches, server, () => new Map<string, Serializer>())
  const fieldset = fields.get(type.name)
  const key = fieldset ? `${type.name}:${[...fieldset].sort().join()}` : type.name
  if (cache.size >= maxCached && !cache.has(key)) cache.clear()
  return remember(cache, key, () => compileSerializer(server, type, shownFields(type, fields)))
}

function compileSerializer(server: Server, type: ResourceType, shown: Shown): Serializer {
  const writeAttributes = compileAttributes(shown.attributes)
  const relationships = shown.relations.map((relation) => [relation, compileRelationship(server, relation)] as const)
  const hasSelf = type.emitsSelfLink
  const { meta, links: ownLinks } = extrasOf(type)
  return (record, base, graph, request) => {
    const id = wireId(type, record)
    const self = `${base}/${type.uriType}/${encodeURIComponent(id)}`
    const resource: ResourceObject = { type: type.name, id }
    const ownMeta = meta?.(record, request)
    if (ownMeta) resource.meta = ownMeta
    const links = { ...(hasSelf && { self }), ...ownLinks?.(record, request) }
    if (hasSelf || ownLinks) resource.links = links
    if (writeAttributes) resource.attributes = writeAttributes(record, request)
    let any = false
    const shownRelationships: Record<string, RelationshipObject> = {}
    for (const [relation, write] of relationships) {
      if (typeof relation.hidden === 'function' && relation.hidden(record, request)) continue
      const object = write(record, self, graph, request)
      if (!object) continue
      shownRelationships[relation.name] = object
      any = true
    }
    if (any) resource.relationships = shownRelationships
    return resource
  }
}

/** An object literal per fieldset: the members are spelled out once, so that no definition is looked at per row. */
function compileAttributes(attributes: readonly Attribute[]) {
  if (attributes.length === 0) return null
  const readers = attributes.map(readerOf)
  const literal = attributes.map((attribute, index) => {
    const plain = isPlain(attribute)
    const value = plain ? `record[${JSON.stringify(attribute.property)}] ?? null` : `readers[${index}](record, request)`
    return `${JSON.stringify(attribute.name)}: ${value}`
  })
  return new Function('readers', `return (record, request) => ({ ${literal.join(', ')} })`)(readers) as (
    record: Rec,
    request: ApiRequest | null,
  ) => Record<string, unknown>
}

function isPlain(attribute: Attribute): boolean {
  const { extract, serialize, on, hidden, writeOnly, property } = attribute
  const computes = extract || serialize || on || hidden !== false || writeOnly !== false
  return property !== null && !computes && codecOf(attribute).toWire === null
}

/** Undefined leaves the member out of the JSON. */
function readerOf(attribute: Attribute): (record: Rec, request: ApiRequest | null) => unknown {
  const { name, extract, serialize, hidden, writeOnly, kind, children } = attribute
  const place = attribute.on ? chainKey(attribute) : attribute.property
  const readChildren = children.map((child) => [child.name, readerOf(child)] as const)
  const read = (record: Rec, request: ApiRequest | null): unknown => {
    if (serialize) return serialize(record, request, name) ?? null
    if (kind === 'map' && !extract) return readMap(readChildren, record, request)
    const value = extract ? extract(record, request, name) : place === null ? undefined : record[place]
    return toWire(attribute, value)
  }
  if (typeof hidden !== 'function' && typeof writeOnly !== 'function') return read
  return (record, request) => {
    if (typeof hidden === 'function' && hidden(record, request)) return undefined
    if (typeof writeOnly === 'function' && writeOnly(request)) return undefined
    return read(record, request)
  }
}

/** Null when nothing is stored. */
function readMap(
  children: readonly (readonly [string, (record: Rec, request: ApiRequest | null) => unknown])[],
  record: Rec,
  request: ApiRequest | null,
): Record<string, unknown> | null {
  const object: Record<string, unknown> = {}
  let stored = false
  for (const [name, read] of children) {
    object[name] = read(record, request)
    stored ||= object[name] !== null
  }
  return stored ? object : null
}

type WriteRelationship = (
  record: Rec,
  self: string,
  graph: Graph,
  request: ApiRequest | null,
) => RelationshipObject | null

/** Null when there is nothing to show: an empty relationship object is never rendered. */
function compileRelationship(server: Server, relation: Relation): WriteRelationship {
  const { segment, kind } = relation
  const readable = relation.hasLinks && relation.owner.operations.has('FetchOne')
  const withSelf = readable && hasRelationshipEndpoint(relation)
  const withRelated = readable && hasRelatedEndpoint(server, relation)
  const withData = servesTarget(server, relation)
  const key = kind === 'belongsTo' ? linkKey(relation) : null
  const { codec, name: targetName } = relation.target
  const { meta } = extrasOf(relation.target)
  return (record, self, graph, request) => {
    const object: RelationshipObject = {}
    if (withSelf || withRelated) {
      object.links = {}
      if (withSelf) object.links.self = `${self}/relationships/${segment}`
      if (withRelated) object.links.related = `${self}/${segment}`
    }
    const edge = withData ? graph.get(record, relation) : undefined
    if (edge) {
      object.data = linkageOf(edge, relation, record, request)
      if (edge.page && object.links?.self) Object.assign(object.links, pageLinks(edge, object.links.self, relation))
    } else if (withData && key && !graph.isWithheld(record, relation)) {
      const target = record[key]
      const ownMeta = meta?.({}, request)
      object.data =
        target === null || target === undefined
          ? null
          : { type: targetName, id: codec.encode(target), ...(ownMeta && { meta: ownMeta }) }
    }
    const total = graph.total(record, relation)
    if (total !== undefined) object.meta = { total }
    return object.links || object.data !== undefined || object.meta ? object : null
  }
}

export function linkageOf(
  { members, rows }: Edge,
  relation: Relation,
  parent: Rec,
  request: ApiRequest | null,
): IdentifierObject | IdentifierObject[] | null {
  const identifiers = members.map((member, index) => identifierOf(member, relation, parent, rows?.[index], request))
  return relation.toMany ? identifiers : (identifiers[0] ?? null)
}

/** The meta of an identifier: the resource's own, the association row's, then what the relation says of it. */
function identifierOf(
  { type, record }: Member,
  relation: Relation,
  parent: Rec,
  row: Rec | undefined,
  request: ApiRequest | null,
): IdentifierObject {
  const meta = {
    ...extrasOf(type).meta?.(record, request),
    ...(row && pivotMeta(relation, row)),
    ...relation.identifierMeta?.(parent, record, request),
  }
  return { type: type.name, id: wireId(type, record), ...(Object.keys(meta).length > 0 && { meta }) }
}

/** What is shown of an association row. */
export function pivotMeta({ pivotFields }: Relation, row: Rec): { pivot: Record<string, unknown> } {
  const shown = pivotFields.filter(({ hidden, writeOnly }) => hidden !== true && writeOnly !== true)
  return { pivot: Object.fromEntries(shown.map((field) => [field.name, toWire(field, row[pivotKey(field)])])) }
}

function toWire(attribute: Attribute, value: unknown): unknown {
  const { toWire } = codecOf(attribute)
  return value === null || value === undefined ? null : toWire ? toWire(value) : value
}

interface Extras {
  meta?: (record: Rec, request: ApiRequest | null) => Record<string, unknown> | undefined
  links?: (record: Rec, request: ApiRequest | null) => Record<string, string> | undefined
}

function extrasOf({ declaration }: ResourceType): Extras {
  return declaration as unknown as Extras
}

/** Links that page the linkage of one parent, on its relationship URL; linkage with association rows has no pages. */
function pageLinks({ page }: Edge, self: string, relation: Relation): Record<string, string> {
  if (!page || relation.pivotFields.length > 0) return {}
  const { self: _, ...links } = page.paginator.page(
    page.page,
    page.window,
    relation.target,
    pageLink(self, page.search),
  ).links
  return links
}
