import type { Shape } from '#kernel/operations'
import { parseQueryString, planOperation, readInput, readQuery, unlimited, visibilityFor } from '#kernel/operations'
import {
  type App,
  isRelationshipWrite,
  type OperationKind,
  type PlannedOperation,
  type Relation,
  type ResourceType,
  type Server,
  type Target,
} from '#kernel/plugin'
import type { ParamValue } from '#kernel/queries'
import type { Common, Content, Instruction, QueryObject, QueryValue } from './instruction.ts'

/** Thrown if an instruction names a server, type, relation or operation that does not exist. */
export class LogicError extends Error {
  override readonly name = 'LogicError'
}

/** Resolves the names in an instruction. Its query is read without limits and not in strict mode. */
export async function readInstruction(app: App, instruction: Instruction): Promise<PlannedOperation> {
  const { principal = null } = instruction
  const server = findServer(app, instruction.server ?? 'default')
  const target = 'action' in instruction ? findAction(server, instruction) : findTarget(server, instruction)
  const kind: OperationKind = instruction.kind ?? (target.action?.method === 'GET' ? 'FetchAction' : 'Action')
  const requester = { server, request: null, principal, trusted: instruction.principal === undefined }
  const visibility = visibilityFor(app, requester)
  const queryContext = {
    app,
    server,
    kind,
    target,
    request: null,
    profiles: null,
    visibility,
    strict: false,
    limits: unlimited,
  }
  const query = readQuery(queryContext, toFamilies(instruction.query ?? '', server))
  return {
    kind,
    target,
    requester,
    query,
    plan: planOperation(app, { kind, target, requester }, query),
    ...readInput(kind, target, toBody(instruction, target), { acceptsLocalIds: false, limits: unlimited }),
  }
}

function findServer(app: App, name: string): Server {
  const server = app.servers.find((candidate) => candidate.name === name)
  if (!server) throw new LogicError(`There is no server '${name}'.`)
  if (!server.handler) throw new LogicError(`The server '${name}' has no handler, therefore accepts no instructions.`)
  return server
}

const targetKinds: Readonly<Partial<Record<OperationKind, Shape>>> = {
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

function findTarget(server: Server, instruction: Exclude<Instruction, ActionInstruction>): Target {
  const kind = targetKinds[instruction.kind]
  if (!kind) throw new LogicError(`There is no operation '${instruction.kind}'.`)
  const type = findType(server, instruction)
  return {
    kind,
    server,
    type,
    ...(kind !== 'collection' && { id: (instruction as { id: string }).id }),
    ...('relation' in instruction && { relation: findRelation(type, instruction.relation, instruction.kind) }),
  }
}

type ActionInstruction = Extract<Instruction, { readonly action: string }>

function findAction(server: Server, instruction: ActionInstruction): Target {
  const type = findType(server, instruction)
  const action = type.actions.find(({ name }) => name === instruction.action)
  if (!action) throw new LogicError(`The type '${type.name}' has no action '${instruction.action}'.`)
  const { id } = instruction
  if (action.on === 'resource' && id === undefined)
    throw new LogicError(`The action '${action.name}' of '${type.name}' needs the id of a resource.`)
  return { kind: 'action', server, type, action, ...(id !== undefined && { id }) }
}

function findType(server: Server, { type: name }: Instruction): ResourceType {
  const type = server.types.get(name)
  if (!type) throw new LogicError(`The server '${server.name}' does not offer the type '${name}'.`)
  return type
}

function findRelation(type: ResourceType, name: string, kind: OperationKind): Relation {
  const field = type.fields.get(name)
  if (field?.role !== 'relation') throw new LogicError(`The type '${type.name}' has no relation '${name}'.`)
  if (!field.toMany && isRelationshipWrite(kind) && kind !== 'UpdateRelationship') {
    throw new LogicError(`The relation '${name}' is to-one; use UpdateRelationship.`)
  }
  return field
}

/** The request body that has the same content. */
function toBody(instruction: Instruction, { action }: Target): unknown {
  if ('data' in instruction) return { data: instruction.data }
  if (!action) return toDocument(instruction)
  return action.input
    ? toDocument({ ...instruction, type: action.input.name, id: undefined })
    : (instruction as ActionInstruction).body
}

function toDocument(instruction: object): unknown {
  const { type, id, attributes, relationships = {} } = instruction as Common & Content & { readonly id?: string }
  const linked = Object.entries(relationships).map(([name, data]) => [name, { data }])
  return { data: { type, id, attributes, relationships: Object.fromEntries(linked) } }
}

function toFamilies(query: string | QueryObject, { listParameters: lists }: Server): ReadonlyMap<string, ParamValue> {
  if (typeof query === 'string') return parseQueryString(query, { lists })
  return new Map(
    Object.entries(query).map(([name, value]) => [
      name,
      isList(value) ? value.join() : toParam(value, lists.has(name)),
    ]),
  )
}

function toParam(value: QueryValue, joinsLists: boolean): ParamValue {
  if (isList(value)) return joinsLists ? value.join() : value.map(String)
  if (typeof value !== 'object') return String(value)
  return Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toParam(inner, joinsLists)])),
  )
}

function isList(value: QueryValue): value is readonly (string | number)[] {
  return Array.isArray(value)
}
