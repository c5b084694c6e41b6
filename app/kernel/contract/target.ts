import type Koa from 'koa'
import type { Optional } from '../lib/awaitable.ts'
import type { Relation } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Shape } from '../schema/url-shape.ts'
import type { Action } from './operation.ts'
import type { ApiRequest } from './request.ts'
import type { ApiResponse } from './response.ts'
import type { Server } from './server.ts'

export type TargetKind = Shape | 'action'

/** The resource, collection, relationship or action that a URL addresses. */
export interface Target {
  readonly kind: TargetKind
  readonly server: Server
  readonly type: ResourceType
  /** The id in the URL, not decoded. */
  readonly id?: string
  /** Instead of an id: the local id of a resource that an earlier operation of the batch creates. */
  readonly lid?: string
  readonly relation?: Relation
  readonly action?: Action
}

/** An entry of the routing table: one shape of resource URLs of a server, or a plugin's route. */
export type MatchedEndpoint =
  | { readonly server: Server; readonly route?: undefined; readonly shape: Shape }
  | RouteMatch

/** The result of matching a URL path. */
export type Match = ResourceMatch | RouteMatch

export interface ResourceMatch {
  readonly server: Server
  readonly route?: undefined
  readonly shape: Shape
  readonly type: ResourceType
  readonly id?: string
  /** The local id of a resource of the same batch; replaces `id`. */
  readonly lid?: string
  /** The URL segment of the relation, unchecked. */
  readonly relation?: string
}

export interface RouteMatch {
  readonly type?: undefined
  readonly server: Server
  readonly route: Route
}

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
  handle(ctx: Koa.Context, request: ApiRequest): Optional<ApiResponse>
}

/** A route with the name of its plugin. */
export interface PluginRoute extends Route {
  readonly plugin: string
}

export interface JsonApiRoute {
  readonly extension?: string
  /**
   * How the body of a POST is read: as a JSON document by default, not at all, or by a function, which checks
   * `Content-Type` itself.
   */
  readonly body?: 'none' | ((ctx: Koa.Context, receive: ReceiveBody) => Promise<unknown>)
}

/** Receives the body of a request within MAX_RECEIVED_BYTES. Returns null if it is larger than the limit in bytes. */
export type ReceiveBody = (limit: number) => Promise<Buffer | null>
