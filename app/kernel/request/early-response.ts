import type { Exchange } from '../contract/request.ts'
import type { ApiResponse } from '../contract/response.ts'

/** Notes a response that is written before the commit, with the headers that were set before it. */
export function beginEarlyResponse(exchange: Exchange, response: ApiResponse): void {
  discardEarlyResponse(exchange)
  exchange.early = { response, headers: exchange.ctx.res.getHeaders() }
}

/** Removes the headers of a response that was written before a commit that failed. The next response sets the rest. */
export function discardEarlyResponse(exchange: Exchange): void {
  const { ctx, early } = exchange
  if (!early) return
  exchange.early = undefined
  for (const name of ctx.res.getHeaderNames()) ctx.res.removeHeader(name)
  for (const [name, value] of Object.entries(early.headers)) if (value !== undefined) ctx.res.setHeader(name, value)
}
