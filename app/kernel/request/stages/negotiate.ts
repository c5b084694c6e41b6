import contentType from 'content-type'
import type Koa from 'koa'
import { mediaTypeUnacceptable, mediaTypeUnsupported } from '../../errors/core-errors.ts'
import { mediaType } from '../../lib/media-type.ts'
import type { Match } from '../../model/match.ts'
import type { Media } from '../../model/request.ts'
import type { Server } from '../../model/server.ts'

interface Instance {
  readonly type: string
  readonly quality: number
  readonly extensions: readonly string[]
  readonly profiles: readonly string[]
  /** A parameter besides ext and profile, or a value that cannot be read. */
  readonly spoiled: boolean
}

const noProfiles: ReadonlySet<string> = new Set()

/** https://jsonapi.org/format/1.1/#content-negotiation */
export function negotiate(ctx: Koa.Context, match: Match): Media {
  const extension = match.route?.jsonapi?.extension ?? null
  if (match.route && !match.route.jsonapi) return { extension, profiles: noProfiles }
  checkContentType(ctx, extension)
  return { extension, profiles: readAccept(match.server, ctx, extension) }
}

export function hasBody(ctx: Koa.Context): boolean {
  return ctx.headers['transfer-encoding'] !== undefined || Number(ctx.headers['content-length'] ?? 0) > 0
}

function checkContentType(ctx: Koa.Context, extension: string | null): void {
  const header = ctx.headers['content-type'] ?? ''
  if (extension === null && (header === mediaType || (header === '' && !hasBody(ctx)))) return
  const instance = readInstance(header, { weighted: false })
  const wrongType = instance.type !== mediaType && (hasBody(ctx) || extension !== null)
  const wrongParameters = instance.type === mediaType && (instance.spoiled || !appliesExactly(instance, extension))
  if (wrongType || wrongParameters) {
    throw mediaTypeUnsupported({ mediaType: header }, { source: { header: 'Content-Type' } })
  }
}

function readAccept(server: Server, ctx: Koa.Context, extension: string | null): ReadonlySet<string> {
  const header = ctx.headers.accept || '*/*'
  if (extension === null && (header === mediaType || header === '*/*')) return noProfiles
  const instances = splitHeader(header).map((text) => readInstance(text, { weighted: true }))
  const ours = instances.filter((instance) => instance.type === mediaType)
  const usable = ours.filter(
    (instance) => !instance.spoiled && instance.quality > 0 && appliesExactly(instance, extension),
  )
  const wildcard =
    extension === null && ours.length === 0 && instances.some(({ type, quality }) => quality > 0 && isWildcard(type))
  if (usable.length === 0 && !wildcard) {
    throw mediaTypeUnacceptable({ mediaType: header }, { source: { header: 'Accept' } })
  }
  const best = Math.max(...usable.map((instance) => instance.quality))
  const asked = usable.filter((instance) => instance.quality === best).flatMap((instance) => instance.profiles)
  return new Set(server.profiles.filter((profile) => asked.some((uri) => sameProfile(uri, profile))))
}

/** `q` is a weight in Accept, and a parameter like any other in Content-Type. */
function readInstance(text: string, { weighted }: { readonly weighted: boolean }): Instance {
  try {
    const { type, parameters } = contentType.parse(text)
    const { q = '1', ext = '', profile = '', ...foreign } = parameters
    return {
      type,
      quality: Number(q) || 0,
      extensions: ext.split(' ').filter(Boolean),
      profiles: profile.split(' ').filter(Boolean),
      spoiled: Object.keys(foreign).length > 0 || (!weighted && 'q' in parameters),
    }
  } catch {
    const type = (text.split(';')[0] as string).trim().toLowerCase()
    return { type, quality: 1, extensions: [], profiles: [], spoiled: true }
  }
}

function appliesExactly({ extensions }: Instance, extension: string | null): boolean {
  if (extension === null) return extensions.length === 0
  return extensions.length > 0 && extensions.every((uri) => uri === extension)
}

function isWildcard(type: string): boolean {
  return type === '*/*' || type === 'application/*'
}

/** A profile is the same with and without a slash at its end. */
function sameProfile(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b.replace(/\/$/, '')
}

/** Splits at commas that are not inside quotes. */
function splitHeader(header: string): string[] {
  return (header.match(/(?:"(?:\\.|[^"\\])*"?|[^,"])+/g) ?? []).map((part) => part.trim()).filter(Boolean)
}
