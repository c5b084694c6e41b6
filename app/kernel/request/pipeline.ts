import type { App } from '../model/app.ts'
import type { ApiRequest, Exchange } from '../model/request.ts'
import type { ApiResponse } from '../model/response.ts'
import type { Match } from '../model/target.ts'
import { authorizeOperations, dispatch } from '../operations/dispatch.ts'
import { runStage } from '../operations/hooks.ts'
import { createOperation } from './stages/create-operation.ts'
import { createRequest } from './stages/create-request.ts'
import { negotiate } from './stages/negotiate.ts'
import { readBody, takesBody } from './stages/read-body.ts'
import { queryOf } from './stages/read-query.ts'
import { respond } from './stages/respond.ts'
import { allow, checkMethod, route } from './stages/route.ts'
import { selectOperation } from './stages/select-operation.ts'
import { writeResponse } from './write-response.ts'

/** Handles a request whose URL the router has matched. The numbers are the statuses of errors. */
export async function handle(exchange: Exchange, match: Match): Promise<void> {
  const { app, ctx } = exchange
  for (const plugin of app.hooks.onRoute) {
    const pending = plugin.onRoute?.(exchange) // 401
    if (pending) await pending
  }
  const { server } = match
  if (!server.hasMiddleware) return answer(exchange, match)
  await server.middleware(ctx, () => answer(exchange, match)) // 401, 403
}

/** One line per stage. */
async function answer(exchange: Exchange, match: Match): Promise<void> {
  const { app, ctx } = exchange
  if (ctx.method === 'OPTIONS') return respond(exchange, allow(match))
  if (match.route?.jsonapi?.extension) checkMethod(ctx, match) // 405 before the media type of an extension is required
  const media = negotiate(ctx, match) // 415, 406
  exchange.media = media
  const body = takesBody(ctx, match) ? await readBody(exchange, match) : undefined // 400, 413, 415, 503
  const target = route(app, ctx, match) // 405, 404 relationship, 403 method of a to-one relationship
  const request = createRequest(exchange, match, { media, target, body })
  exchange.request = request
  for (const plugin of app.hooks.onRequest) {
    const pending = plugin.onRequest?.(request)
    if (pending) await pending
  }
  const response = await (match.route ? match.route.handle(ctx, request) : runOperation(app, request))
  if (!response) return // the route has written it
  const written = runStage(app, { name: 'write response' }, () => writeResponse(exchange, request, response))
  if (written) await written
}

/** Runs the operation that the method and the target select. A plugin's route may call it with a target of its own. */
export async function runOperation(app: App, request: ApiRequest): Promise<ApiResponse> {
  const queryContext = selectOperation(request) // 500
  const query = queryOf(queryContext, request) // 400 with all faults
  const operation = createOperation(request, queryContext, query) // 400 structure, 409 type, 403 and 409 id
  const pending = authorizeOperations(app, request, [operation]) // 401, 403
  if (pending) await pending
  return dispatch(app, operation) // 403, 404, 409, 422
}
