import type { ApiRequest, Exchange } from '../model/request.ts'
import type { ApiResponse } from '../model/response.ts'
import { render } from '../render/document.ts'
import { beginEarlyResponse } from './early-response.ts'
import { respond } from './stages/respond.ts'

/** Renders the response, runs the stage `document` and the server's own profiles in `Accept`, and writes it to `ctx`. */
export async function writeResponse(exchange: Exchange, request: ApiRequest, response: ApiResponse): Promise<void> {
  const { plan, server, media, deadline } = request
  const document = render(request, response)
  if (document && response.kind !== 'error') {
    for (const step of plan.document) {
      const pending = step(request, document, response)
      if (pending) await pending
    }
    for (const profile of server.ownProfiles) {
      if (media.profiles.has(profile.uri)) await profile.apply?.(document, request, response)
    }
  }
  if (!deadline?.hasExpired) respond(exchange, response, document)
}

/** Writes a response before the commit. */
export async function writeEarlyResponse(request: ApiRequest, response: ApiResponse): Promise<void> {
  const exchange = request.ctx.state.exchange as Exchange
  beginEarlyResponse(exchange, response)
  await writeResponse(exchange, request, response)
}
