import createError from 'http-errors'
import type Koa from 'koa'
import { hasEndpoint, relationshipMissing } from '../../contract/missing-relationship.ts'
import type { ApiRequest } from '../../contract/request.ts'
import type { Match, ResourceMatch, RouteMatch, Target } from '../../contract/target.ts'
import { visibilityOfRequest } from '../../contract/visibility.ts'
import { relationshipTypeInappropriate } from '../../errors/core-errors.ts'
import { phrase } from '../../errors/errors.ts'
import type { Relation } from '../../schema/field.ts'
import { methodsByOperation } from '../../schema/url-shape.ts'

/** The 405 for a method that the URL does not accept. The reason is shown in debug mode only. */
export function methodNotAllowed(method: string, match: Match): Error {
  const accepted = listMethods(match).join(', ')
  const message = `${method} is not allowed here.`
  const reason = [message, ...missingOperation(method, match), `Accepted: ${accepted}.`].join(' ')
  return createError(405, message, { headers: { Allow: accepted }, reason })
}

/** Names the operation that the method would run, if the type does not have it. */
function missingOperation(method: string, match: Match): readonly string[] {
  if (match.route) return []
  const [operation] = methodsByOperation[match.shape].find(([, methods]) => methods.includes(method)) ?? []
  return operation ? [`The type '${match.type.name}' does not have the operation ${operation}.`] : []
}

/** Returns null if the route runs no action. */
export function targetOfRoute({ server, route: { action } }: RouteMatch, { params }: Koa.Context): Target | null {
  if (!action) return null
  const target = { kind: 'action', server, type: action.type, action } as const
  return action.on === 'resource' ? { ...target, id: params.id } : target
}

/** Resolves the relation. Throws if it does not exist, is hidden from the requester, or does not accept the method. */
export function toTarget(match: ResourceMatch, method: string, exchange: Pick<ApiRequest, 'app' | 'ctx'>): Target {
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

/** The methods that the URL accepts. */
export function listMethods(match: Match): readonly string[] {
  return match.route ? [...match.route.methods, 'OPTIONS'] : match.type.methods[match.shape]
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
