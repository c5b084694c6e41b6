import type { ApiRequest, Exchange } from '../contract/request.ts'
import type { ApiResponse, Document } from '../contract/response.ts'
import { type Awaitable, callAll } from '../lib/awaitable.ts'
import { render } from '../render/document.ts'
import { beginEarlyResponse } from './early-response.ts'
import { respond } from './stages/respond.ts'

/** Renders the response, runs the stage `document`, and writes it to `ctx`. Returns a promise only if a step waits. */
export function writeResponse(exchange: Exchange, request: ApiRequest, response: ApiResponse): Awaitable<void> {
  const document = render(request, response)
  const isComplete = !document || response.kind === 'error'
  const pending = isComplete ? undefined : callAll(request.plan.document, [request, document, response])
  if (pending) return pending.then(() => respondInTime(exchange, request, response, document))
  respondInTime(exchange, request, response, document)
}

function respondInTime(exchange: Exchange, request: ApiRequest, response: ApiResponse, document: Document | null) {
  if (!request.deadline?.hasExpired) respond(exchange, response, document)
}

/** Writes a response before the commit. */
export async function writeEarlyResponse(request: ApiRequest, response: ApiResponse): Promise<void> {
  const exchange = request.ctx.state.exchange as Exchange
  beginEarlyResponse(exchange, response)
  await writeResponse(exchange, request, response)
}
