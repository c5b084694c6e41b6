import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Clock, DrainLimits } from '#kernel/store'

/** All open connections, each with the response to its latest request; null before the first request. */
export type Connections = Map<Socket, ServerResponse | null>

/** Milliseconds that a connection without a request has to send its first request. */
const firstRequestLimit = 1_000

export function trackConnections(server: Server): Connections {
  const connections: Connections = new Map()
  server.on('connection', (socket) => {
    connections.set(socket, null)
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', ({ socket }, response) => connections.set(socket, response))
  return connections
}

/**
 * Graceful shutdown: accepts requests during the delay, closes the port, waits for requests in flight within the limit,
 * then closes all connections. Every response has `Connection: close`, so that clients send no further requests.
 */
export async function drain(
  server: Server,
  connections: Connections,
  { delay, limit }: DrainLimits,
  clock: Clock,
): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'))
  for (const response of connections.values()) {
    if (response && !response.headersSent) response.setHeader('Connection', 'close')
  }
  if (delay > 0) await waitAtMost(delay, clock, new Promise(() => {}))
  await acceptPending(server, clock.now() + limit, clock)

  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // A response whose headers were sent before the shutdown leaves its connection open.
  for (const response of connections.values()) response?.once('close', () => server.closeIdleConnections())
  await waitAtMost(Math.min(firstRequestLimit, limit), clock, closed)
  await setImmediate()
  // Node does not treat a connection without a request as idle.
  for (const [socket, response] of connections) if (!response) socket.destroy()
  await waitAtMost(limit, clock, closed)
  server.closeAllConnections()
}

/** Accepts the connections and requests that the operating system has queued, until the event loop finds no more. */
async function acceptPending(server: Server, until: number, clock: Clock): Promise<void> {
  let hasArrived = true
  const onArrival = () => {
    hasArrived = true
  }
  server.on('connection', onArrival).on('request', onArrival)
  while (hasArrived && clock.now() < until) {
    hasArrived = false
    await setImmediate()
  }
  server.off('connection', onArrival).off('request', onArrival)
}

/** Waits for the work, but not longer than the milliseconds. */
async function waitAtMost(milliseconds: number, clock: Clock, work: Promise<void>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const until = clock.now() + milliseconds
  const stop = clock.every(milliseconds, () => {
    if (clock.now() >= until) resolve()
  })
  await Promise.race([work, timeout]).finally(stop)
}
