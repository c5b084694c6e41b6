import { codecOf } from './fields/codecs.ts'
import type { Attribute, Rec, Relation } from './fields/definition.ts'
import type { Edge, Graph, Member } from './graph.ts'
import { inQuotes, quote, write } from './json-text.ts'
import { pageLink } from './page-link.ts'
import type { Query } from './query.ts'
import { remember } from './remember.ts'
import type { ApiRequest } from './request.ts'
import { type ResourceType, wireId } from './resource.ts'
import { chainKey, linkKey, pivotKey, type Shown, shownFields } from './selection.ts'
import { hasRelatedEndpoint, hasRelationshipEndpoint, type Server, servesTarget } from './server.ts'

/** Writes the resource object of a record. Rendering never loads: what is not in the graph is not shown. */
export type Serializer = (record: Rec, graph: Graph, request: ApiRequest) => string

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
  const relationships = shown.relations.map((relation) => compileRelationship(server, relation))
  const head = `{"type":${quote(type.name)},"id":`
  const path = `/${type.uriType}/`
  const { meta: metaOf, links: linksOf } = extrasOf(type)
  const hasSelf = type.emitsSelfLink
  return (record, graph, request) => {
    const id = wireId(type, record)
    const self = request.url.base + path + encodeURIComponent(id)
    const place = inQuotes(self)
    let text = head + quote(id)
    const pivot = graph.pivotOf(record)
    const meta = pivot
      ? { ...metaOf?.(record, request), ...pivotMeta(pivot.relation, pivot.row) }
      : metaOf?.(record, request)
    if (meta) text += `,"meta":${JSON.stringify(meta)}`
    if (linksOf) text += `,"links":${JSON.stringify({ ...(hasSelf && { self }), ...linksOf(record, request) })}`
    else if (hasSelf) text += `,"links":{"self":"${place}"}`
    const attributes = writeAttributes?.(record, request)
    if (attributes) text += `,"attributes":{${attributes}}`
    let shownRelationships = ''
    for (const writeRelationship of relationships) {
      const relationship = writeRelationship(record, place, graph, request)
      if (relationship) shownRelationships += shownRelationships ? `,${relationship}` : relationship
    }
    return shownRelationships ? `${text},"relationships":{${shownRelationships}}}` : `${text}}`
  }
}

type WriteAttributes = (record: Rec, request: ApiRequest) => string

/** An expression per fieldset: the members are spelled out once, so that no definition is looked at per row. */
function compileAttributes(attributes: readonly Attribute[]): WriteAttributes | null {
  if (attributes.length === 0) return null
  if (attributes.some(mayBeAbsent)) return writeWhatIsThere(attributes)
  const readers = attributes.map(readerOf)
  const members = attributes.map((attribute, index) => {
    const value = isPlain(attribute)
      ? `record[${JSON.stringify(attribute.property)}]`
      : `readers[${index}](record, request)`
    return `${JSON.stringify(`${index > 0 ? ',' : ''}${quote(attribute.name)}:`)} + write(${value})`
  })
  return new Function('readers', 'write', `return (record, request) => ${members.join(' + ')}`)(readers, write)
}

function writeWhatIsThere(attributes: readonly Attribute[]): WriteAttributes {
  const members = attributes.map((attribute) => [`${quote(attribute.name)}:`, readerOf(attribute)] as const)
  return (record, request) => {
    let text = ''
    for (const [name, read] of members) {
      const value = read(record, request)
      if (value !== undefined) text += (text && ',') + name + write(value)
    }
    return text
  }
}

function mayBeAbsent({ hidden, writeOnly }: Attribute): boolean {
  return typeof hidden === 'function' || typeof writeOnly === 'function'
}

function isPlain(attribute: Attribute): boolean {
  const { extract, serialize, on, hidden, writeOnly, property } = attribute
  const computes = extract || serialize || on || hidden !== false || writeOnly !== false
  return property !== null && !computes && codecOf(attribute).toWire === null
}

