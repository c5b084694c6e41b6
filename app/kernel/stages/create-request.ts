import type Koa from 'koa'
import type { App } from '../app.ts'
import type { ApiRequest, Media } from '../request.ts'
import type { Server } from '../server.ts'
import type { Target } from '../target.ts'

export function createRequest(
  app: App,
  ctx: Koa.Context,
  { server }: { readonly server: Server },
  target: Target | null,
  media: Media,
  body: unknown,
): ApiRequest {
  return {
    app,
    ctx,
    server,
    target,
    media,
    url: {
      base: server.baseUri || `${ctx.protocol}://${ctx.host}${server.prefix}`,
      path: ctx.path.slice(server.prefix.length),
      search: ctx.querystring,
    },
    body,
    principal: ctx.state.principal ?? null,
    appliedProfiles: new Set(),
  }
}
