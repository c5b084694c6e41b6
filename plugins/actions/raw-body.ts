import contentType from 'content-type'
import createError from 'http-errors'
import type Koa from 'koa'
import { mediaTypeUnsupported } from '#kernel/errors'
import type { ReceiveBody } from '#kernel/operations'

/** The body of a request that is not a JSON:API document. */
export interface RawInput {
  /** Without parameters, in lower case. */
  readonly mediaType: string
  readonly bytes: Buffer
}

export interface RawRules {
  readonly accepts: readonly string[]
  readonly maxBytes: number
}

/** The error of a body that was not read. It is thrown after the action is authorized. */
export class RefusedBody {
  readonly error: Error

  constructor(error: Error) {
    this.error = error
  }
}

/** Reads the body up to the limit. Rejects if the client disconnects before the end of the body. */
export async function readRawBody(
  ctx: Koa.Context,
  receive: ReceiveBody,
  rules: RawRules,
): Promise<RawInput | RefusedBody> {
  const mediaType = readMediaType(ctx.headers['content-type'])
  const fault = checkRaw({ mediaType, size: Number(ctx.headers['content-length'] ?? 0) }, rules) ?? checkEncoding(ctx)
  if (fault) return new RefusedBody(fault)
  const bytes = await receive(rules.maxBytes)
  return bytes ? { mediaType, bytes } : new RefusedBody(tooLarge(rules))
}

/** Returns the error for a media type that is not accepted, or a body that is too large. */
export function checkRaw(
  { mediaType, size }: { readonly mediaType: string; readonly size: number },
  rules: RawRules,
): Error | undefined {
  if (!rules.accepts.includes(mediaType)) {
    return mediaTypeUnsupported(
      { mediaType, accepted: rules.accepts.join(', ') },
      { source: { header: 'Content-Type' } },
    )
  }
  return size > rules.maxBytes ? tooLarge(rules) : undefined
}

function readMediaType(header: string | undefined): string {
  try {
    return contentType.parse(header ?? '').type
  } catch {
    return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  }
}

function checkEncoding({ headers }: Koa.Context): Error | undefined {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity') return undefined
  return createError(415, 'The content encoding is not supported. Accepted: identity.', {
    headers: { 'Accept-Encoding': 'identity' },
    source: { header: 'Content-Encoding' },
  })
}

function tooLarge({ maxBytes }: RawRules): Error {
  return createError(413, `The request body is too large. Accepted: at most ${maxBytes} bytes.`, {
    source: { header: 'Content-Length' },
  })
}