/** Undefined leaves the member out of the JSON. */
function readerOf(attribute: Attribute): (record: Rec, request: ApiRequest) => unknown {
  const { name, extract, serialize, hidden, writeOnly, kind, children } = attribute
  const place = attribute.on ? chainKey(attribute) : attribute.property
  const readChildren = children.map((child) => [child.name, readerOf(child)] as const)
  const read = (record: Rec, request: ApiRequest): unknown => {
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
  children: readonly (readonly [string, (record: Rec, request: ApiRequest) => unknown])[],
  record: Rec,
  request: ApiRequest,
): Record<string, unknown> | null {
  const object: Record<string, unknown> = {}
  let stored = false
  for (const [name, read] of children) {
    object[name] = read(record, request)
    stored ||= object[name] !== null
  }
  return stored ? object : null
}

type WriteRelationship = (record: Rec, place: string, graph: Graph, request: ApiRequest) => string

/** Empty when there is nothing to show: an empty relationship object is never rendered. */
function compileRelationship(server: Server, relation: Relation): WriteRelationship {
  const { kind, hidden } = relation
  const name = `${quote(relation.name)}:{`
  const writeLinks = compileLinks(server, relation)
  const withData = servesTarget(server, relation)
  const key = kind === 'belongsTo' ? linkKey(relation) : null
  const writeKey = compileKey(relation)
  return (record, place, graph, request) => {
    if (typeof hidden === 'function' && hidden(record, request)) return ''
    const edge = withData ? graph.get(record, relation) : undefined
    let text = writeLinks(place, edge)
    if (edge) text += `${text && ','}"data":${linkageText(edge, relation, record, request)}`
    else if (withData && key && !graph.isWithheld(record, relation)) {
      text += `${text && ','}"data":${writeKey(record[key], request)}`
    }
    const total = graph.total(record, relation)
    if (total !== undefined) text += `${text && ','}"meta":{"total":${total}}`
    return text && `${name}${text}}`
  }
}

function compileLinks(server: Server, relation: Relation): (place: string, edge: Edge | undefined) => string {
  const segment = inQuotes(relation.segment)
  const readable = relation.hasLinks && relation.owner.operations.has('FetchOne')
  const withSelf = readable && hasRelationshipEndpoint(relation)
  const withRelated = readable && hasRelatedEndpoint(server, relation)
  if (!withSelf && !withRelated) return () => ''
  return (place, edge) => {
    const self = withSelf ? `"self":"${place}/relationships/${segment}"` : ''
    const related = withRelated ? `${self && ','}"related":"${place}/${segment}"` : ''
    const pages = withSelf && edge?.page ? pageLinks(edge, `${place}/relationships/${segment}`, relation) : ''
    return `"links":{${self}${related}${pages}}`
  }
}

/** The identifier at the end of a to-one, of which only the key was read. */
function compileKey({ target }: Relation): (key: unknown, request: ApiRequest) => string {
  const head = `{"type":${quote(target.name)},"id":`
  const { meta: metaOf } = extrasOf(target)
  return (key, request) => {
    if (key === null || key === undefined) return 'null'
    const meta = metaOf?.({}, request)
    return `${head}${quote(target.codec.encode(key))}${meta ? `,"meta":${JSON.stringify(meta)}}` : '}'}`
  }
}

export function linkageText({ members, rows }: Edge, relation: Relation, parent: Rec, request: ApiRequest): string {
  const write = (member: Member, index: number) => identifierText(member, relation, parent, rows?.[index], request)
  if (relation.toMany) return `[${members.map(write).join()}]`
  return members[0] ? write(members[0], 0) : 'null'
}

/** The meta of an identifier: the resource's own, the association row's, then what the relation says of it. */
function identifierText(
  { type, record }: Member,
  relation: Relation,
  parent: Rec,
  row: Rec | undefined,
  request: ApiRequest,
): string {
  const text = `{"type":${quote(type.name)},"id":${quote(wireId(type, record))}`
  const { meta: metaOf } = extrasOf(type)
  if (!metaOf && !row && !relation.identifierMeta) return `${text}}`
  const meta = {
    ...metaOf?.(record, request),
    ...(row && pivotMeta(relation, row)),
    ...relation.identifierMeta?.(parent, record, request),
  }
  return Object.keys(meta).length > 0 ? `${text},"meta":${JSON.stringify(meta)}}` : `${text}}`
}

/** What is shown of an association row. */
function pivotMeta({ pivotFields }: Relation, row: Rec): { pivot: Record<string, unknown> } {
  const shown = pivotFields.filter(({ hidden, writeOnly }) => hidden !== true && writeOnly !== true)
  return { pivot: Object.fromEntries(shown.map((field) => [field.name, toWire(field, row[pivotKey(field)])])) }
}

function toWire(attribute: Attribute, value: unknown): unknown {
  const { toWire } = codecOf(attribute)
  return value === null || value === undefined ? null : toWire ? toWire(value) : value
}

interface Extras {
  meta?: (record: Rec, request: ApiRequest) => Record<string, unknown> | undefined
  links?: (record: Rec, request: ApiRequest) => Record<string, string> | undefined
}

function extrasOf({ declaration }: ResourceType): Extras {
  return declaration as unknown as Extras
}

/** Links that page the linkage of one parent, on its relationship URL; linkage with association rows has no pages. */
function pageLinks({ page }: Edge, place: string, relation: Relation): string {
  if (!page || relation.pivotFields.length > 0) return ''
  const self: string = JSON.parse(`"${place}"`)
  const { links } = page.paginator.page(page.page, page.window, relation.target, pageLink(self, page.search))
  const further = Object.entries(links).filter(([name]) => name !== 'self')
  return further.map(([name, link]) => `,${quote(name)}:${quote(link)}`).join('')
}
