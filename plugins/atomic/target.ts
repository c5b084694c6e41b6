import { acceptedNames, phrase, relationshipMissing } from '#kernel/errors'
import { type ApiRequest, isObject, type ResourceMatch, type ResourceType } from '#kernel/plugin'
import { atomicHrefUnresolvable, atomicTargetTypeUnknown, invalid } from './errors.ts'
import { matchHref } from './href.ts'

type Json = Readonly<Record<string, unknown>>

export const ops = ['add', 'update', 'remove'] as const
export type Op = (typeof ops)[number]

const acceptedHrefs = {
  add: phrase('the URL of a collection or of a to-many relationship'),
  update: phrase('the URL of a resource or of a relationship'),
  remove: phrase('the URL of a resource or of a to-many relationship'),
} as const satisfies Record<Op, unknown>

/** The target of an operation: named by its ref or href, or by its data. */
export function findMatch(op: Op, operation: Json, request: ApiRequest): ResourceMatch {
  if ('ref' in operation && 'href' in operation) throw invalid('an operation has a ref or an href, not both')
  if ('href' in operation) return byHref(op, operation.href, request)
  return 'ref' in operation ? byRef(op, operation.ref, request) : byData(op, operation.data, request)
}

/** Whether the op fits the URL: `add` a collection, `update` and `remove` a resource, all of them a relationship. */
function fits(op: Op, { shape }: ResourceMatch): boolean {
  return shape === 'relationship' || shape === (op === 'add' ? 'collection' : 'resource')
}

function byHref(op: Op, href: unknown, request: ApiRequest): ResourceMatch {
  const match = matchHref(href, request)
  if (match && fits(op, match)) return match
  throw atomicHrefUnresolvable({ op, accepted: acceptedHrefs[op] }, { source: { pointer: '/href' } })
}

function byRef(op: Op, ref: unknown, request: ApiRequest): ResourceMatch {
  const { server } = request
  if (!isObject(ref) || !isNonEmptyText(ref.type)) throw invalid('a ref needs a type', '/ref')
  const { id, lid, relationship } = ref
  const identity = lid === undefined ? id : lid
  if (!isNonEmptyText(identity) || (id !== undefined && lid !== undefined))
    throw invalid('a ref needs either an id or a lid', '/ref')
  const name = id === undefined ? { lid: identity } : { id: identity }
  const type = findType(ref.type, request)
  if (relationship !== undefined) {
    if (!isNonEmptyText(relationship)) throw invalid('the relationship of a ref must be a name', '/ref')
    return { server, shape: 'relationship', type, ...name, relation: findSegment(relationship, type, request) }
  }
  const match: ResourceMatch = { server, shape: 'resource', type, ...name }
  if (!fits(op, match)) throw invalid("'add' of a resource has no ref", '/ref')
  return match
}

function byData(op: Op, data: unknown, request: ApiRequest): ResourceMatch {
  const { server } = request
  if (op === 'remove') throw invalid("'remove' needs a ref or an href")
  if (!isObject(data)) throw invalid(phrase("'{op}' needs data, a ref or an href", { op }))
  if (!isNonEmptyText(data.type)) throw invalid('data needs a type')
  const type = findType(data.type, request)
  if (op === 'add') return { server, shape: 'collection', type }
  const { id, lid } = data
  if (isGiven(id)) return { server, shape: 'resource', type, id: String(id) }
  if (isGiven(lid)) return { server, shape: 'resource', type, lid: String(lid) }
  throw invalid("'update' needs a ref, an href, or data with an id or a lid")
}

function findType(name: string, { server }: ApiRequest): ResourceType {
  const type = server.types.get(name)
  if (!type) throw atomicTargetTypeUnknown({ type: name, accepted: acceptedNames([...server.types.keys()], name) })
  return type
}

/** The URL segment of a relation that a ref names. */
function findSegment(name: string, type: ResourceType, { server }: ApiRequest): string {
  const field = type.fields.get(name)
  if (field?.role !== 'relation') throw relationshipMissing({ server, type, kind: 'relationship' }, name, 'name')
  return field.segment
}

function isNonEmptyText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== ''
}
