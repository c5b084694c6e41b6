import type { Awaitable } from '../lib/awaitable.ts'
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

async function renderTo(exchange: Exchange, request: ApiRequest, response: ApiResponse): Promise<void> {
  const document = render(request, response)
  if (document && response.kind !== 'error') {
    for (const complete of request.plan.document) {
      const pending = complete(request, document, response)
      if (pending) await pending
    }
    if (request.media.profiles.size > 0) await applyProfiles(request, document, response)
  }
  if (!request.deadline?.hasExpired) respond(exchange, response, document)
}

/** Applies the server's own profiles that the client has requested in `Accept`. */
async function applyProfiles(request: ApiRequest, document: Document, response: ApiResponse): Promise<void> {
  for (const profile of request.server.ownProfiles) {
    if (request.media.profiles.has(profile.uri)) await profile.apply?.(document, request, response)
  }
}
