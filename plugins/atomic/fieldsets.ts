import { parseQueryString, readQuery } from '#kernel/operations'
import type { ApiRequest, Query, QueryContext } from '#kernel/plugin'

/**
 * Reads the sparse fieldsets of a batch. Other parameters are refused as for a DELETE request, because the response has
 * no primary data; `include` is accepted and ignored.
 */
export function readFieldsets(request: ApiRequest): Query['fields'] {
  const { app, server, url } = request
  const { strictQueryParameters: strict, limits } = app.config
  const [type] = server.types.values()
  if (!type) return new Map()
  const { listParameters: lists } = server
  const families = new Map(parseQueryString(url.search, { lists, limit: limits.queryParameters }))
  if (server.parameters.has('include')) families.delete('include')
  const queryContext: QueryContext = {
    app,
    server,
    kind: 'Delete',
    target: { kind: 'resource', server, type },
    request,
    profiles: request.media.profiles,
    visibility: null,
    strict,
    limits,
  }
  return readQuery(queryContext, families).fields
}
