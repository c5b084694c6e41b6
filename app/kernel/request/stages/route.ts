import createError from 'http-errors'
import type Koa from 'koa'
import { relationshipNotExists, relationshipTypeInappropriate } from '../../errors/core-errors.ts'
import { phrase } from '../../errors/errors.ts'
import { getOrCreate } from '../../lib/get-or-create.ts'
import type { App } from '../../model/app.ts'
import type { Relation } from '../../model/field.ts'
import type { Match, ResourceMatch } from '../../model/match.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { ResourceType } from '../../model/resource-type.ts'
import type { ApiResponse } from '../../model/response.ts'
import { hasRelatedEndpoint, hasRelationshipEndpoint } from '../../model/server.ts'
import type { Target, TargetKind } from '../../model/target.ts'
import { visibilityOf } from '../../model/visibility.ts'

/** Settles what the request points at, or refuses its verb. Null on a plugin's own route. */
export function route(app: App, ctx: Koa.Context, match: Match): Target | null {
  const methods = methodsOf(match)
  if (!methods.includes(ctx.method)) {
    throw createError(405, `${ctx.method} is not allowed here.`, { headers: { Allow: methods.join(', ') } })
  }
  return match.route ? null : targetOf(match, ctx.method, { app, ctx })
}

/** The relation is known to the requester and offered, and takes the verb. */
export function targetOf(match: ResourceMatch, method: string, exchange: Pick<ApiRequest, 'app' | 'ctx'>): Target {
  const { server, type, shape: kind, id, lid, relation: segment } = match
  const base = { kind, server, type, ...(id !== undefined && { id }), ...(lid !== undefined && { lid }) }
  if (segment === undefined) return base
  const relation = findRelation(match, segment, exchange)
  if ((method === 'POST' || method === 'DELETE') && !relation.toMany) {
    const context = { relationship: relation.name, expected: phrase('only PATCH, because it is to-one') }
    throw relationshipTypeInappropriate(context, { status: 403 })
  }
  return { ...base, relation }
}

/** The answer to OPTIONS. */
export function allow(match: Match): ApiResponse {
  return { kind: 'none', status: 204, headers: { Allow: methodsOf(match).join(', ') } }
}

/** The verbs a path takes. */
export function methodsOf(match: Match): readonly string[] {
  if (match.route) return [...match.route.methods, 'OPTIONS']
  return getOrCreate(methods, match.type, methodsOfType)[match.shape]
}

const methods = new WeakMap<ResourceType, Readonly<Record<TargetKind, readonly string[]>>>()

function methodsOfType(type: ResourceType): Readonly<Record<TargetKind, readonly string[]>> {
  return {
    collection: methodsAt('collection', type),
    resource: methodsAt('resource', type),
    related: methodsAt('related', type),
    relationship: methodsAt('relationship', type),
  }
}

function methodsAt(shape: TargetKind, { operations }: ResourceType): readonly string[] {
  const methods: string[] = []
  const read = shape === 'collection' ? 'FetchCollection' : 'FetchOne'
  if (operations.has(read)) methods.push('GET', 'HEAD')
  if (shape === 'collection' && operations.has('Create')) methods.push('POST')
  if (shape === 'resource' && operations.has('Update')) methods.push('PATCH')
  if (shape === 'resource' && operations.has('Delete')) methods.push('DELETE')
  // A to-one refuses the last two itself, and a relation nobody knows is a 404 to all of them.
  if (shape === 'relationship' && operations.has('Update')) methods.push('PATCH', 'POST', 'DELETE')
  return [...methods, 'OPTIONS']
}

function findRelation(match: ResourceMatch, segment: string, exchange: Pick<ApiRequest, 'app' | 'ctx'>): Relation {
  const relation = match.type.relationsBySegment.get(segment)
  const exposed =
    relation &&
    (match.shape === 'related' ? hasRelatedEndpoint(match.server, relation) : hasRelationshipEndpoint(relation))
  const isHidden = relation?.hiddenFor && visibilityOf({ ...exchange, server: match.server }).hides(relation)
  if (!relation || !exposed || isHidden) throw relationshipNotExists({ type: match.type.name, relationship: segment })
  return relation
}
