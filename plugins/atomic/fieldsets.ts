import { type ApiRequest, parseQueryString, type Query, type QueryContext, readQuery } from '#kernel/plugin'

/**
 * All that the query of a batch can say: which fields are shown. Its answer has no primary data, as that of a removal
 * has none, so that the same is refused, whatever the type; only `include` is taken, and has no effect.
 */
export async function readFieldsets(request: ApiRequest): Promise<Query['fields']> {
  const { app, server, url } = request
  const { strictQueryParameters: strict, limits } = app.config
  const [type] = server.types.values()
  if (!type) return new Map()
  const families = new Map(parseQueryString(url.search, limits.queryParameters))
  if (server.parameters.has('include')) families.delete('include')
  const reading: QueryContext = {
    app,
    server,
    kind: 'Delete',
    target: { kind: 'resource', server, type },
    request,
    visibility: null,
    strict,
    limits,
  }
  return readQuery(reading, families).fields
}
