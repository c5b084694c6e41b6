import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import createError from 'http-errors'
import { requestBodyInvalidJson } from './core-errors.ts'
import { phrase } from './errors.ts'

/** The whole body of a request as text; it may be compressed, and has at most so many bytes when it is not any more. */
export function readText(request: IncomingMessage, limit: number): Promise<string> {
  const stream = unpacked(request)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const fail = (error: Error) => {
      stream.off('data', take).off('end', finish).pause()
      if (stream !== request) {
        request.unpipe()
        stream.destroy()
      }
      reject(error)
    }
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) fail(tooLarge(request))
      else chunks.push(chunk)
    }
    const finish = () => resolve(toText(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    const damaged = () => fail(requestBodyInvalidJson({ reason: phrase('it was cut short or damaged') }))
    request.on('error', damaged)
    if (stream !== request) stream.on('error', damaged)
    if (stream === request && Number(request.headers['content-length']) > limit) fail(tooLarge(request))
    else stream.on('data', take).on('end', finish)
  })
}

function unpacked(request: IncomingMessage): Readable {
  switch (request.headers['content-encoding'] ?? 'identity') {
    case 'identity':
      return request
    case 'gzip':
    case 'deflate':
      return request.pipe(createUnzip())
    case 'br':
      return request.pipe(createBrotliDecompress())
    default:
      throw createError(415, 'The content encoding is not supported.', { source: { header: 'Content-Encoding' } })
  }
}

function tooLarge({ headers }: IncomingMessage): Error {
  const source = headers['content-length'] ? { header: 'Content-Length' } : { pointer: '' }
  return createError(413, 'The request body is too large.', { source })
}

/** Without a mark of the byte order. */
function toText(bytes: Buffer): string {
  const text = bytes.toString()
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
