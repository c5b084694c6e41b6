import type { ApiRequest } from '../contract/request.ts'
import type { CompiledSerializer, Server } from '../contract/server.ts'
import type { Plan, ResourceMeta } from '../contract/stages.ts'
import type { PivotRow } from '../data/graph.ts'
import type { Query } from '../data/query.ts'
import { shownFields } from '../data/shown-fields.ts'
import { CodeScope, concatenation, type MemberCode, type Part } from '../lib/codegen.ts'
import { inQuotes, quote } from '../lib/json-text.ts'
import type { Links } from '../lib/link.ts'
import type { ShownFields } from '../schema/columns.ts'
import type { Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { attributeCode } from './attributes.ts'
import { createExtras, pivotMeta } from './identifiers.ts'
import { relationshipCode } from './relationships.ts'

/** Serializers that are kept per server, besides one for each type. Plans with the same fields share one. */
const maxSparse = 200

/** Returns the serializer of a type for the fields that a query shows. */
export function findSerializer(server: Server, type: ResourceType, query: Query): CompiledSerializer {
  const shown = query.plan?.types.get(type)?.shown ?? shownFields(type, query)
  return server.serializers.get(shown) ?? keepSerializer(server, type, shown)
}

function keepSerializer(server: Server, type: ResourceType, shown: ShownFields): CompiledSerializer {
  const compiled = compileSerializer(server, type, shown)
  server.serializers.set(shown, compiled, server.types.size + maxSparse)
  return compiled
}

/** Generates one expression with every member in it, so that no declaration is read per row. */
function compileSerializer(server: Server, type: ResourceType, shown: ShownFields): CompiledSerializer {
  const scope = new CodeScope()
  const attributes = shown.attributes.map((attribute) => attributeCode(attribute, scope))
  const relationships = [
    ...shown.relations.map((relation) => relationshipCode(server, relation, scope)),
    ...shown.whenIncluded.map((relation) => relationshipCode(server, relation, scope, { whenIncluded: true })),
  ]
  const text = concatenation([
    `{"type":${quote(type.name)},"id":"`,
    { code: 'id' },
    '"',
    ...metaParts(type, scope),
    ...linkParts(type, scope),
    ...objectParts('attributes', attributes, scope),
    ...objectParts('relationships', relationships, scope),
    '}',
  ])
  return scope.compile('graph, request, steps', 'record', `${declareUrl(type, scope)} return ${text}`)
}

/** Declares `id`, escaped for JSON, and the `url` of the record. A whole number needs no escaping. */
function declareUrl({ id, codec, uriType }: ResourceType, scope: CodeScope): string {
  const base = scope.constant(`${scope.bind(inQuotes)}(request.url.base + ${JSON.stringify(`/${uriType}/`)})`)
  const isNumber = id.wire ? 'false' : 'Number.isSafeInteger(key)'
  return `const key = record[${JSON.stringify(id.property)}], isNumber = ${isNumber}
     const text = isNumber ? '' + key : ${scope.bind(codec.encode)}(key)
     const id = isNumber ? text : ${scope.bind(inQuotes)}(text)
     const url = ${base} + (isNumber ? text : encodeURIComponent(text));`
}

/** The meta that the type declares, the pivot values that the record is shown with, and the meta that plugins add. */
function metaParts(type: ResourceType, scope: CodeScope): Part[] {
  const { meta } = createExtras(type)
  const pivots = scope.constant('graph.pivots')
  const added = scope.constant(
    `steps.length === 0 ? undefined : ${scope.bind(addedMeta)}(${scope.bind(type)}, request, steps)`,
  )
  const declared = meta ? `${scope.bind(meta)}(record, request)` : 'undefined'
  const written = `${scope.bind(writeMeta)}(${declared}, ${pivots}?.get(record), ${added}, record, request)`
  return [{ code: meta ? written : `(${pivots} === undefined && ${added} === undefined ? "" : ${written})` }]
}

type Meta = Readonly<Record<string, unknown>>

/** The functions of plugins that add to the meta of the type's resources. Undefined if there are none. */
function addedMeta(type: ResourceType, request: ApiRequest, steps: Plan['meta']): readonly ResourceMeta[] | undefined {
  const added = steps.flatMap((step) => step(type, request) ?? [])
  return added.length > 0 ? added : undefined
}

function writeMeta(
  declared: Meta | undefined,
  pivot: PivotRow | undefined,
  added: readonly ResourceMeta[] | undefined,
  record: Row,
  request: ApiRequest,
): string {
  let meta = pivot ? { ...declared, ...pivotMeta(pivot.relation, pivot.row, request) } : declared
  for (const metaOf of added ?? []) {
    const values = metaOf(record)
    if (values) meta = { ...meta, ...values }
  }
  return meta ? `,"meta":${JSON.stringify(meta)}` : ''
}

/** A resource with an empty id has no URL. */
function linkParts(type: ResourceType, scope: CodeScope): Part[] {
  const { links } = createExtras(type)
  const self = type.emitsSelfLink ? `(text === "" ? "" : ',"links":{"self":"' + url + '"}')` : '""'
  const hasActions = type.actions.some(({ isLinked }) => isLinked)
  if (!links && !hasActions) return [{ code: self }]
  const declared = links ? `${scope.bind(links)}(record, request)` : 'undefined'
  const added = scope.constant('graph.links')
  const url = 'text === "" ? null : url'
  const written = `${scope.bind(writeLinks)}(${url}, ${type.emitsSelfLink}, ${added}?.get(record), ${declared})`
  return [{ code: links ? written : `(${added} === undefined ? ${self} : ${written})` }]
}

/** Links that plugins add are relative to the URL of the resource. Declared links override them. */
function writeLinks(
  url: string | null,
  hasSelf: boolean,
  added: Readonly<Record<string, string>> | undefined,
  declared: Links | undefined,
): string {
  const links = { ...(url !== null && linksBelow(JSON.parse(`"${url}"`), hasSelf, added)), ...declared }
  return Object.keys(links).length > 0 ? `,"links":${JSON.stringify(links)}` : ''
}

function linksBelow(
  self: string,
  hasSelf: boolean,
  added: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const paths = Object.entries(added).map(([name, path]) => [name, self + path])
  return { ...(hasSelf && { self }), ...Object.fromEntries(paths) }
}

/** A member that is an object. It is left out if all its members are hidden. */
function objectParts(name: string, members: readonly MemberCode[], scope: CodeScope): Part[] {
  if (members.length === 0) return []
  if (members.every(({ always }) => always)) {
    return [`,"${name}":{`, ...members.flatMap(({ parts }, index) => (index > 0 ? [',', ...parts] : parts)), '}']
  }
  const texts = members.map(({ parts }) => concatenation(parts))
  return [{ code: `${scope.bind(writeObject)}(${JSON.stringify(name)}, [${texts.join()}])` }]
}

function writeObject(name: string, members: readonly string[]): string {
  const shown = members.filter((member) => member !== '')
  return shown.length > 0 ? `,"${name}":{${shown.join()}}` : ''
}
