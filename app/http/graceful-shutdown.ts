import type { RequestListener, Server } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Clock, DrainLimits } from '#kernel/store'
import type { Connections } from './connections.ts'

/** Milliseconds that a connection without a request has to send its first request. */
const firstRequestLimit = 1_000

export interface HttpServer {
  readonly server: Server
  readonly connections: Connections
  /** The listener of requests. */
  readonly serve: RequestListener
}

/** Milliseconds without a new connection, request or response after which the port is closed. */
const quietTime = 50
/** Milliseconds after which the port is closed in any case. */
const longestHold = 500

/**
 * Graceful shutdown: accepts requests during the delay, closes the port, waits for requests in flight within the limit,
 * then closes all connections. Every response has `Connection: close`, so that clients send no further requests.
 */
export async function drain(
  { server, connections, serve }: HttpServer,
  { delay, limit }: DrainLimits,
  clock: Clock,
): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'))
  for (const [, response] of connections) {
    if (response && !response.headersSent) response.setHeader('Connection', 'close')
  }
  if (delay > 0) await waitAtMost(delay, clock, new Promise(() => {}))
  const end = clock.now() + limit
  const rest = () => Math.max(0, end - clock.now())
  const held: Parameters<RequestListener>[] = []
  const hold: RequestListener = (...exchange) => held.push(exchange)
  server.off('request', serve).on('request', hold)
  await acceptPending(server, connections, clock, Math.min(longestHold, limit))
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.off('request', hold).on('request', serve)
  for (const exchange of held) serve(...exchange)
  // A response whose headers were sent before the shutdown leaves its connection open.
  for (const [, response] of connections) response?.once('close', () => server.closeIdleConnections())
  await waitAtMost(Math.min(firstRequestLimit, rest()), clock, closed)
  await setImmediate()
  // Node does not treat a connection without a request as idle.
  for (const [socket, response] of connections) if (!response) socket.destroy()
  await waitAtMost(rest(), clock, closed)
  server.closeAllConnections()
}

/**
 * Accepts connections until none arrives for a moment: the operating system resets those that are still queued when the
 * port is closed. Requests are held back meanwhile, so that the event loop is idle at that moment, and clients that wait
 * for a response open no further connections.
 */
async function acceptPending(server: Server, connections: Connections, clock: Clock, limit: number): Promise<void> {
  const until = clock.now() + limit
  let lastEvent = clock.now()
  const onEvent = () => {
    lastEvent = clock.now()
  }
  for (const [, response] of connections) response?.once('close', onEvent)
  server.on('connection', onEvent).on('request', onEvent)
  while (clock.now() < Math.min(lastEvent + quietTime, until)) await setImmediate()
  server.off('connection', onEvent).off('request', onEvent)
}

/** Waits for the work, but not longer than the milliseconds. */
async function waitAtMost(milliseconds: number, clock: Clock, work: Promise<void>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(milliseconds, resolve)
  await Promise.race([work, timeout]).finally(cancel)
}
