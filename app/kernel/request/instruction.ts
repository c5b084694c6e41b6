import type { App } from '../model/app.ts'
import type { Relation } from '../model/field.ts'
import type { Common, Content, Instruction, QueryObject, QueryValue } from '../model/instruction.ts'
import { unlimited } from '../model/limits.ts'
import { isRelationshipWrite, type OperationDraft, type OperationKind } from '../model/operation.ts'
import type { ParamValue } from '../model/query-parameters.ts'
import type { ResourceType } from '../model/resource-type.ts'
import type { Server } from '../model/server.ts'
import type { Target, TargetKind } from '../model/target.ts'
import { visibilityFor } from '../model/visibility.ts'
import { parseQueryString } from './query-string.ts'
import { readInput } from './stages/create-operation.ts'
import { readQuery } from './stages/read-query.ts'

/** The program asks for something that is not there. */
export class LogicError extends Error {
  override readonly name = 'LogicError'
}

/** Finds what the instruction names, and reads its query without the strict rules for clients. */
export async function readInstruction(app: App, said: Instruction): Promise<OperationDraft> {
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
