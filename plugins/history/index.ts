import { type Phrase, phrase, queryParamMalformed } from '#kernel/errors'
import { runOperation } from '#kernel/operations'
import type { ApiRequest, Document, Plugin, Query, Registry, ResourceType, Route, Server } from '#kernel/plugin'
import type { ParamValue } from '#kernel/queries'
import { addAction } from '#plugins/actions/index.ts'
import { routeName } from '#routes'
import { describeHistory } from './describe.ts'
import { fetchHistory, isHistory, pageParameter, pageSize } from './fetch-history.ts'

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

    routes: (server) => [...server.types.values()].flatMap((type) => historyRoute(type, server) ?? []),

    parameters: {
      [pageParameter]: {
        read(value, query, { target }) {
          const isKnown = isHistory(target.action)
          if (isKnown && isPosition(value)) return
          const expected = isKnown ? 'the position in the link to the next page' : 'no such parameter here'
          refuse(pageParameter, phrase(expected), query)
        },
        isAccepted: ({ target }) => isHistory(target.action),
      },
    },

    onQuery({ target }, query) {
      if (!isHistory(target.action)) return
      const expected = phrase(
        "no such parameter here; a page has up to {limit} changes, and the link 'next' leads to older ones",
        { limit: pageSize },
      )
      for (const name of ['page', 'fields']) if (query.requested.has(name)) refuse(name, expected, query)
    },

    plan({ action, document }) {
      if (isHistory(action)) document.push(addNextLink)
    },

    describe: describeHistory,
  }
}

function refuse(parameter: string, expected: Phrase, { faults }: Query): void {
  faults.push(queryParamMalformed({ parameter, expected }, { source: { parameter } }))
}

function isPosition(value: ParamValue): boolean {
  return typeof value === 'string' && /^\d{1,18}$/.test(value)
}

/** An action, so that the policy authorizes it. The plugin `actions` offers it on no server: its URL is that of `historyRoute`. */
function addHistory(type: ResourceType, registry: Registry): void {
  const definition = { name: actionName, method: 'GET', answers: 'meta', ability: 'viewHistory', server: [] } as const
  addAction(type, { ...definition, run: fetchHistory }, registry)
}

function historyRoute(type: ResourceType, server: Server): Route | null {
  const action = type.actions.find(isHistory)
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

/** The page has the position of its last change in `meta`, because the request has the URL of the link. */
function addNextLink({ url }: ApiRequest, document: Document): void {
  const { next } = (document.meta ?? {}) as { readonly next?: string }
  if (next === undefined || !document.links) return
  document.links.next = `${url.base}${url.path}?${pageParameter}=${next}`
  delete document.meta
}
