import { queryParamMalformed } from '#kernel/errors'
import { runOperation } from '#kernel/operations'
import type { Action, ApiRequest, Document, Plugin, Registry, ResourceType, Route, Server } from '#kernel/plugin'
import type { ParamValue } from '#kernel/queries'
import { addAction, meta } from '#plugins/actions/index.ts'
import { routeName } from '#routes'
import { describeHistory } from './describe.ts'
import { fetchHistory, pageParameter } from './fetch-history.ts'

/** The URL segment after the id. No relation can have it. */
const segment = '-history'
const actionName = 'history'

/** `GET /albums/1/-history`: the changes of a resource, newest first, for requesters with the ability `viewHistory`. */
export function history(): Plugin {
  return {
    name: 'history',
    requires: ['change-log', 'actions'],

    onCompile(registry) {
      for (const type of registry.types.values()) if (type.declaration.history) addHistory(type, registry)
    },

    routes: (server) => [...server.types.values()].flatMap((type) => routeOf(type, server) ?? []),

    parameters: {
      [pageParameter](value, query, { target }) {
        if (target.action?.name === actionName && isPosition(value)) return
        const expected =
          target.action?.name === actionName ? 'the position in the link to the next page' : 'no such parameter here'
        query.faults.push(
          queryParamMalformed({ parameter: pageParameter, expected }, { source: { parameter: pageParameter } }),
        )
      },
    },

    plan({ action, document }) {
      if (action?.name === actionName) document.push(addNextLink)
    },

    describe: describeHistory,
  }
}

function isPosition(value: ParamValue): boolean {
  return typeof value === 'string' && /^\d{1,18}$/.test(value)
}

/** An action, so that the policy authorizes it. The plugin `actions` offers it on no server: its URL is that of `routeOf`. */
function addHistory(type: ResourceType, registry: Registry): void {
  const definition = { name: actionName, method: 'GET', answers: 'meta', ability: 'viewHistory', server: [] } as const
  addAction(type, { ...definition, handle: () => meta({}) }, registry)
  const index = type.actions.findIndex(({ name }) => name === actionName)
  const action = type.actions[index]
  if (action) type.actions[index] = { ...action, run: fetchHistory } satisfies Action
}

function routeOf(type: ResourceType, server: Server): Route | null {
  const action = type.declaration.history && type.actions.find(({ name }) => name === actionName)
  if (!action) return null
  return {
    name: routeName(server, type.name, actionName),
    methods: ['GET', 'HEAD'],
    path: `/${type.uriType}/:id/${segment}`,
    matches: ({ id = '' }) => !type.id.urlFormat || type.id.urlFormat.test(id),
    jsonapi: { body: 'none' },
    action,
    handle: (_ctx, request) => runOperation(request.app, request),
  }
}

function addNextLink({ url }: ApiRequest, document: Document): void {
  const { next } = (document.meta ?? {}) as { readonly next?: string }
  if (next === undefined || !document.links) return
  document.links.next = `${url.base}${url.path}?${pageParameter}=${next}`
  delete document.meta
}
