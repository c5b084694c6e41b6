import { createServer, type RequestListener } from 'node:http'
import type { ListenOptions, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import type { AppConfig, Clock, Logger } from '#kernel/store'
import { type Connection, Connections } from './connections.ts'
import type { HttpServer } from './graceful-shutdown.ts'
import { servePipelined } from './pipelining.ts'
import { hostMissing, toHttpMessage, toProtocolError } from './protocol-error.ts'
import { closeStalledConnections, limitUnreadResponses } from './slow-clients.ts'

/** Starts the HTTP server around Koa. Responds with error documents to bytes that are not a valid HTTP request. */
export async function listen(
  koa: Koa,
  { timeouts, unreadLimit }: Pick<AppConfig, 'timeouts' | 'unreadLimit'>,
  clock: Clock,
  address: ListenOptions,
): Promise<HttpServer> {
  const { headers, request, keepAlive } = timeouts
  const headersTimeout = Math.min(headers, request)
  const server = createServer({
    headersTimeout, // with requestTimeout: closes clients that send too slowly (slowloris)
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: headersTimeout / 4,
    requireHostHeader: false, // `requireHost` responds with an error document
  })
  const connections = new Connections(server)
  const serve = servePipelined(connections, requireHost(koa.callback()))
  server.on('request', serve)
  const unread = { bytes: unreadLimit || Number.POSITIVE_INFINITY, time: 2 * request }
  closeStalledConnections(server, connections, unread.time)
  limitUnreadResponses(server, connections, unread, clock)
  const rejected = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (rejected.has(socket)) return
    rejected.add(socket)
    reject(error, socket, connections.bySocket.get(socket as Socket))
  })
  await new Promise<void>((resolve, fail) => {
    server.once('error', fail)
    server.listen(address, resolve)
  })
  return { server, connections, serve }
}

/** Codes of errors of a connection that the client has closed; the last one is that of a stream. */
const disconnections = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Logs an error that Koa reports: of a plain route, or of a stream. Ignores expected errors and disconnected clients. */
export function logKoaError(logger: Logger | null, error: NodeJS.ErrnoException & { expose?: boolean }): void {
  if (error.expose || disconnections.has(error.code ?? '')) return
  logger?.error({ err: error }, 'Unexpected error')
}

function requireHost(serve: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion < '1.1') serve(request, response)
    else response.writeHead(hostMissing.status, hostMissing.headers).end(hostMissing.body)
  }
}

/** Responds to invalid bytes with an error document, unless the response to an earlier request is still being sent. */
function reject(error: NodeJS.ErrnoException, socket: Duplex, connection: Connection | undefined): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const pending = connection?.response?.req.complete ? connection.response : connection?.served
  if (pending && !pending.writableFinished && (pending.headersSent || pending.req.complete)) {
    pending.once('finish', () => socket.end())
    return
  }
  socket.end(toHttpMessage(toProtocolError(error)))
  discardInput(socket)
}

/** Reads and discards input for a second: TCP would reset a connection closed with unread bytes, and lose the response. */
function discardInput(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), 1_000).unref()
  socket.once('end', () => socket.destroy())
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
}
