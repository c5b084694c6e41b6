import type Koa from 'koa'
import type { App } from '../../model/app.ts'
import type { Deadline } from '../../model/deadline.ts'
import type { Plan } from '../../model/operation.ts'
import { HttpCaller } from '../../model/principal.ts'
import type { ApiRequest, Exchange, Media, RequestUrl } from '../../model/request.ts'
import type { ResourceType } from '../../model/resource-type.ts'
import type { Server } from '../../model/server.ts'
import type { Match, Target } from '../../model/target.ts'
import { kindOf } from '../../plan/operation-kind.ts'

export function createRequest(
  { app, ctx }: Exchange,
  match: Match,
  parts: Pick<ApiRequest, 'media' | 'target' | 'body'>,
): ApiRequest {
  return new NegotiatedRequest(app, ctx, match, parts)
}

class NegotiatedRequest extends HttpCaller implements ApiRequest {
  readonly app: App
  readonly server: Server
  readonly target: Target | null
  readonly media: Media
  plan: Plan
  readonly url: RequestUrl
  readonly body: unknown
  readonly appliedProfiles: Set<string>
  readonly deadline: Deadline | null
  operationPointer = ''
  operationType: ResourceType | null = null

  constructor(app: App, ctx: Koa.Context, match: Match, parts: Pick<ApiRequest, 'media' | 'target' | 'body'>) {
    const { server } = match
    super(ctx, server.name)
    this.app = app
    this.server = server
    this.target = parts.target
    this.media = parts.media
    this.plan = app.plans.ofEndpoint(app, {
      server,
      kind: (parts.target && kindOf(ctx.method, parts.target)) ?? null,
      target: parts.target,
      profiles: parts.media.profiles,
    })
    this.url = urlOf(ctx, match)
    this.body = parts.body
    this.appliedProfiles = new Set(
      server.ownProfiles.flatMap(({ uri }) => (parts.media.profiles.has(uri) ? [uri] : [])),
    )
    this.deadline = ctx.state.deadline ?? null
  }
}

function urlOf(ctx: Koa.Context, match: Match): RequestUrl {
  const { server } = match
  const path = pathInServer(ctx.path, match)
  const mount = ctx.path.slice(0, ctx.path.length - path.length)
  const base = server.relativeLinks ? mount : server.baseUri || `${ctx.protocol}://${ctx.host}${mount}`
  return { base, path, search: ctx.querystring }
}

const segmentCounts = { collection: 1, resource: 2, related: 3, relationship: 4 } as const

/** The path without the server's prefix and the prefix of a router that its routes are mounted in. */
function pathInServer(path: string, match: Match): string {
  const count = match.route ? match.route.path.split('/').length - 1 : segmentCounts[match.shape]
  let start = path.length
  for (let segment = 0; segment < count; segment++) start = path.lastIndexOf('/', start - 1)
  return path.slice(start)
}
