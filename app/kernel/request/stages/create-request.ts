import type Koa from 'koa'
import type { App } from '../../model/app.ts'
import type { Match } from '../../model/match.ts'
import { readHeader } from '../../model/principal.ts'
import type { ApiRequest, Media } from '../../model/request.ts'
import type { Target } from '../../model/target.ts'
import { markVariesByPrincipal } from '../../model/vary.ts'

export function createRequest(
  app: App,
  ctx: Koa.Context,
  match: Match,
  target: Target | null,
  media: Media,
  body: unknown,
): ApiRequest {
  const { server } = match
  const { path: asked } = ctx
  const path = pathWithin(asked, match)
  const appliedProfiles = new Set<string>()
  for (const { uri } of server.ownProfiles) if (media.profiles.has(uri)) appliedProfiles.add(uri)
  return {
    app,
    ctx,
    server,
    target,
    media,
    url: {
      base: server.baseUri || `${ctx.protocol}://${ctx.host}${asked.slice(0, asked.length - path.length)}`,
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
    appliedProfiles,
    deadline: ctx.state.deadline ?? null,
    place: '',
    operationType: null,
  }
}

const lengths = { collection: 1, resource: 2, related: 3, relationship: 4 } as const

/** The part of the path that is the server's own; before it stand its prefix, and that of a group it is placed in. */
function pathWithin(path: string, match: Match): string {
  const length = match.route ? match.route.path.split('/').length - 1 : lengths[match.shape]
  let start = path.length
  for (let segments = length; segments > 0; segments--) start = path.lastIndexOf('/', start - 1)
  return path.slice(start)
}
