import type { Duplex } from 'node:stream'
import createError from 'http-errors'
import type Koa from 'koa'
import { phrase, requestBodyInvalidJson } from '#kernel/store'
import type { BodyBudget } from './body-budget.ts'

export const damaged = phrase('it is incomplete or damaged')

const empty = Buffer.alloc(0)

/**
 * Receives the body of a request, decoded by the decoder if there is one. Returns null if it has more bytes than the
 * limit. Rejects with a 503 if all requests together hold too many bytes, and if the client disconnects before the end.
 * The bytes are held until the response is written; bytes after a refusal are discarded, so that the client can read it.
 * Chunks are copied: the objects of a body that is sent in chunks of one byte need 200 times its size.
 */
export function receiveBody(
  ctx: Koa.Context,
  limit: number,
  budget: BodyBudget,
  decoder?: Duplex,
): Promise<Buffer | null> {
  const request = ctx.req
  if (!request.readable) return Promise.reject(incomplete())
  const source = decoder ? request.pipe(decoder) : request
  return new Promise((resolve, reject) => {
    let bytes: Buffer = empty
    let size = 0
    const onData = (chunk: Buffer) => {
      const end = size + chunk.length
      if (end > limit) return finish(() => resolve(null))
      if (end <= bytes.length) chunk.copy(bytes, size)
      else {
        bytes = enlarge(bytes, size, chunk, limit)
        if (!budget.hold(ctx, bytes.length)) return finish(() => reject(tooManyBytes(ctx)))
      }
      size = end
    }
    const onEnd = () => finish(() => resolve(bytes.subarray(0, size)))
    const onError = () => finish(() => reject(requestBodyInvalidJson({ reason: damaged })))
    const onClose = () => {
      if (!request.readableEnded) finish(() => reject(incomplete()))
    }
    const finish = (settle: () => void) => {
      source.off('data', onData).off('end', onEnd)
      request.off('error', onClose).off('close', onClose)
      if (decoder) request.unpipe(decoder.off('error', onError).destroy())
      request.resume()
      settle()
    }
    source.on('data', onData).on('end', onEnd)
    request.on('error', onClose).on('close', onClose)
    decoder?.on('error', onError)
  })
}

/** Returns the chunk itself if it is the first. Doubles the size otherwise, so that bytes are copied seldom. */
function enlarge(bytes: Buffer, size: number, chunk: Buffer, limit: number): Buffer {
  if (size === 0) return chunk
  const end = size + chunk.length
  const larger = Buffer.allocUnsafe(Math.min(Math.max(end, 2 * bytes.length), limit))
  bytes.copy(larger, 0, 0, size)
  chunk.copy(larger, size)
  return larger
}

export function incomplete(): Error {
  return createError(400, 'The request body is incomplete.')
}

export function tooManyBytes({ state }: Koa.Context): Error {
  state.refusedBy = 'received-bytes'
  return createError(503, 'The service receives too many request bodies at the same time.', {
    headers: { 'Retry-After': '1' },
  })
}
