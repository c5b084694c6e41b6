import { CodeScope, concatenation, type MemberCode, type Part } from '../lib/codegen.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import { inQuotes, quote } from '../lib/json-text.ts'
import type { Row } from '../model/field.ts'
import type { Graph, PivotNote } from '../model/graph.ts'
import type { ApiRequest } from '../model/request.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { fieldsetOf, type Shown, type Shows, shownFields } from '../model/selection.ts'
import type { Server } from '../model/server.ts'
import { attributeCode } from './attributes.ts'
import { extrasOf, pivotMeta } from './identifiers.ts'
import { relationshipCode } from './relationships.ts'

/** Writes the resource object of a record. Rendering never loads: what is not in the graph is not shown. */
export type Serialize = (record: Row) => string

/** What records of a type look like under a fieldset; opened for one answer. */
export type Serializer = (graph: Graph, request: ApiRequest) => Serialize

const maxCached = 200
const caches = new WeakMap<Server, Map<string, Serializer>>()

/** The serializer of a type under what a query shows of it, compiled once per server and set of members. */
export function serializerOf(server: Server, type: ResourceType, query: Shows): Serializer {
  const cache = getOrCreate(caches, server, () => new Map<string, Serializer>())
  const fieldset = fieldsetOf(type, query)
  const key = fieldset ? `${type.name}:${[...fieldset].sort().join()}` : type.name
  if (cache.size >= maxCached && !cache.has(key)) cache.clear()
  return getOrCreate(cache, key, () => compileSerializer(server, type, shownFields(type, query)))
}

/** One expression: members are spelled out here, so that no definition is looked at per row. */
function compileSerializer(server: Server, type: ResourceType, shown: Shown): Serializer {
  const scope = new CodeScope()
  const base = scope.constant(`${scope.bind(inQuotes)}(request.url.base + ${JSON.stringify(`/${type.uriType}/`)})`)
  const text = concatenation([
    `{"type":${quote(type.name)},"id":"`,
    { code: 'id' },
    '"',
    ...metaParts(type, scope),
    ...linkParts(type, scope),
    ...objectParts(
      'attributes',
      shown.attributes.map((attribute) => attributeCode(attribute, scope)),
      scope,
    ),
    ...objectParts(
      'relationships',
      shown.relations.map((relation) => relationshipCode(server, relation, scope)),
      scope,
    ),
    '}',
  ])
  return scope.compile(
    'graph, request',
    'record',
    `${placeCode(type, base, scope)}
     return ${text}`,
  )
}

/** The id as it stands between quotes, and the place of the record. A whole number is the same wherever it is written. */
function placeCode({ id, codec }: ResourceType, base: string, scope: CodeScope): string {
  const key = `record[${JSON.stringify(id.property)}]`
  const isNumber = id.wire ? 'false' : 'Number.isSafeInteger(key)'
  return `const key = ${key}, isNumber = ${isNumber}
     const text = isNumber ? '' + key : ${scope.bind(codec.encode)}(key)
     const id = isNumber ? text : ${scope.bind(inQuotes)}(text)
     const place = ${base} + (isNumber ? text : encodeURIComponent(text))`
}

/** The type's own, and the association row the record is shown with. */
function metaParts(type: ResourceType, scope: CodeScope): Part[] {
  const { meta } = extrasOf(type)
  const pivots = scope.constant('graph.pivots')
  const own = meta ? `${scope.bind(meta)}(record, request)` : 'undefined'
  const written = `${scope.bind(writeMeta)}(${own}, ${pivots}?.get(record), request)`
  return [{ code: meta ? written : `(${pivots} === undefined ? "" : ${written})` }]
}

function writeMeta(
  own: Record<string, unknown> | undefined,
  pivot: PivotNote | undefined,
  request: ApiRequest,
): string {
  const meta = pivot ? { ...own, ...pivotMeta(pivot.relation, pivot.row, request) } : own
  return meta ? `,"meta":${JSON.stringify(meta)}` : ''
}

function linkParts(type: ResourceType, scope: CodeScope): Part[] {
  const { links } = extrasOf(type)
  if (!links) return type.emitsSelfLink ? [',"links":{"self":"', { code: 'place' }, '"}'] : []
  const self = type.emitsSelfLink ? 'place' : 'null'
  return [',"links":', { code: `${scope.bind(writeLinks)}(${self}, ${scope.bind(links)}(record, request))` }]
}

function writeLinks(self: string | null, links: Record<string, string> | undefined): string {
  return JSON.stringify({ ...(self !== null && { self: JSON.parse(`"${self}"`) }), ...links })
}

/** A member that holds others; left out when none of them is there. */
function objectParts(name: string, members: readonly MemberCode[], scope: CodeScope): Part[] {
  if (members.length === 0) return []
  if (members.every(({ always }) => always)) {
    return [`,"${name}":{`, ...members.flatMap(({ parts }, index) => (index > 0 ? [',', ...parts] : parts)), '}']
  }
  const texts = members.map(({ parts }) => concatenation(parts))
  return [{ code: `${scope.bind(writeObject)}(${JSON.stringify(name)}, [${texts.join()}])` }]
}

function writeObject(name: string, members: readonly string[]): string {
  const there = members.filter((member) => member !== '')
  return there.length > 0 ? `,"${name}":{${there.join()}}` : ''
}
