import type { App } from '../contract/app.ts'
import type { ApiRequest, Exchange } from '../contract/request.ts'
import type { ApiResponse } from '../contract/response.ts'
import type { Plan } from '../contract/stages.ts'
import type { Match } from '../contract/target.ts'
import { authorizeOperations, dispatch } from '../operations/dispatch.ts'
import { observe } from '../operations/hooks.ts'
import { discardEarlyResponse } from './early-response.ts'
import { createOperation } from './stages/create-operation.ts'
import { NegotiatedRequest } from './stages/create-request.ts'
import { negotiate } from './stages/negotiate.ts'
import { readBody } from './stages/read-body.ts'
import { planQuery } from './stages/read-query.ts'
import { respond } from './stages/respond.ts'
import { listMethods, methodNotAllowed, targetOfRoute, toTarget } from './stages/route.ts'
import { selectOperation } from './stages/select-operation.ts'
import { writeResponse } from './write-response.ts'

// One request from top to bottom. The numbers are the statuses of errors.

/** Handles a request whose URL the router has matched. */
export async function handle(exchange: Exchange, match: Match): Promise<void> {
  const { app, ctx, deadline } = exchange
  const { server } = match
  try {
    for (const hook of app.hooks.onRoute) {
      const pending = hook(exchange) // 401
      if (pending) await pending
    }
    await (server.hasMiddleware
      ? server.middleware(ctx, () => answer(exchange, match)) // 401, 403
      : answer(exchange, match))
  } finally {
    deadline?.end()
  }
}

async function answer(exchange: Exchange, match: Match): Promise<void> {
  const { app, ctx } = exchange
  const { method } = ctx
  if (method === 'OPTIONS') {
    return respond(exchange, { kind: 'none', status: 204, headers: { Allow: listMethods(match).join(', ') } })
  }
  const isAccepted = listMethods(match).includes(method)
  if (!isAccepted && match.route?.jsonapi?.extension) throw methodNotAllowed(method, match) // before its media type is required
  const media = negotiate(ctx, match) // 415, 406
  exchange.media = media
  const body = method === 'GET' || method === 'HEAD' ? undefined : await readBody(exchange, match) // 400, 413, 415, 503
  if (!isAccepted) throw methodNotAllowed(method, match) // 405
  const target = match.route ? targetOfRoute(match, ctx) : toTarget(match, method, exchange) // 403, 404
  const request = new NegotiatedRequest(exchange, match, { media, target, body })
  exchange.request = request
  for (const step of request.plan.begin) {
    const pending = step(request) // 503
    if (pending) await pending
  }
  const response = await (match.route ? match.route.handle(ctx, request) : runOperation(app, request, request.plan))
  if (!response || exchange.early?.response === response) return // the route, or `writeEarlyResponse`, has written it
  if (exchange.early) discardEarlyResponse(exchange)
  const written =
    app.observers.length === 0
      ? writeResponse(exchange, request, response)
      : observe(app, { name: 'write response' }, async () => writeResponse(exchange, request, response))
  if (written) await written
}

/**
 * Runs the operation that the method and the target select. A plugin's route may call it with a target of its own. `endpoint` is the
 * plan of the target in the URL.
 */
export function runOperation(app: App, request: ApiRequest, endpoint?: Plan): Promise<ApiResponse> {
  const queryContext = selectOperation(request, endpoint) // 500
  const planned = planQuery(queryContext, request, endpoint?.key) // 400 with all faults
  request.plan = planned.plan
  const operation = createOperation(request, queryContext, planned) // 400 structure, 409 type, 403 and 409 id
  const needsNone = operation.plan.authorize.length === 0
  const pending = needsNone ? undefined : authorizeOperations(request, [operation]) // 401, 403
  return pending ? pending.then(() => dispatch(app, operation)) : dispatch(app, operation) // 403, 404, 409, 422
}
