import {
  hasRelatedEndpoint,
  hasRelationshipEndpoint,
  isRelationshipWrite,
  type OperationKind,
  type Relation,
  type ResourceType,
  type Route,
  type Server,
} from '#kernel/plugin'
import type { DescribedOperation, DescribedSuccess, Schema } from '#openapi'
import { summaryOf } from './descriptions.ts'
import { collectionOf, documentOf, relatedDocument, relationshipDocument } from './documents.ts'
import { addStandardFailures } from './failures.ts'
import { operationId } from './names.ts'
import { createRequest, linkageRequest, updateRequest } from './requests.ts'
import type { Sketch } from './sketch.ts'

/** An operation with its path and method. */
export interface PlacedOperation extends DescribedOperation {
  readonly method: string
  /** Without the prefix of the server. */
  readonly path: string
}

/** All operations of a server that can succeed. */
export function operationsOf(sketch: Sketch, routes: readonly Route[]): PlacedOperation[] {
  const { server } = sketch
  return [
    ...[...server.types.values()].flatMap((type) => operationsOfType(type, sketch)),
    ...routes
      .filter(({ jsonapi }) => jsonapi)
      .flatMap((route) => route.methods.map((method) => endpoint(method, route))),
  ]
}

function operationsOfType(type: ResourceType, sketch: Sketch): PlacedOperation[] {
  const { operations } = type
  const collection = `/${type.uriType}`
  const resource = `${collection}/{id}`
  const found: PlacedOperation[] = []
  const add = (kind: OperationKind, method: string, path: string, relation: Relation | null = null) =>
    found.push(operation(kind, method, path, type, relation, sketch))
  if (operations.has('FetchCollection')) add('FetchCollection', 'GET', collection)
  if (operations.has('Create')) add('Create', 'POST', collection)
  if (operations.has('FetchOne')) add('FetchOne', 'GET', resource)
  if (operations.has('Update')) add('Update', 'PATCH', resource)
  if (operations.has('Delete')) add('Delete', 'DELETE', resource)
  for (const relation of type.relations) {
    for (const [kind, method] of relationKinds(relation, sketch.server)) {
      const path = kind === 'FetchRelated' ? resource : `${resource}/relationships`
      add(kind, method, `${path}/${relation.segment}`, relation)
    }
  }
  return found
}

function relationKinds(relation: Relation, server: Server): [OperationKind, string][] {
  const { toMany, owner, readOnlyOnUpdate, cannotReplace, cannotAdd, cannotRemove } = relation
  const reads = owner.operations.has('FetchOne')
  const isLinked = hasRelationshipEndpoint(relation)
  const writes = isLinked && owner.operations.has('Update') && readOnlyOnUpdate !== true
  const kinds: [OperationKind, string, boolean][] = [
    ['FetchRelated', 'GET', reads && hasRelatedEndpoint(server, relation)],
    ['FetchRelationship', 'GET', reads && isLinked],
    ['UpdateRelationship', 'PATCH', writes && (cannotReplace !== true || (!toMany && cannotRemove !== true))],
    ['AddToRelationship', 'POST', writes && toMany && cannotAdd !== true],
    ['RemoveFromRelationship', 'DELETE', writes && toMany && cannotRemove !== true],
  ]
  return kinds.flatMap(([kind, method, isOffered]) => (isOffered ? [[kind, method]] : []))
}

function operation(
  kind: OperationKind,
  method: string,
  path: string,
  type: ResourceType,
  relation: Relation | null,
  sketch: Sketch,
): PlacedOperation {
  const shows = kind === 'FetchRelated' ? (relation?.targets ?? []) : showing.has(kind) ? [type] : []
  const made = draft(method, path, { kind, type, relation, shows, body: bodyOf(kind, type, relation, sketch) })
  made.object.operationId = operationId(kind, type, relation)
  made.object.summary = summaryOf(kind, type.name, relation?.name)
  const [status, success] = successOf(kind, type, relation, sketch)
  made.successes.set(status, success)
  if (relation?.toMany && isRelationshipWrite(kind)) made.successes.set(204, { description: tooManyMembers })
  addStandardFailures(made)
  return made
}

/** The operation of a route; its plugin describes body and responses. */
function endpoint(method: string, route: Route): PlacedOperation {
  const made = draft(method, route.path, { route })
  addStandardFailures(made)
  return made
}

function draft(method: string, path: string, given: Partial<DescribedOperation>): PlacedOperation {
  const failures: PlacedOperation['failures'] = new Map()
  return {
    method,
    path,
    kind: null,
    route: null,
    type: null,
    relation: null,
    shows: [],
    includable: new Set(),
    paginator: null,
    body: null,
    object: { operationId: path.slice(1), summary: path, description: '' },
    parameters: [],
    successes: new Map(),
    failures,
    fail(status, ...errors) {
      const failure = failures.get(status) ?? { errors: new Set(), headers: {} }
      for (const error of errors) failure.errors.add(error)
      failures.set(status, failure)
      return failure
    },
    ...given,
  }
}

/** The operations whose primary data are resources of the type. */
const showing = new Set<OperationKind>(['FetchCollection', 'FetchOne', 'Create', 'Update'])

function bodyOf(kind: OperationKind, type: ResourceType, relation: Relation | null, sketch: Sketch): Schema | null {
  if (kind === 'Create') return createRequest(type, sketch)
  if (kind === 'Update') return updateRequest(type, sketch)
  return relation && !kind.startsWith('Fetch') ? linkageRequest(relation, sketch) : null
}

function successOf(
  kind: OperationKind,
  type: ResourceType,
  relation: Relation | null,
  sketch: Sketch,
): [number, DescribedSuccess] {
  switch (kind) {
    case 'FetchCollection':
      return [200, { description: 'The collection.', schema: collectionOf(type, sketch) }]
    case 'Create':
      return [201, { description: 'It is created.', schema: documentOf(type, sketch), headers: { Location: location } }]
    case 'Delete':
      return [204, { description: 'It is deleted.' }]
    case 'FetchOne':
    case 'Update':
      return [200, { description: 'The resource.', schema: documentOf(type, sketch) }]
    case 'FetchRelated':
      return [200, { description: 'What it leads to.', schema: relatedDocument(relation as Relation, sketch) }]
    default:
      return [200, { description: 'The members.', schema: relationshipDocument(relation as Relation, sketch) }]
  }
}

const tooManyMembers = 'It is done; the members are too many for one document.'

export const location = { description: 'The URL of the resource.', schema: { type: 'string', format: 'uri' } }
