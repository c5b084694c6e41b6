import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import createError from 'http-errors'
import getRawBody from 'raw-body'
import { requestBodyInvalidJson } from '../../errors/core-errors.ts'
import { phrase } from '../../errors/errors.ts'

/** The whole body of a request as text; it may be compressed, and has at most so many bytes when it is not any more. */
export async function readText(request: IncomingMessage, limit: number): Promise<string> {
  const stream = unpacked(request)
  const length = stream === request ? (request.headers['content-length'] ?? null) : null
  try {
    return toText(await getRawBody(stream, { limit, length }))
  } catch (error) {
    throw refusal(error as { status?: number }, request)
  }
}

function unpacked(request: IncomingMessage): Readable {
  switch (request.headers['content-encoding'] ?? 'identity') {
    case 'identity':
      return request
    case 'gzip':
    case 'deflate':
      return through(createUnzip(), request)
    case 'br':
      return through(createBrotliDecompress(), request)
    default:
      throw createError(415, 'The content encoding is not supported.', { source: { header: 'Content-Encoding' } })
  }
}

/** A client that goes away leaves both unfinished. */
function through(unpacking: Transform, request: IncomingMessage): Readable {
  request.once('error', (error) => unpacking.destroy(error))
  return request.pipe(unpacking)
}

function refusal({ status }: { status?: number }, { headers }: IncomingMessage): Error {
  if (status !== 413) return requestBodyInvalidJson({ reason: phrase('it was cut short or damaged') })
  const source = headers['content-length'] ? { header: 'Content-Length' } : { pointer: '' }
  return createError(413, 'The request body is too large.', { source })
}

/** Without a mark of the byte order. */
function toText(bytes: Buffer): string {
  const text = bytes.toString()
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
