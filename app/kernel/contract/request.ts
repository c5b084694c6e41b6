import type { OutgoingHttpHeaders } from 'node:http'
import type Koa from 'koa'
import type { Visibility } from '../schema/field.ts'
import type { Caller } from '../schema/principal.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { App } from './app.ts'
import type { Deadline } from './deadline.ts'
import type { RequestLimits } from './limits.ts'
import type { OperationKind } from './operation.ts'
import type { ApiResponse } from './response.ts'
import type { Server } from './server.ts'
import type { Plan } from './stages.ts'
import type { Match, Target } from './target.ts'

/** The result of content negotiation. */
export interface Media {
  /** The extension of the endpoint; null if it has none. */
  readonly extension: string | null
  /** The profiles of the server that the client requests in Accept. */
  readonly profiles: ReadonlySet<string>
}

export interface RequestUrl {
  /** The URL of the server's root, without a trailing slash. */
  readonly base: string
  /** The path below the base. */
  readonly path: string
  /** The query string as sent, without '?'. */
  readonly search: string
}

/** A parsed and negotiated HTTP request. Functions of resource authors receive it as a `Caller`. */
export interface ApiRequest extends Caller {
  readonly app: App
  readonly ctx: Koa.Context
  readonly server: Server
  /** Null on a plugin's route without an action. */
  readonly target: Target | null
  readonly media: Media
  readonly url: RequestUrl
  readonly body: unknown
  /** The plan of the endpoint; that of its query once the query is read. */
  plan: Plan
  /** The profiles that the response applies. */
  readonly appliedProfiles: Set<string>
  /** Null if there is no limit. */
  readonly deadline: Deadline | null
  /** The JSON pointer of the current operation of a batch, which prefixes the pointers of its errors; otherwise empty. */
  operationPointer: string
  /** The resource type of the current operation of a batch; otherwise null. */
  operationType: ResourceType | null
}

export function selfUrl({ base, path, search }: RequestUrl): string {
  return base + path + (search && `?${search}`)
}

/** One HTTP request and its response. Each stage of the pipeline adds its result; an error may occur before any of them. */
export interface Exchange {
  readonly ctx: Koa.Context
  readonly app: App
  server?: Server
  match?: Match
  /** The resource type in the URL. */
  type?: ResourceType | undefined
  media?: Media
  request?: ApiRequest
  /** The route is not a JSON:API endpoint; Koa responds to its errors as text. */
  plain?: boolean
  /** The response that was written before the commit, and the headers that were set before it. */
  early?: { readonly response: ApiResponse; readonly headers: OutgoingHttpHeaders } | undefined
  /** Null if there is no limit. */
  deadline?: Deadline | null
  /** The extension that the route requires. */
  extension?: string | undefined
}

/** A response that is about to be sent. */
export interface Reply {
  readonly ctx: Koa.Context
  readonly exchange: Exchange
  readonly response: ApiResponse
}

/** The context in which query parameters are read. */
export interface QueryContext {
  readonly app: App
  readonly server: Server
  readonly kind: OperationKind
  readonly target: Target
  /**
   * The request, for functions of the application. Null if the program dispatched the operation. A query that was read with
   * it is not used for other requests.
   */
  readonly request: ApiRequest | null
  /** The profiles of the server that the client requests in Accept. Null if the program dispatched the operation. */
  readonly profiles: ReadonlySet<string> | null
  /** What `hiddenFor` hides from the requester. Null if nothing is hidden. */
  readonly visibility: Visibility | null
  /** Whether unknown names are faults. */
  readonly strict: boolean
  /** The limits of lists. They do not apply to instructions of the program. */
  readonly limits: RequestLimits
}
