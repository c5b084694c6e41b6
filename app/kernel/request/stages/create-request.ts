import { readHeader } from '../../model/principal.ts'
import type { ApiRequest, Exchange } from '../../model/request.ts'
import type { Match } from '../../model/target.ts'
import { markVariesByPrincipal } from '../../model/vary.ts'

export function createRequest(
  { app, ctx }: Exchange,
  match: Match,
  { media, target, body }: Pick<ApiRequest, 'media' | 'target' | 'body'>,
): ApiRequest {
  const { server } = match
  const path = pathInServer(ctx.path, match)
  const mount = ctx.path.slice(0, ctx.path.length - path.length)
  return {
    app,
    ctx,
    server,
    target,
    media,
    url: {
      base: server.relativeLinks ? mount : server.baseUri || `${ctx.protocol}://${ctx.host}${mount}`,
      path,
      search: ctx.querystring,
    },
    body,
    get principal() {
      markVariesByPrincipal(ctx)
      return ctx.state.principal ?? null
    },
    serverName: server.name,
    method: ctx.method,
    header: (name) => readHeader(ctx, name),
    appliedProfiles: new Set(server.ownProfiles.flatMap(({ uri }) => (media.profiles.has(uri) ? [uri] : []))),
    deadline: ctx.state.deadline ?? null,
    operationPointer: '',
    operationType: null,
  }
}

const segmentCounts = { collection: 1, resource: 2, related: 3, relationship: 4 } as const

/** The path without the server's prefix and the prefix of a router that its routes are mounted in. */
function pathInServer(path: string, match: Match): string {
  const count = match.route ? match.route.path.split('/').length - 1 : segmentCounts[match.shape]
  return `/${path.split('/').slice(-count).join('/')}`
}
