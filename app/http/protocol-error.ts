import { STATUS_CODES } from 'node:http'
import { mediaType } from '#kernel/store'

/** An error of HTTP itself, which Node reports before there is a request for Koa. */
interface ProtocolError {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string
}

export const hostMissing = createProtocolError(400, 'The request has no Host header; HTTP/1.1 requires one.')

const notHttp = createProtocolError(400, 'The request is not valid HTTP/1.1.')

const errorsByCode: Readonly<Record<string, ProtocolError>> = {
  HPE_HEADER_OVERFLOW: createProtocolError(431, 'The URL and the headers are too large.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: createProtocolError(413, 'The extensions of a chunk are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: createProtocolError(408, 'The request did not arrive in time.'),
}

/** The error document for a `clientError` of Node's HTTP server. */
export function toProtocolError({ code = '' }: NodeJS.ErrnoException): ProtocolError {
  return errorsByCode[code] ?? notHttp
}

/** The bytes of the whole response. */
export function toHttpMessage({ status, headers, body }: ProtocolError): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}

function createProtocolError(status: number, detail: string): ProtocolError {
  const title = status === 400 ? 'Bad Request' : 'Error'
  const body = JSON.stringify({ errors: [{ status: String(status), title, detail }], jsonapi: { version: '1.1' } })
  const headers = {
    'Content-Type': mediaType,
    'Content-Length': Buffer.byteLength(body),
    Vary: 'Accept',
    Connection: 'close',
  }
  return { status, headers, body }
}
