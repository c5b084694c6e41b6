import type Koa from 'koa'
import type { Shape } from '#kernel/operations'
import { listMethods } from '#kernel/operations'
import {
  type App,
  buildRoutePath,
  hasRelatedEndpoint,
  hasRelationshipEndpoint,
  type ResourceMatch,
  type ResourceType,
  type Server,
} from '#kernel/plugin'

/** A route as listed by documentation, tests and `npm run routes`. */
interface NamedRoute {
  readonly name: string
  readonly methods: readonly string[]
  /** Includes the prefix of the server; the id is `{id}`. */
  readonly path: string
  readonly server: Server
}

/** `jsonapi.albums.index`, and on a named server `jsonapi.admin.albums.index`. */
export function routeName(server: Pick<Server, 'name'>, ...parts: readonly string[]): string {
  return `jsonapi.${server.name === 'default' ? '' : `${server.name}.`}${parts.join('.')}`
}

/** The last part of a route name, by shape and method. */
const actions: Readonly<Record<Shape, Readonly<Record<string, string>>>> = {
  collection: { GET: 'index', POST: 'create' },
  resource: { GET: 'show', PATCH: 'update', DELETE: 'delete' },
  related: { GET: 'related' },
  relationship: {
    GET: 'relationship',
    PATCH: 'relationship.update',
    POST: 'relationship.add',
    DELETE: 'relationship.remove',
  },
}

/** The name of the route of a request. Returns null if no route matches its path and method. */
export function buildRouteName({ state, method }: Koa.Context): string | null {
  const match = state.exchange?.match
  if (!match?.type) return match?.route?.name ?? null
  const { server, type, shape, relation: segment } = match
  const action = actions[shape][method === 'HEAD' ? 'GET' : method]
  const relation = segment === undefined ? null : type.relationsBySegment.get(segment)
  if (action === undefined || relation === undefined) return null
  return relation ? routeName(server, type.name, relation.name, action) : routeName(server, type.name, action)
}

/** All routes of all servers: resource types first, then plugins. */
export function namedRoutes(app: App): NamedRoute[] {
  return app.servers.flatMap((server) => [
    ...[...server.types.values()].flatMap((type) => routesOfType(server, type)),
    ...server.routes
      .filter(({ isUnlisted }) => !isUnlisted)
      .map((route) => ({
        name: route.name,
        methods: route.methods,
        path: toPathTemplate(buildRoutePath(server, route)),
        server,
      })),
  ])
}

function routesOfType(server: Server, type: ResourceType): NamedRoute[] {
  const collection = `${server.prefix}/${type.uriType}`
  const resource = `${collection}/{id}`
  const related = type.relations.filter((relation) => hasRelatedEndpoint(server, relation))
  const linked = type.relations.filter(hasRelationshipEndpoint)
  const at = (shape: Shape, path: string, ...relation: readonly string[]) =>
    routesAt({ server, type, shape }, path, relation)
  return [
    ...at('collection', collection),
    ...at('resource', resource),
    ...related.flatMap(({ name, segment }) => at('related', `${resource}/${segment}`, name)),
    ...linked.flatMap(({ name, segment }) => at('relationship', `${resource}/relationships/${segment}`, name)),
  ]
}

/** Returns a route per method of the path; HEAD belongs to GET. */
function routesAt(match: ResourceMatch, path: string, relation: readonly string[]): NamedRoute[] {
  const { server, type, shape } = match
  const methods = listMethods(match)
  return Object.entries(actions[shape])
    .filter(([method]) => methods.includes(method))
    .map(([method, action]) => ({
      name: routeName(server, type.name, ...relation, action),
      methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
      path,
      server,
    }))
}

/** `/albums/:id/cover` → `/albums/{id}/cover` */
function toPathTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}
