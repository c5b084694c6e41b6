import type { RequestListener } from 'node:http'
import type { Connections } from './connections.ts'

/** Pipelined requests of a connection that may wait for the response before them. */
const maxWaiting = 100

/**
 * Serves the pipelined requests of a connection one after the other: the next one when the response before it has been
 * handed to the operating system. A client that does not read its responses holds the memory of one of them, whatever it
 * sends. The connection is closed if more than `maxWaiting` requests wait, or one that has a chunked body: Node parses up
 * to 64 kB of input before a pause takes effect, and keeps an object of 200 bytes for each chunk of a body.
 */
export function servePipelined(connections: Connections, serve: RequestListener): RequestListener {
  return (request, response) => {
    const { method, headers, socket } = request
    const connection = connections.bySocket.get(socket)
    if (!connection) return
    const previous = connection.response
    connection.response = response
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)) {
      request.resume() // otherwise Node would hold the body until the client has read the response
    }
    if (!previous || previous.writableFinished) {
      connection.served = response
      serve(request, response)
      return
    }
    connection.waiting++
    if (connection.waiting > maxWaiting || headers['transfer-encoding'] !== undefined) {
      socket.destroy()
      return
    }
    socket.pause()
    previous.once('close', () => {
      connection.waiting--
      if (!socket.writable) return
      if (connection.waiting === 0) socket.resume()
      connection.served = response
      serve(request, response)
    })
  }
}
