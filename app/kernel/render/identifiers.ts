import type { ApiRequest } from '../contract/request.ts'
import { findHiddenTest } from '../contract/visibility.ts'
import type { Edge, Member } from '../data/graph.ts'
import { pivotKey, pivotRecord } from '../data/selection.ts'
import { inQuotes, quote } from '../lib/json-text.ts'
import { type Links, validLinks } from '../lib/link.ts'
import type { Relation, Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { toWire } from './attributes.ts'

declare module '../schema/resource-type.ts' {
  interface ResourceType {
    /** The names of invalid links that were logged. */
    loggedLinks?: Set<string>
  }
}

/**
 * Writes the linkage of one record: identifiers, or null for an empty to-one. It ends when it has more characters than a
 * document may have; the caller does not show such a text.
 */
type WriteLinkage = (edge: Edge, parent: Row, request: ApiRequest) => string

export function createLinkageWriter(relation: Relation): WriteLinkage {
  const writers = new Map(relation.targets.map((type) => [type, createIdentifierWriter(type, relation)]))
  const only = writers.size === 1 ? writers.get(relation.target) : undefined
  return ({ members, rows }, parent, request) => {
    const limit = request.app.documents.maxLinkage
    let text = ''
    for (let index = 0; index < members.length && text.length <= limit; index++) {
      const { type, record } = members[index] as Member
      const write = only ?? (writers.get(type) as WriteIdentifier)
      text += (index > 0 ? ',' : '') + write(record, rows?.[index], parent, request)
    }
    return relation.toMany ? `[${text}]` : text || 'null'
  }
}

type WriteIdentifier = (record: Row, row: Row | undefined, parent: Row, request: ApiRequest) => string

/** The meta of an identifier: of the resource, the pivot values, then the meta that the relation declares. */
function createIdentifierWriter(type: ResourceType, relation: Relation): WriteIdentifier {
  const { identifierMeta } = relation
  const { meta: metaOf } = createExtras(type)
  const { encode } = type.codec
  const { property } = type.id
  const head = `{"type":${quote(type.name)},"id":"`
  const isStoredId = !type.id.wire
  return (record, row, parent, request) => {
    const key = record[property]
    const text = `${head}${isStoredId && Number.isSafeInteger(key) ? key : inQuotes(encode(key))}"`
    if (!metaOf && !row && !identifierMeta) return `${text}}`
    const meta = {
      ...metaOf?.(record, request),
      ...(row && pivotMeta(relation, row, request)),
      ...identifierMeta?.(parent, record, request),
    }
    return Object.keys(meta).length > 0 ? `${text},"meta":${JSON.stringify(meta)}}` : `${text}}`
  }
}

/** Writes the identifier of a to-one of which only the key was read. */
export function keyWriter({ target }: Relation): (key: unknown, request: ApiRequest) => string {
  const { meta: metaOf } = createExtras(target)
  const { encode } = target.codec
  const head = `{"type":${quote(target.name)},"id":"`
  const isStoredId = !target.id.wire
  return (key, request) => {
    if (key === null || key === undefined) return 'null'
    const text = `${head}${isStoredId && Number.isSafeInteger(key) ? key : inQuotes(encode(key))}"`
    const meta = metaOf?.({}, request)
    return meta ? `${text},"meta":${JSON.stringify(meta)}}` : `${text}}`
  }
}

/** The shown pivot values. Functions of pivot fields receive the pivot row. */
export function pivotMeta(relation: Relation, row: Row, request: ApiRequest): { pivot: Record<string, unknown> } {
  const association = pivotRecord(relation, row)
  const pivot: Record<string, unknown> = {}
  for (const field of relation.pivotFields) {
    if (findHiddenTest(field)(association, request)) continue
    const value = row[pivotKey(field)]
    pivot[field.name] = toWire(field, value, (child) => findHiddenTest(child)(association, request))
  }
  return { pivot }
}

type Compute<Value> = (record: Row, request: ApiRequest) => Value | undefined

interface Extras {
  readonly meta: Compute<Record<string, unknown>> | undefined
  readonly links: Compute<Links> | undefined
}

/** Returns functions for the meta and the links that the declaration of a type adds to its resources. */
export function createExtras(type: ResourceType): Extras {
  const { meta, links } = type.declaration
  const isComputed = typeof links === 'function'
  return {
    meta: toFunction(meta as Extras['meta']),
    links: isComputed ? checkedLinks(type, links as Compute<Links>) : toFunction(links as Extras['links']),
  }
}

/** Leaves out invalid links, which may contain texts of clients, and logs the first one of each name. */
function checkedLinks(type: ResourceType, links: Compute<Links>): Compute<Links> {
  type.loggedLinks ??= new Set()
  const { loggedLinks: logged } = type
  return (record, request) =>
    validLinks(links(record, request), (name, fault) => {
      if (logged.has(name)) return
      logged.add(name)
      request.app.logger?.warn({ type: type.name }, `The link '${name}' of ${type.name} ${fault} It is left out.`)
    })
}

function toFunction<Value>(declared: Value | Compute<Value> | undefined): Compute<Value> | undefined {
  return declared === undefined || typeof declared === 'function'
    ? (declared as Compute<Value> | undefined)
    : () => declared
}
