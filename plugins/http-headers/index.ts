import type { Plugin } from '#kernel'
import type { CacheHeaders, Deprecated } from './headers.ts'

export type { CacheDirectives, CacheHeaders } from './headers.ts'

declare module '#kernel' {
  interface ResourceWords<Entity> extends Deprecated {
    /** `Cache-Control` and `Vary` of successful reads. */
    readonly cacheHeaders?: CacheHeaders
  }
}

/** What holds for types that say nothing. */
export interface HttpHeadersOptions extends Deprecated {
  readonly cacheHeaders?: CacheHeaders
}

/** Caching, and the end of a type's life, as headers. */
export function httpHeaders(_defaults: HttpHeadersOptions = {}): Plugin {
  return {
    name: 'http-headers',
  }
}
