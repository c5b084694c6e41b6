import type { ResourceMatch, RouteMatch } from '../../contract/target.ts'

/** The parameters of a resource URL. The router may leave values of routes that it tried before. */
export interface PathParameters {
  readonly type: string
  readonly id: string
  readonly relation: string
}

/** Returns null if the parameters of the URL are not those of the route. */
export function matchRoute(endpoint: RouteMatch, parameters: Readonly<Record<string, string>>): RouteMatch | null {
  return (endpoint.route.matches?.(parameters) ?? true) ? endpoint : null
}

/**
 * Returns null if the server has no type with this URL segment, the id does not have the form of the type's ids, or the
 * URL is one of a relation and the type has neither relations nor an entity.
 */
export function matchResource(
  { server, shape }: Pick<ResourceMatch, 'server' | 'shape'>,
  { type: segment, id, relation }: PathParameters,
): ResourceMatch | null {
  const type = server.typesBySegment.get(segment)
  if (!type) return null
  if (shape === 'collection') return { server, shape, type }
  if (type.id.urlFormat && !type.id.urlFormat.test(id)) return null
  if (shape !== 'resource' && type.isStandalone && type.relations.length === 0) return null
  return shape === 'resource' ? { server, shape, type, id } : { server, shape, type, id, relation }
}
