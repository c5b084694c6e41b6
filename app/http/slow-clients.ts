import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '#kernel/store'
import type { Connections } from './connections.ts'

/**
 * Closes the connection of a slow client that does not read its response, after `limit` milliseconds without a byte.
 * Slow requests (slowloris) are closed by the time-outs of the HTTP server.
 * Only slow responses get a timer: `server.timeout` would set one for every request and reset it with every chunk.
 */
export function closeStalledConnections(server: Server, connections: Connections, limit: number): void {
  const check = () => {
    for (const [socket, response] of connections)
      if (response && !response.writableFinished && !socket.timeout) socket.setTimeout(limit)
  }
  const timer = setInterval(check, limit / 8).unref()
  server.once('close', () => clearInterval(timer))
}

/** Milliseconds between checks of unread responses. */
const checkInterval = 100

/** Bytes per second that a client has to read on average. */
const minReadRate = 20_000

/** Limits of the responses that clients have not read. */
interface UnreadLimits {
  /** Of all connections together. */
  readonly bytes: number
  /** Milliseconds in which any response may be read; a long one gets more, by `minReadRate`. */
  readonly time: number
}

/**
 * Limits the memory of responses that clients have not read. While they hold more than the limit, closes the connections
 * of the slowest clients: those whose response has waited longest. A response that is read within one interval is never
 * cut off. Closes also the connection of a client that reads some bytes now and then, which is never stalled: the bytes
 * that were unread at one time have to be read until a deadline.
 */
export function limitUnreadResponses(
  server: Server,
  connections: Connections,
  limits: UnreadLimits,
  clock: Clock,
): void {
  /** The connections with unread responses, in the order in which they were noticed. */
  const waiting = new Map<Socket, { readonly position: number; readonly deadline: number }>()
  const check = () => {
    const now = clock.now()
    let bytes = 0
    for (const [socket] of connections) bytes += socket.writableLength
    for (const [socket, { position, deadline }] of waiting) {
      if (socket.destroyed || socket.bytesWritten - socket.writableLength >= position) waiting.delete(socket)
      else if (bytes > limits.bytes || now > deadline) {
        bytes -= socket.writableLength
        socket.destroy()
      }
    }
    for (const [socket] of connections) {
      const { writableLength: unread, bytesWritten: position } = socket
      if (unread === 0 || socket.destroyed || waiting.has(socket)) continue
      waiting.set(socket, { position, deadline: now + limits.time + (unread / minReadRate) * 1000 })
    }
  }
  server.once('close', clock.every(checkInterval, check))
}
