import { acceptedNames } from '#kernel/errors'
import { runOperation } from '#kernel/operations'
import type { ResourceType, Route, Server } from '#kernel/plugin'
import { routeName } from '#routes'
import type { CompiledAction } from './compile.ts'
import { actionNotFound } from './errors.ts'
import { readRawBody } from './raw-body.ts'

/** The URL segment before the name of an action. No relation and no type can have it. */
export const segment = '-actions'

/** A route for each action of the server, then two that reject other names. */
export function listRoutes(server: Server): readonly Route[] {
  return [
    ...[...server.types.values()].flatMap((type) => actionsOn(type, server).map((action) => toRoute(action, server))),
    fallbackRoute(server, 'collection', `/:type/${segment}/:action`),
    fallbackRoute(server, 'resource', `/:type/:id/${segment}/:action`),
  ]
}

/** The actions of a type that the server offers. */
export function actionsOn({ actions }: ResourceType, { name }: Pick<Server, 'name'>): readonly CompiledAction[] {
  return (actions as CompiledAction[]).filter(({ servers }) => servers.includes(name))
}

function toRoute(action: CompiledAction, server: Server): Route {
  const { type, name, on, method, raw, input } = action
  const path = on === 'resource' ? `/${type.uriType}/:id/${segment}/${name}` : `/${type.uriType}/${segment}/${name}`
  return {
    name: routeName(server, type.name, 'actions', name),
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    path,
    matches: ({ id = '' }) => on === 'collection' || isId(type, id),
    jsonapi: raw ? { body: (ctx, receive) => readRawBody(ctx, receive, raw) } : input ? {} : { body: 'none' },
    action,
    handle: (_ctx, request) => runOperation(request.app, request),
  }
}

/** Whether the id has the form of a URL of the type: `matchAs()`. */
function isId({ id }: ResourceType, text: string): boolean {
  return !id.urlFormat || id.urlFormat.test(text)
}

/** Responds 404 with the names of the actions, whatever the method and the body are. */
function fallbackRoute(server: Server, on: CompiledAction['on'], path: string): Route {
  const typeAt = (segmentOfType = '') => server.typesBySegment.get(segmentOfType)
  return {
    name: routeName(server, 'actions', on),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    path,
    isUnlisted: true,
    matches({ type: segmentOfType, id = '' }) {
      const type = typeAt(segmentOfType)
      return type !== undefined && (on === 'collection' || isId(type, id))
    },
    jsonapi: { body: async () => undefined },
    handle({ params }) {
      const type = typeAt(params.type) as ResourceType
      const names = actionsOn(type, server).filter((action) => action.on === on)
      const accepted = acceptedNames(
        names.map(({ name }) => name),
        params.action,
      )
      throw actionNotFound({ type: type.name, action: params.action, accepted })
    },
  }
}
