import type Koa from 'koa'
import type { Exchange } from '../../contract/request.ts'
import type { JsonApiRoute, Match } from '../../contract/target.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { observe } from '../../operations/hooks.ts'

/** Reads the body in the form that the route declares. Returns undefined if the method or the route takes none. */
export function readBody(exchange: Exchange, match: Match): Awaitable<unknown> {
  const { app, ctx } = exchange
  const read = match.route?.jsonapi?.body
  if (read === 'none' || !takesBody(ctx, match)) return undefined
  if (app.observers.length === 0) return receive(exchange, read)
  return observe(app, { name: 'read body' }, () => receive(exchange, read))
}

function takesBody({ method }: Koa.Context, match: Match): boolean {
  if (match.route) return match.route.jsonapi !== undefined && method === 'POST'
  return method === 'POST' || method === 'PATCH' || (method === 'DELETE' && match.shape === 'relationship')
}

/** Receives the body by a function of the route, or reads it as a JSON document. */
function receive({ app, ctx, deadline = null }: Exchange, read?: Exclude<JsonApiRoute['body'], 'none'>) {
  return read ? receiveBy(read, { app, ctx, deadline }) : app.bodies.read(ctx, deadline)
}

async function receiveBy(
  read: Exclude<JsonApiRoute['body'], 'none' | undefined>,
  { app, ctx, deadline }: Exchange,
): Promise<unknown> {
  deadline?.suspend() // REQUEST_TIMEOUT limits the time to send a body
  try {
    return await read(ctx, (limit) => app.bodies.receive(ctx, limit))
  } finally {
    deadline?.resume()
  }
}
