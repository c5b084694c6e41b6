import type Koa from 'koa'
import type { Optional } from '../lib/awaitable.ts'
import type { Action } from './operation.ts'
import type { ApiRequest } from './request.ts'
import type { ApiResponse } from './response.ts'

/** A URL that is not a resource. */
export interface Route {
  readonly name: string
  readonly methods: readonly string[]
  /** Below the prefix of the server, with a leading slash; may have parameters, as in `/albums/:id/cover`. */
  readonly path: string
  /** The path is not below the prefix. */
  readonly isAbsolute?: boolean
  /** Whether the parameters of a URL are valid; if not, other routes are tried. By default they are. */
  matches?(parameters: Readonly<Record<string, string>>): boolean
  /** The text of links to the URL on pages that list the URLs of the service. Without it, no page lists the URL. */
  readonly title?: string
  /** A JSON:API endpoint with content negotiation and a parsed body, under the extension if it names one. */
  readonly jsonapi?: JsonApiRoute
  /** The action that it runs. The exception map and the headers of its type apply. */
  readonly action?: Action
  /** Left out of the list of routes. */
  readonly isUnlisted?: boolean
  /** Returns a response, or nothing if it has written one to `ctx`. */
  handle(ctx: Koa.Context, request: ApiRequest | null): Optional<ApiResponse>
}

export interface JsonApiRoute {
  readonly extension?: string
  /**
   * How the body of a POST is read: as a JSON document by default, not at all, or by a function, which checks
   * `Content-Type` itself.
   */
  readonly body?: 'none' | ((ctx: Koa.Context) => Promise<unknown>)
}
