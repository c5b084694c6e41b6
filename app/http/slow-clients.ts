import type { Server, ServerResponse } from 'node:http'
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

/**
 * Limits the memory of responses that clients have not read. While they hold more than `limit` bytes, closes the
 * connections of the slowest clients: those whose response has waited longest. A response that is read within one
 * interval is never cut off.
 */
export function limitUnreadResponses(server: Server, connections: Connections, limit: number, clock: Clock): void {
  /** The connections with unread responses, in the order in which they were noticed. */
  const waiting = new Map<Socket, ServerResponse>()
  const check = () => {
    let bytes = 0
    for (const [socket] of connections) bytes += socket.writableLength
    for (const [socket, response] of waiting) {
      if (connections.responseOf(socket) !== response || socket.writableLength === 0) waiting.delete(socket)
      else if (bytes > limit) {
        bytes -= socket.writableLength
        socket.destroy()
      }
    }
    for (const [socket, response] of connections) {
      if (response && socket.writableLength > 0 && !socket.destroyed) waiting.set(socket, response)
    }
  }
  server.once('close', clock.every(checkInterval, check))
}
