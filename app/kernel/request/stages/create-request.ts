import type Koa from 'koa'
import type { App } from '../../contract/app.ts'
import type { Deadline } from '../../contract/deadline.ts'
import type { ApiRequest, Exchange, Media, RequestUrl } from '../../contract/request.ts'
import type { Server } from '../../contract/server.ts'
import type { Plan } from '../../contract/stages.ts'
import type { Match, Target } from '../../contract/target.ts'
import { toOperationKind } from '../../plan/operation-kind.ts'
import { HttpCaller } from '../../schema/principal.ts'
import type { ResourceType } from '../../schema/resource-type.ts'

export class NegotiatedRequest extends HttpCaller implements ApiRequest {
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

  constructor(exchange: Exchange, match: Match, parts: Pick<ApiRequest, 'media' | 'target' | 'body'>) {
    const { app, ctx, deadline = null } = exchange
    const { server } = match
    super(ctx, server.name)
    this.app = app
    this.server = server
    this.target = parts.target
    this.media = parts.media
    this.plan = app.plans.ofEndpoint(app, {
      server,
      kind: (parts.target && toOperationKind(ctx.method, parts.target)) ?? null,
      target: parts.target,
      profiles: parts.media.profiles,
    })
    this.url = readUrl(ctx, match)
    this.body = parts.body
    this.appliedProfiles = new Set()
    for (const { uri } of server.ownProfiles) if (parts.media.profiles.has(uri)) this.appliedProfiles.add(uri)
    this.deadline = deadline
  }
}

/** The base ends with the server's prefix, after the prefix of a router that its routes are mounted in. */
function readUrl(ctx: Koa.Context, match: Match): RequestUrl {
  const { server } = match
  const { path } = ctx
  const count = match.route ? match.route.path.split('/').length - 1 : segmentCounts[match.shape]
  let start = path.length
  for (let segment = 0; segment < count; segment++) start = path.lastIndexOf('/', start - 1)
  const mount = path.slice(0, start)
  const base = server.relativeLinks ? mount : server.baseUri || `${ctx.protocol}://${ctx.host}${mount}`
  return { base, path: path.slice(start), search: ctx.querystring }
}

const segmentCounts = { collection: 1, resource: 2, related: 3, relationship: 4 } as const
