import type { App, Plugin, Server } from '#kernel/plugin'
import { describeServer, type PreparedResponse, prepareResponse, sendResponse } from '#plugins/openapi/index.ts'
import { routeName } from '#routes'
import { type ClientTypes, documentToTypes } from './document-to-types.ts'
import type { Described } from './schema-text.ts'

declare module '#kernel/plugin' {
  interface Server {
    /** The generated types. Set by the first request. */
    clientTypes?: PreparedResponse
  }
}

export { type ClientTypes, documentToTypes } from './document-to-types.ts'

/** The types of a server. */
export function typesOfServer(app: App, server: Server): ClientTypes {
  return documentToTypes(describeServer(app, server) as unknown as Described)
}

/** The URL of the types, below the prefix of a server. */
const typesPath = '/client-types.d.ts'

/**
 * Serves the types of the API for clients/typescript, with their hash as entity tag: a client compares it with the hash of
 * the types it was compiled with. Written on the first request.
 */
export function clientTypes(): Plugin {
  const createResponse = (app: App, server: Server) => {
    server.clientTypes ??= toResponse(typesOfServer(app, server))
    return server.clientTypes
  }
  return {
    name: 'client-types',
    requires: ['openapi'],

    routes: (server) => [
      {
        name: routeName(server, 'client-types'),
        methods: ['GET', 'HEAD'],
        path: typesPath,
        title: 'TypeScript types',
        handle: (ctx, request) => sendResponse(ctx, createResponse(request.app, server)),
      },
    ],
  }
}

function toResponse({ declarations, hash }: ClientTypes): PreparedResponse {
  return prepareResponse(declarations, 'text/plain; charset=utf-8', { ETag: `"${hash}"` })
}
