import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import type { Logger, Timeouts } from '#kernel/store'
import { mediaType } from '#kernel/store'
import { type Answers, watchConnections } from './graceful-shutdown.ts'
import { cutStalled } from './slow-clients.ts'

/** The HTTP server around Koa. What never becomes a request is answered here, as a document like everything else. */
export function listen(
  koa: Koa,
  { headers, request, keepAlive }: Timeouts,
  port: number,
  host: string,
): Promise<Server> {
  const headersTimeout = Math.min(headers, request)
  const answers: Answers = new Map()
  const serve = withHost(koa.callback())
  const server = createServer(
    {
      headersTimeout,
      requestTimeout: request,
      keepAliveTimeout: keepAlive,
      connectionsCheckingInterval: headersTimeout / 4,
      requireHostHeader: false, // we say so ourselves
    },
    (request, response) => {
      answers.set(request.socket, response)
      serve(request, response)
    },
  )
  watchConnections(server, answers)
  cutStalled(server, answers, 2 * request)
  const refused = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return
    refused.add(socket)
    refuse(error, socket, answers.get(socket as Socket) ?? null)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

/** What Koa has to say: a route that is not JSON:API failed. A client that is gone is nobody's fault. */
export function report(logger: Logger | null, error: NodeJS.ErrnoException & { expose?: boolean }): void {
  if (error.expose || error.code === 'ECONNRESET' || error.code === 'EPIPE') return
  logger?.error({ err: error }, 'Unexpected error')
}

type Refusal = readonly [status: number, detail: string]

const noHost: Refusal = [400, 'The request does not name a host.']
const notHttp: Refusal = [400, 'The request is not HTTP.']
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [431, 'The URL and the headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of a chunk are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}

function withHost(serve: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.host !== undefined || request.httpVersionMajor * 10 + request.httpVersionMinor < 11) {
      serve(request, response)
      return
    }
    const body = documentOf(noHost)
    const length = Buffer.byteLength(body)
    response.writeHead(noHost[0], {
      'Content-Type': mediaType,
      'Content-Length': length,
      Vary: 'Accept',
      Connection: 'close',
    })
    response.end(body)
  }
}

/** Whoever is gone is told nothing; who waits for another answer gets that one first, and no more. */
function refuse({ code = '' }: NodeJS.ErrnoException, socket: Duplex, answer: ServerResponse | null): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (answer && !answer.writableFinished && (answer.headersSent || answer.req.complete)) {
    answer.once('finish', () => socket.end())
    return
  }
  const refusal = refusals[code] ?? notHttp
  const body = documentOf(refusal)
  const head = [
    `HTTP/1.1 ${refusal[0]} ${STATUS_CODES[refusal[0]]}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Vary: Accept',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  linger(socket)
}

/** Reads on for a moment: a connection that is closed over unread bytes takes the answer with it. */
function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), 1_000).unref()
  socket.once('end', () => socket.destroy())
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
}

function documentOf([status, detail]: Refusal): string {
  const title = status === 400 ? 'Bad Request' : 'Error'
  return JSON.stringify({ errors: [{ status: String(status), title, detail }], jsonapi: { version: '1.1' } })
}
