import {
  type Action,
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
import type { DraftState } from '../draft-state.ts'
import { requestExample } from '../examples/requests.ts'
import { operationId } from '../names.ts'
import {
  describeCollectionDocument,
  describeResourceDocument,
  relatedDocument,
  relationshipDocument,
} from '../schemas/documents.ts'
import { createRequest, linkageRequest, updateRequest } from '../schemas/requests.ts'
import { actionSummary, writeSummary } from './descriptions.ts'
import { addKernelErrors } from './kernel-errors.ts'

/** An operation with its path and method. */
export interface PathOperation extends DescribedOperation {
  readonly method: string
  /** Without the prefix of the server. */
  readonly path: string
}

/** Describes all operations of a server that can succeed. */
export function describeOperations(state: DraftState): PathOperation[] {
  const { server } = state
  return [
    ...[...server.types.values()].flatMap((type) => operationsOfType(type, state)),
    ...server.routes
      .filter(({ jsonapi }) => jsonapi)
      .flatMap((route) => describedMethods(route).map((method) => describeRoute(method, route, state))),
  ]
}

function operationsOfType(type: ResourceType, state: DraftState): PathOperation[] {
  const { operations } = type
  const collection = `/${type.uriType}`
  const resource = `${collection}/{id}`
  const found: PathOperation[] = []
  const add = (kind: OperationKind, method: string, path: string, relation: Relation | null = null) =>
    found.push(describeOperation(kind, method, path, type, relation, state))
  if (operations.has('FetchCollection')) add('FetchCollection', 'GET', collection)
  if (operations.has('Create')) add('Create', 'POST', collection)
  if (operations.has('FetchOne')) add('FetchOne', 'GET', resource)
  if (operations.has('Update')) add('Update', 'PATCH', resource)
  if (operations.has('Delete')) add('Delete', 'DELETE', resource)
  for (const relation of type.relations) {
    for (const [kind, method] of relationKinds(relation, state.server)) {
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

function describeOperation(
  kind: OperationKind,
  method: string,
  path: string,
  type: ResourceType,
  relation: Relation | null,
  state: DraftState,
): PathOperation {
  const shows = kind === 'FetchRelated' ? (relation?.targets ?? []) : kindsWithResources.has(kind) ? [type] : []
  const operation = createOperation(method, path, {
    kind,
    type,
    relation,
    shows,
    body: describeBody(kind, type, relation, state),
    example: () => requestExample(kind, type, relation, state),
  })
  operation.object.operationId = operationId(kind, type, relation)
  operation.object.summary = writeSummary(kind, type, relation)
  const [status, success] = describeSuccess(kind, type, relation, state)
  operation.successes.set(status, success)
  if (relation?.toMany && isRelationshipWrite(kind)) operation.successes.set(204, { description: tooManyMembers })
  addKernelErrors(operation)
  return operation
}

/** HEAD is described by GET. */
function describedMethods({ methods, action }: Route): readonly string[] {
  return action ? [action.method] : methods
}

/** Describes the route of a plugin; the plugin adds responses, and the body and texts unless it runs an action. */
function describeRoute(method: string, route: Route, state: DraftState): PathOperation {
  const operation = createOperation(method, route.path.replace(/:(\w+)/g, '{$1}'), {
    route,
    ...(route.action && describeAction(route.action, state)),
  })
  const { kind, type, object } = operation
  if (kind && type && route.action) {
    object.operationId = operationId(kind, type, route.action)
    object.summary = actionSummary(route.action)
  }
  addKernelErrors(operation)
  return operation
}

function describeAction({ type, method, input, shows }: Action, state: DraftState): Partial<DescribedOperation> {
  return {
    kind: method === 'GET' ? 'FetchAction' : 'Action',
    type,
    shows: shows ? [shows] : [],
    body: input && createRequest(input, state),
    example: input && (() => requestExample('Create', input, null, state)),
  }
}

function createOperation(method: string, path: string, given: Partial<DescribedOperation>): PathOperation {
  const errorResponses: PathOperation['errorResponses'] = new Map()
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
    rawBody: [],
    anonymous: false,
    example: null,
    object: { operationId: path.slice(1), summary: path, description: '' },
    parameters: [],
    successes: new Map(),
    errorResponses,
    addErrors(status, ...errors) {
      const response = errorResponses.get(status) ?? { errors: new Set(), headers: {} }
      for (const error of errors) response.errors.add(error)
      errorResponses.set(status, response)
      return response
    },
    ...given,
  }
}

/** The operations whose primary data are resources of the type. */
const kindsWithResources = new Set<OperationKind>(['FetchCollection', 'FetchOne', 'Create', 'Update'])

function describeBody(
  kind: OperationKind,
  type: ResourceType,
  relation: Relation | null,
  state: DraftState,
): Schema | null {
  if (kind === 'Create') return createRequest(type, state)
  if (kind === 'Update') return updateRequest(type, state)
  return relation && !kind.startsWith('Fetch') ? linkageRequest(relation, state) : null
}

function describeSuccess(
  kind: OperationKind,
  type: ResourceType,
  relation: Relation | null,
  state: DraftState,
): [number, DescribedSuccess] {
  switch (kind) {
    case 'FetchCollection':
      return [200, { description: 'The collection.', schema: describeCollectionDocument(type, state) }]
    case 'Create':
      return [
        201,
        {
          description: 'The created resource.',
          schema: describeResourceDocument(type, state),
          headers: { Location: location },
        },
      ]
    case 'Delete':
      return [204, { description: 'The resource is deleted.' }]
    case 'FetchOne':
    case 'Update':
      return [200, { description: 'The resource.', schema: describeResourceDocument(type, state) }]
    case 'FetchRelated':
      return [200, { description: 'The related resources.', schema: relatedDocument(relation as Relation, state) }]
    default:
      return [200, { description: 'The members.', schema: relationshipDocument(relation as Relation, state) }]
  }
}

const tooManyMembers = 'The relationship is changed; it has too many members for one document.'

export const location = { description: 'The URL of the resource.', schema: { type: 'string', format: 'uri-reference' } }
