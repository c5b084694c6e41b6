import type { IncomingMessage, RequestListener } from 'node:http'
import type { Connection, Connections } from './connections.ts'

/** Pipelined requests of a connection that may wait for the response before them. */
const maxWaiting = 100

/**
 * Serves the pipelined requests of a connection one after the other: the next one when the response before it has been
 * handed to the operating system. A client that does not read its responses holds the memory of one of them, whatever it
 * sends. The connection is closed if more than `maxWaiting` requests wait, or one that has a chunked body: Node parses up
 * to 64 kB of input before a pause takes effect, and keeps an object of 200 bytes for each chunk of a body.
 */
export function servePipelined(connections: Connections, serve: RequestListener): RequestListener {
  const start = (connection: Connection, ...exchange: Parameters<RequestListener>) => {
    connection.served = exchange[1]
    serve(...exchange)
  }
  return (request, response) => {
    const { socket } = request
    const connection = connections.get(socket)
    if (!connection) return
    const previous = connection.response
    connection.response = response
    discardBodyOfRead(request)
    if (!previous || previous.writableFinished) return start(connection, request, response)
    connection.waiting++
    if (connection.waiting > maxWaiting || request.headers['transfer-encoding'] !== undefined) {
      socket.destroy()
      return
    }
    socket.pause()
    previous.once('close', () => {
      connection.waiting--
      if (!socket.writable) return
      if (connection.waiting === 0) socket.resume()
      start(connection, request, response)
    })
  }
}

/** Without this, Node would hold the body of a GET until the client has read the response. */
function discardBodyOfRead(request: IncomingMessage): void {
  const { method, headers } = request
  if (method !== 'GET' && method !== 'HEAD') return
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) request.resume()
}
