import createError from 'http-errors'
import type Koa from 'koa'
import { relationshipTypeInappropriate } from '../../errors/core-errors.ts'
import { phrase } from '../../errors/errors.ts'
import type { Relation } from '../../model/field.ts'
import { hasEndpoint, relationshipMissing } from '../../model/missing-relationship.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { OperationName, ResourceType } from '../../model/resource-type.ts'
import type { Match, ResourceMatch, RouteMatch, Shape, Target } from '../../model/target.ts'
import { visibilityOfRequest } from '../../model/visibility.ts'

/** Throws 405 if the URL does not accept the method. The reason is shown in debug mode only. */
export function checkMethod(method: string, match: Match): void {
  const methods = methodsOf(match)
  if (methods.includes(method)) return
  const message = `${method} is not allowed here.`
  const reason = [message, ...missingOperation(method, match), `Accepted: ${methods.join(', ')}.`].join(' ')
  throw createError(405, message, { headers: { Allow: methods.join(', ') }, reason })
}

/** Names the operation that the method would run, if the type does not have it. */
function missingOperation(method: string, match: Match): readonly string[] {
  if (match.route) return []
  const [operation] = methodsByOperation[match.shape].find(([, methods]) => methods.includes(method)) ?? []
  return operation ? [`The type '${match.type.name}' does not have the operation ${operation}.`] : []
}

/** The methods of each shape of URLs, by the operation that the type needs for them. */
const methodsByOperation: Readonly<Record<Shape, readonly (readonly [OperationName, readonly string[]])[]>> = {
  collection: [
    ['FetchCollection', ['GET', 'HEAD']],
    ['Create', ['POST']],
  ],
  resource: [
    ['FetchOne', ['GET', 'HEAD']],
    ['Update', ['PATCH']],
    ['Delete', ['DELETE']],
  ],
  related: [['FetchOne', ['GET', 'HEAD']]],
  // `targetOf` rejects POST and DELETE on a to-one relationship.
  relationship: [
    ['FetchOne', ['GET', 'HEAD']],
    ['Update', ['PATCH', 'POST', 'DELETE']],
  ],
}

/** Returns null if the route runs no action. */
export function targetOfRoute({ server, route: { action } }: RouteMatch, { params }: Koa.Context): Target | null {
  if (!action) return null
  const target = { kind: 'action', server, type: action.type, action } as const
  return action.on === 'resource' ? { ...target, id: params.id } : target
}

/** Resolves the relation. Throws if it does not exist, is hidden from the caller, or does not accept the method. */
export function targetOf(match: ResourceMatch, method: string, exchange: Pick<ApiRequest, 'app' | 'ctx'>): Target {
  const { server, type, shape: kind, id, lid, relation: segment } = match
  const target = { kind, server, type, ...(id !== undefined && { id }), ...(lid !== undefined && { lid }) }
  if (segment === undefined) return target
  const relation = findRelation(match, segment, exchange)
  if ((method === 'POST' || method === 'DELETE') && !relation.toMany) {
    const context = { relationship: relation.name, expected: phrase('only PATCH, because it is to-one') }
    throw relationshipTypeInappropriate(context, { status: 403 })
  }
  return { ...target, relation }
}

export function methodsOf(match: Match): readonly string[] {
  if (match.route) return [...match.route.methods, 'OPTIONS']
  const byShape = methodsOfTypes.get(match.type) ?? methodsOfType(match.type)
  return byShape[match.shape]
}

const methodsOfTypes = new WeakMap<ResourceType, Readonly<Record<Shape, readonly string[]>>>()

function methodsOfType(type: ResourceType): Readonly<Record<Shape, readonly string[]>> {
  const entries = Object.entries(methodsByOperation).map(([shape, operations]) => {
    const exposed = operations.filter(([operation]) => type.operations.has(operation))
    return [shape, [...exposed.flatMap(([, methods]) => methods), 'OPTIONS']]
  })
  const methods = Object.fromEntries(entries)
  methodsOfTypes.set(type, methods)
  return methods
}

function findRelation(match: ResourceMatch, segment: string, exchange: Pick<ApiRequest, 'app' | 'ctx'>): Relation {
  const { server, type, shape } = match
  const relation = type.relationsBySegment.get(segment)
  const isHidden = relation?.hiddenFor && visibilityOfRequest({ ...exchange, server }).hides(relation)
  if (!relation || !hasEndpoint(server, relation, shape) || isHidden) {
    throw relationshipMissing({ server, type, kind: shape }, segment)
  }
  return relation
}
