import { type Awaitable, callEach } from '../lib/awaitable.ts'
import type { App } from '../model/app.ts'
import type { ApiRequest, Exchange, Media } from '../model/request.ts'
import type { ApiResponse } from '../model/response.ts'
import type { Match } from '../model/target.ts'
import { authorizeOperations, dispatch } from '../operations/dispatch.ts'
import { runStage } from '../operations/hooks.ts'
import { createOperation } from './stages/create-operation.ts'
import { createRequest } from './stages/create-request.ts'
import { negotiate } from './stages/negotiate.ts'
import { readBody, takesBody } from './stages/read-body.ts'
import { planQuery } from './stages/read-query.ts'
import { respond } from './stages/respond.ts'
import { allow, checkMethod, route } from './stages/route.ts'
import { selectOperation } from './stages/select-operation.ts'
import { writeResponse } from './write-response.ts'

// One request from top to bottom. The numbers are the statuses of errors. A function returns a promise only if something waits.

/** Handles a request whose URL the router has matched. */
export async function handle(exchange: Exchange, match: Match): Promise<void> {
  const { app, ctx } = exchange
  for (const plugin of app.hooks.onRoute) {
    const pending = plugin.onRoute?.(exchange) // 401
    if (pending) await pending
  }
  const { server } = match
  const answered = server.hasMiddleware
    ? server.middleware(ctx, async () => answer(exchange, match)) // 401, 403
    : answer(exchange, match)
  if (answered) await answered
}

function answer(exchange: Exchange, match: Match): Awaitable<void> {
  const { ctx } = exchange
  if (ctx.method === 'OPTIONS') return respond(exchange, allow(match))
  if (match.route?.jsonapi?.extension) checkMethod(ctx, match) // 405 before the media type of an extension is required
  const media = negotiate(ctx, match) // 415, 406
  exchange.media = media
  if (!takesBody(ctx, match)) return begin(exchange, match, media, undefined)
  return readBody(exchange, match).then((body) => begin(exchange, match, media, body)) // 400, 413, 415, 503
}

function begin(exchange: Exchange, match: Match, media: Media, body: unknown): Awaitable<void> {
  const { app, ctx } = exchange
  const target = route(app, ctx, match) // 405, 404 relationship, 403 method of a to-one relationship
  const request = createRequest(exchange, match, { media, target, body })
  exchange.request = request
  const pending = callEach(request.plan.begin, (step) => step(request)) // 503
  return pending ? pending.then(() => run(exchange, match, request)) : run(exchange, match, request)
}

function run(exchange: Exchange, match: Match, request: ApiRequest): Awaitable<void> {
  const { app, ctx } = exchange
  if (!match.route) return runOperation(app, request).then((response) => finish(exchange, request, response))
  return Promise.resolve(match.route.handle(ctx, request)).then((response) => {
    if (response) return finish(exchange, request, response) // otherwise the route has written it
  })
}

function finish(exchange: Exchange, request: ApiRequest, response: ApiResponse): Awaitable<void> {
  if (exchange.app.hooks.aroundStage.length === 0) return writeResponse(exchange, request, response)
  return runStage(exchange.app, { name: 'write response' }, () => writeResponse(exchange, request, response))
}

/** Runs the operation that the method and the target select. A plugin's route may call it with a target of its own. */
export function runOperation(app: App, request: ApiRequest): Promise<ApiResponse> {
  const queryContext = selectOperation(request) // 500
  const planned = planQuery(queryContext, request) // 400 with all faults
  request.plan = planned.plan
  const operation = createOperation(request, queryContext, planned) // 400 structure, 409 type, 403 and 409 id
  const pending = authorizeOperations(app, request, [operation]) // 401, 403
  return pending ? pending.then(() => dispatch(app, operation)) : dispatch(app, operation) // 403, 404, 409, 422
}
