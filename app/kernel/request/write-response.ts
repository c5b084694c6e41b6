import { type Awaitable, callEach } from '../lib/awaitable.ts'
import type { ApiRequest, Exchange } from '../model/request.ts'
import type { ApiResponse, Document } from '../model/response.ts'
import { render } from '../render/document.ts'
import { beginEarlyResponse, discardEarlyResponse } from './early-response.ts'
import { respond } from './stages/respond.ts'

/** Renders the response and writes it to `ctx`, unless that was done before the commit. */
export function writeResponse(exchange: Exchange, request: ApiRequest, response: ApiResponse): Awaitable<void> {
  if (exchange.early?.response === response) return
  if (exchange.early) discardEarlyResponse(exchange)
  return renderTo(exchange, request, response)
}

/** Writes a response before the commit. */
export async function writeEarlyResponse(request: ApiRequest, response: ApiResponse): Promise<void> {
  const exchange: Exchange = request.ctx.state.exchange
  beginEarlyResponse(exchange, response)
  await renderTo(exchange, request, response)
}

function renderTo(exchange: Exchange, request: ApiRequest, response: ApiResponse): Awaitable<void> {
  const document = render(request, response)
  const completed = document && response.kind !== 'error' ? complete(request, document, response) : undefined
  if (completed) return completed.then(() => send(exchange, request, response, document))
  send(exchange, request, response, document)
}

function send(exchange: Exchange, request: ApiRequest, response: ApiResponse, document: Document | null): void {
  if (!request.deadline?.hasExpired) respond(exchange, response, document)
}

/** Runs the stage `document`, then the server's own profiles that the client has requested in `Accept`. */
function complete(request: ApiRequest, document: Document, response: ApiResponse): Awaitable<void> {
  const { plan, media } = request
  const completed = callEach(plan.document, (step) => step(request, document, response))
  if (media.profiles.size === 0) return completed
  const apply = async () => applyProfiles(request, document, response)
  return completed ? completed.then(apply) : apply()
}

async function applyProfiles(request: ApiRequest, document: Document, response: ApiResponse): Promise<void> {
  for (const profile of request.server.ownProfiles) {
    if (request.media.profiles.has(profile.uri)) await profile.apply?.(document, request, response)
  }
}
