import type Koa from 'koa'
import { runInOrder } from '../lib/run-in-order.ts'
import type { App } from '../model/app.ts'
import type { Document } from '../model/document.ts'
import type { Exchange } from '../model/exchange.ts'
import type { Endpoint, Match } from '../model/match.ts'
import type { ApiRequest } from '../model/request.ts'
import type { ApiResponse } from '../model/response.ts'
import { dispatch, serve } from '../operations/dispatch.ts'
import { render } from '../render/document.ts'
import { parseQueryString } from './query-string.ts'
import { createOperation } from './stages/create-operation.ts'
import { createRequest } from './stages/create-request.ts'
import { matchPath } from './stages/match-path.ts'
import { negotiate } from './stages/negotiate.ts'
import { readBody, takesBody } from './stages/read-body.ts'
import { readQuery } from './stages/read-query.ts'
import { createExchange, respond } from './stages/respond.ts'
import { allow, route } from './stages/route.ts'
import { selectOperation } from './stages/select-operation.ts'

/** One request, from top to bottom. The numbers are the statuses a line may end with. */
export function handle(app: App, ctx: Koa.Context, next: Koa.Next, endpoint: Endpoint): Promise<void> {
  const match = matchPath(ctx, endpoint)
  if (!match) return next() // a plain 404
  const known = createExchange(app, ctx, match)
  const enter = () => match.server.middleware(ctx, () => pass(app, ctx, match, known))
  const asked = runInOrder(app.hooks('onRoute'), (plugin) => plugin.onRoute?.(known)) // 401
  const deadline = app.startDeadline(ctx.res)
  ctx.state.deadline = deadline
  const answered = asked ? asked.then(enter) : enter()
  return deadline ? deadline.finish(answered) : answered // 503
}

async function pass(app: App, ctx: Koa.Context, match: Match, known: Exchange): Promise<void> {
  if (ctx.method === 'OPTIONS') return respond(known, allow(match)) // 204
  const media = negotiate(ctx, match) // 415, 406
  known.media = media
  const body = takesBody(ctx, match) ? await readBody(app, ctx) : undefined // 413, 400
  const target = route(app, ctx, match) // 405, relation 404, 403 for a verb a to-one does not take
  const request = createRequest(app, ctx, match, target, media, body)
  known.request = request
  const understood = runInOrder(app.hooks('onRequest'), (plugin) => plugin.onRequest?.(request))
  if (understood) await understood

  const response = match.route ? await match.route.handle(ctx, request) : await runOperation(app, request)
  if (!response) return // a route that wrote its own answer
  const document = render(request, response)
  const finished = document && finish(request, document, response)
  if (finished) await finished
  if (!request.deadline?.hasExpired) respond(known, response, document)
}

/** The document is built: plugins may add to it, and the profiles of the server that the client asked for. */
function finish(request: ApiRequest, document: Document, response: ApiResponse): Promise<void> | undefined {
  const { app, server, media } = request
  const plugins = runInOrder(app.hooks('onDocument'), (plugin) => plugin.onDocument?.(request, document, response))
  if (response.kind === 'error' || server.ownProfiles.length === 0) return plugins
  const apply = () =>
    runInOrder(server.ownProfiles, (profile) =>
      media.profiles.has(profile.uri) ? profile.apply?.(document, request, response) : undefined,
    )
  return plugins ? plugins.then(apply) : apply()
}

/** Answers what a request points at. A route of a plugin may do so for a target of its choice. */
export function runOperation(app: App, request: ApiRequest): Promise<ApiResponse> {
  const reading = selectOperation(request) // 500: wired wrongly
  const query = readQuery(reading, parseQueryString(request.url.search, app.config.limits.queryParameters)) // 400: all faults at once
  const operation = createOperation(request, reading, query) // 400 shapes, 409 type, 403/409 id
  const served = serve(app, request)
  return served ? served.then(() => dispatch(app, operation)) : dispatch(app, operation)
}
