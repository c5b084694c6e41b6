import type Koa from 'koa'
import type { Media } from '../../contract/request.ts'
import type { Server } from '../../contract/server.ts'
import type { Match } from '../../contract/target.ts'
import { mediaTypeUnacceptable, mediaTypeUnsupported } from '../../errors/core-errors.ts'
import { type MediaRange, parseAccept, parseMediaRange } from '../../lib/media-ranges.ts'
import { mediaType } from '../../lib/media-type.ts'

const noProfiles: ReadonlySet<string> = new Set()

/** https://jsonapi.org/format/1.1/#content-negotiation */
export function negotiate(ctx: Koa.Context, match: Match): Media {
  const { accept, 'content-type': type, 'content-length': length, 'transfer-encoding': coding } = ctx.headers
  const acceptsAll = accept === undefined || accept === mediaType || accept === '*/*'
  const sendsNothing = type === undefined && length === undefined && coding === undefined
  if (!match.route && acceptsAll && sendsNothing) return withoutParameters
  const extension = match.route?.jsonapi?.extension ?? null
  if (match.route && !match.route.jsonapi) return { extension, profiles: noProfiles }
  if (typeof match.route?.jsonapi?.body !== 'function') checkContentType(ctx, extension)
  return { extension, profiles: readAccept(match.server, ctx, extension) }
}

const withoutParameters: Media = { extension: null, profiles: noProfiles }

function hasBody({ headers }: Koa.Context): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function checkContentType(ctx: Koa.Context, extension: string | null): void {
  const header = ctx.headers['content-type'] ?? ''
  if (extension === null && (header === mediaType || (header === '' && !hasBody(ctx)))) return
  const range = parseMediaRange(header, { weighted: false })
  const isWrongType = range.type !== mediaType && (hasBody(ctx) || extension !== null)
  const hasWrongParameters = range.type === mediaType && (range.isInvalid || !appliesExactly(range, extension))
  if (isWrongType || hasWrongParameters) {
    const context = { mediaType: header, accepted: withExtension(extension) }
    throw mediaTypeUnsupported(context, { source: { header: 'Content-Type' } })
  }
}

/** Returns the profiles of the server that the client requests, by the media ranges of the highest quality. */
function readAccept(server: Server, ctx: Koa.Context, extension: string | null): ReadonlySet<string> {
  const header = ctx.headers.accept || '*/*'
  if (extension === null && (header === mediaType || header === '*/*')) return noProfiles
  const ranges = parseAccept(header)
  const jsonApi = ranges.filter((range) => range.type === mediaType)
  const usable = jsonApi.filter((range) => !range.isInvalid && range.quality > 0 && appliesExactly(range, extension))
  const hasWildcard =
    extension === null && jsonApi.length === 0 && ranges.some(({ type, quality }) => quality > 0 && isWildcard(type))
  if (usable.length === 0 && !hasWildcard) {
    const context = { mediaType: header, available: withExtension(extension) }
    throw mediaTypeUnacceptable(context, { source: { header: 'Accept' } })
  }
  const best = Math.max(...usable.map((range) => range.quality))
  const requested = usable.filter((range) => range.quality === best).flatMap((range) => range.profiles)
  return new Set(server.profiles.filter((profile) => requested.some((uri) => isSameProfile(uri, profile))))
}

function withExtension(extension: string | null): string {
  return extension === null ? mediaType : `${mediaType}; ext="${extension}"`
}

function appliesExactly({ extensions }: MediaRange, extension: string | null): boolean {
  if (extension === null) return extensions.length === 0
  return extensions.length > 0 && extensions.every((uri) => uri === extension)
}

function isWildcard(type: string): boolean {
  return type === '*/*' || type === 'application/*'
}

/** A slash at the end of a profile URI is not significant. */
function isSameProfile(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b.replace(/\/$/, '')
}
