import type { Server } from 'node:http'
import type { Connections } from './graceful-shutdown.ts'

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
