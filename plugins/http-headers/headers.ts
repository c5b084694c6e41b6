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
  /** What differs on one kind of read. */
  readonly operations?: Readonly<Partial<Record<ReadShape, CacheDirectives>>>
}

export type ReadShape = 'collection' | 'read' | 'related' | 'relationship'

/** https://www.rfc-editor.org/rfc/rfc8594 */
export interface Deprecated {
  /** True, or a text saying since when. */
  readonly deprecation?: true | string
  /** An HTTP date: `Sat, 31 Dec 2050 23:59:59 GMT`. */
  readonly sunset?: string
  /** Where to read about the sunset; needs one. */
  readonly sunsetLink?: string
}
