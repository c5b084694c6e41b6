import type { App } from './app.ts'
import type { Relation } from './fields/definition.ts'
import { unlimited } from './limits.ts'
import { type Identifier, isRelationshipWrite, type OperationDraft, type OperationKind } from './operation.ts'
import type { Principal } from './principal.ts'
import type { ParamValue } from './query-string.ts'
import { parseQueryString } from './query-string.ts'
import type { ResourceType } from './resource.ts'
import type { Server } from './server.ts'
import { readInput } from './stages/create-operation.ts'
import { readQuery } from './stages/read-query.ts'
import type { Target, TargetKind } from './target.ts'
import { visibilityFor } from './visibility.ts'

/** An operation as the program says it: `{ kind: 'FetchOne', type: 'albums', id: '1', query: 'include=tracks' }`. */
export type Instruction = Common &
  (
    | { readonly kind: 'FetchCollection' }
    | { readonly kind: 'FetchOne' | 'Delete'; readonly id: string }
    | { readonly kind: 'FetchRelated' | 'FetchRelationship'; readonly id: string; readonly relation: string }
    | ({ readonly kind: 'Create'; readonly id?: string } & Content)
    | ({ readonly kind: 'Update'; readonly id: string } & Content)
    | {
        readonly kind: 'UpdateRelationship' | 'AddToRelationship' | 'RemoveFromRelationship'
        readonly id: string
        readonly relation: string
        readonly data: Linkage
      }
  )

interface Common {
  readonly type: string
  /** `default` when left out. */
  readonly server?: string
  /** As in a URL: a text, or `{ include: ['tracks'], filter: { title: 'ok' }, page: { size: 5 } }`. */
  readonly query?: string | QueryObject
  /** On whose behalf: then their rights are asked for. Without it the program is trusted. */
  readonly principal?: Principal | null
}

interface Content {
  readonly attributes?: Readonly<Record<string, unknown>>
  /** By name: `{ artist: { type: 'artists', id: '1' }, tracks: [] }`. */
  readonly relationships?: Readonly<Record<string, Linkage>>
}

type Linkage = Identifier | readonly Identifier[] | null

/** A list at the first level is a comma list, further inside it is `name[]=`. */
export interface QueryObject {
  readonly [name: string]: QueryValue
}
type QueryValue = string | number | boolean | readonly (string | number)[] | QueryObject

/** The program asks for something that is not there. */
export class LogicError extends Error {
  override readonly name = 'LogicError'
}

/** Finds what the instruction names, and reads its query without the strict rules for clients. */
export async function toOperation(app: App, said: Instruction): Promise<OperationDraft> {
  const { kind, principal = null } = said
  const server = findServer(app, said.server ?? 'default')
  const target = findTarget(server, said)
  const origin = { server, request: null, principal, trusted: said.principal === undefined }
  const visibility = visibilityFor(app, origin)
  const reading = { app, server, kind, target, request: null, visibility, strict: false, limits: unlimited }
  const query = readQuery(reading, familiesOf(said.query ?? ''))
  return {
    kind,
    target,
    origin,
    query,
    ...readInput(kind, target, documentOf(said), { batch: false, limits: unlimited }),
  }
}

function findServer(app: App, name: string): Server {
  const server = app.servers.find((one) => one.name === name)
  if (!server) throw new LogicError(`There is no server called '${name}'.`)
  if (!server.handler) throw new LogicError(`The server '${name}' has no handler: nothing can be dispatched to it.`)
  return server
}

const targetKinds: Readonly<Record<OperationKind, TargetKind>> = {
  FetchCollection: 'collection',
  Create: 'collection',
  FetchOne: 'resource',
  Update: 'resource',
  Delete: 'resource',
  FetchRelated: 'related',
  FetchRelationship: 'relationship',
  UpdateRelationship: 'relationship',
  AddToRelationship: 'relationship',
  RemoveFromRelationship: 'relationship',
}

function findTarget(server: Server, said: Instruction): Target {
  const kind = targetKinds[said.kind]
  const type = server.types.get(said.type)
  if (!kind) throw new LogicError(`There is no operation called '${said.kind}'.`)
  if (!type) throw new LogicError(`The server '${server.name}' does not offer the type '${said.type}'.`)
  return {
    kind,
    server,
    type,
    ...(kind !== 'collection' && { id: (said as { id: string }).id }),
    ...('relation' in said && { relation: findRelation(type, said.relation, said.kind) }),
  }
}

function findRelation(type: ResourceType, name: string, kind: OperationKind): Relation {
  const field = type.fields.get(name)
  if (field?.role !== 'relation') throw new LogicError(`The type '${type.name}' has no relation '${name}'.`)
  if (!field.toMany && isRelationshipWrite(kind) && kind !== 'UpdateRelationship') {
    throw new LogicError(`'${name}' leads to one resource at most: say UpdateRelationship.`)
  }
  return field
}

/** The body a client would have sent. */
function documentOf(said: Instruction): unknown {
  if ('data' in said) return { data: said.data }
  const { type, id, attributes, relationships = {} } = said as Common & Content & { readonly id?: string }
  const linked = Object.entries(relationships).map(([name, data]) => [name, { data }])
  return { data: { type, id, attributes, relationships: Object.fromEntries(linked) } }
}

function familiesOf(query: string | QueryObject): ReadonlyMap<string, ParamValue> {
  if (typeof query === 'string') return parseQueryString(query)
  return new Map(Object.entries(query).map(([name, value]) => [name, isList(value) ? value.join() : toParam(value)]))
}

function toParam(value: QueryValue): ParamValue {
  if (isList(value)) return value.map(String)
  if (typeof value !== 'object') return String(value)
  return Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toParam(one)])),
  )
}

function isList(value: QueryValue): value is readonly (string | number)[] {
  return Array.isArray(value)
}
