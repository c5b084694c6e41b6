import type { OperationKind, ResourceType } from '#kernel/plugin'

export interface CacheDirectives {
  /** Seconds. */
  readonly max_age?: number
  readonly s_maxage?: number
  readonly public?: boolean
  readonly private?: boolean
  readonly no_cache?: boolean
  readonly must_revalidate?: boolean
  /** Names of request headers. */
  readonly vary?: string | readonly string[]
}

export interface CacheHeaders extends CacheDirectives {
  /** Overrides by kind of read. */
  readonly operations?: Readonly<Partial<Record<ReadShape, CacheDirectives>>>
}

export const readShapes = ['collection', 'read', 'related', 'relationship'] as const
export type ReadShape = (typeof readShapes)[number]

/** The operations whose successful responses have headers for caches. */
export const readShapesByKind: Readonly<Partial<Record<OperationKind, ReadShape>>> = {
  FetchOne: 'read',
  FetchCollection: 'collection',
  FetchRelated: 'related',
  FetchRelationship: 'relationship',
}

/** https://www.rfc-editor.org/rfc/rfc9745 and https://www.rfc-editor.org/rfc/rfc8594 */
export interface Deprecated {
  /** The date of deprecation, sent as RFC 9745 defines it; true or another text is sent as it is. */
  readonly deprecation?: true | string | Date
  /** An HTTP date: `Sat, 31 Dec 2050 23:59:59 GMT`. */
  readonly sunset?: string
  /** URL of information about the sunset; sent only together with `sunset`. */
  readonly sunsetLink?: string
}

/** Headers by name, and fields to add to `Vary`. */
interface HeaderPlan {
  readonly headers: Readonly<Record<string, string>>
  readonly vary: readonly string[]
}

declare module '#kernel/plugin' {
  interface ResourceType {
    /** The headers of its responses. Set in `onCompile`. */
    headerPlan?: TypePlan
  }
}

/** The headers of a type. */
export interface TypePlan {
  /** Headers of every response. */
  readonly always: Readonly<Record<string, string>>
  readonly reads: ReadonlyMap<ReadShape, HeaderPlan>
}

export function headersOf({ headerPlan }: ResourceType): TypePlan | undefined {
  return headerPlan
}

/** The headers of one kind of read. Later levels override earlier ones. */
export function planCache(shape: ReadShape, ...levels: readonly CacheHeaders[]): HeaderPlan {
  const merged: CacheDirectives = Object.assign({}, ...levels.flatMap((level) => [level, level.operations?.[shape]]))
  const directives = [
    merged.public && 'public',
    merged.private && 'private',
    merged.no_cache && 'no-cache',
    merged.max_age !== undefined && `max-age=${merged.max_age}`,
    merged.s_maxage !== undefined && `s-maxage=${merged.s_maxage}`,
    merged.must_revalidate && 'must-revalidate',
  ].filter((directive) => typeof directive === 'string')
  return {
    headers: directives.length > 0 ? { 'Cache-Control': directives.join(', ') } : {},
    vary: [merged.vary ?? []].flat(),
  }
}

export function planDeprecation({ deprecation, sunset, sunsetLink }: Deprecated): Record<string, string> {
  return {
    ...(deprecation !== undefined && { Deprecation: deprecationHeader(deprecation) }),
    ...(sunset !== undefined && { Sunset: sunset }),
    ...(sunset !== undefined && sunsetLink !== undefined && { Link: `<${sunsetLink}>; rel="sunset"` }),
  }
}

/** A Date is sent in whole seconds as a structured field: `@1688169599`. */
function deprecationHeader(deprecation: true | string | Date): string {
  return deprecation instanceof Date ? `@${Math.floor(deprecation.getTime() / 1000)}` : String(deprecation)
}
