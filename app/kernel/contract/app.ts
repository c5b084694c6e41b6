import type { Server as HttpServer } from 'node:http'
import type { ListenOptions } from 'node:net'
import type Router from '@koa/router'
import type Koa from 'koa'
import type { Query } from '../data/query.ts'
import type { Store } from '../data/store.ts'
import type { ErrorDefinition } from '../errors/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { Registry } from '../schema/resource-type.ts'
import type { AppConfig } from './app-config.ts'
import type { Clock, Deadline, StartDeadline } from './deadline.ts'
import type { OperationKind } from './operation.ts'
import type { DocumentLimits } from './operation-context.ts'
import type { Observer, Plugin, RequestHooks } from './plugin.ts'
import type { ApiRequest, QueryContext } from './request.ts'
import type { ApiResponse } from './response.ts'
import type { Server } from './server.ts'
import type { Plan } from './stages.ts'
import type { Target } from './target.ts'

/** Members that parts of the application beside the kernel add. */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging adds the members
export interface AddedMembers {}

export interface App extends Listening, AddedMembers {
  readonly config: AppConfig
  readonly koa: Koa
  /** The enabled plugins, in the order of the list. */
  readonly plugins: readonly Plugin[]
  readonly hooks: RequestHookLists
  /** The observers of plugins; most applications have none. */
  readonly observers: readonly Observer[]
  readonly registry: Registry
  readonly servers: readonly Server[]
  readonly store: Store
  readonly logger: Logger | null
  readonly plans: Plans
  /** The limits of documents. A plugin sets them in `setup`. */
  documents: DocumentLimits
  /** Values that developers use to try the API; plugins add theirs in `setup`. */
  readonly hints: Hint[]
  /** The error catalogue of the kernel and of the enabled plugins. */
  readonly errors: readonly ErrorDefinition[]
  /** Renders a response and writes it to `ctx` before the commit. It is discarded if the request fails afterwards. */
  respond(request: ApiRequest, response: ApiResponse): Promise<void>
  /** Returns the routes of a server with `mountManually`, to mount them on another router. */
  routes(server?: string): ReturnType<Router['routes']>
  /** Starts background work. The database must be migrated. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Returns the hints of an application; none in production. */
export function developmentHints({ config, hints }: App): readonly Hint[] {
  return config.production ? [] : hints
}

/** Values that developers use to try the API, such as tokens, for pages of the service. */
export interface Hint {
  readonly title: string
  /** A sentence that says how the values are used. */
  readonly text: string
  /** The meaning of each value. */
  readonly values: Readonly<Record<string, string>>
}

/** The functions of plugins for each hook, in the order of the plugins. */
export type RequestHookLists = { readonly [Hook in keyof RequestHooks]-?: readonly NonNullable<RequestHooks[Hook]>[] }

/** What a plan is made for, besides the query. */
export interface Endpoint {
  readonly server: Server
  /** Null for responses without an operation. */
  readonly kind: OperationKind | null
  readonly target: (Pick<Target, 'type' | 'relation' | 'action'> & { readonly kind?: Target['kind'] }) | null
  /** The profiles of the server that the client requests in Accept. Null if the program dispatched the operation. */
  readonly profiles: ReadonlySet<string> | null
}

/** The endpoint of an operation. */
export interface OperationEndpoint extends Endpoint {
  readonly kind: OperationKind
  readonly target: NonNullable<Endpoint['target']>
}

/** A query with the values of one request, and the plan that requests with other values share. */
export interface PlannedQuery {
  readonly query: Query
  readonly plan: Plan
}

export interface Plans {
  /** The numbers of entries. */
  readonly sizes: { readonly plans: number; readonly queries: number; readonly sent: number }
  /** The plan without a query: of errors, OPTIONS, batches and routes of plugins, and of the stage `begin`. */
  ofEndpoint(app: App, endpoint: Endpoint): Plan
  /** The plan of an operation, by the shape of its query. */
  ofQuery(app: App, endpoint: OperationEndpoint, query: Query): Plan
  /** The query of a text and its plan. Reads the query if no other request has sent the text. */
  read(
    context: QueryContext,
    search: string,
    readQuery: (context: QueryContext) => Query,
    endpoint?: Plan['key'],
  ): PlannedQuery
}

/** The HTTP server of an application. */
export interface Listening {
  readonly bodies: Bodies
  /** Rejects requests without one valid and allowed host. */
  readonly checkHost: Koa.Middleware
  listen(port: number, host: string, options?: Pick<ListenOptions, 'reusePort'>): Promise<HttpServer>
  readonly startDeadline: StartDeadline
  /** Aborted when a graceful shutdown begins. */
  readonly stopping: AbortSignal
  /** Graceful shutdown: finishes the requests in flight, then closes all connections. */
  drain(limits: DrainLimits): Promise<void>
}

/** The request bodies of a process. Their bytes are held until `release`. */
export interface Bodies {
  /** The bytes that are held. */
  readonly held: number
  /**
   * Receives the body of a request. Returns null if it is larger than the limit in bytes. Rejects with a 503 if all requests
   * together hold too many bytes.
   */
  receive(ctx: Koa.Context, limit: number): Promise<Buffer | null>
  /** Receives, decompresses and parses a JSON body; the deadline is suspended meanwhile. Rejects with 400, 413, 415 or 503. */
  read(ctx: Koa.Context, deadline: Deadline | null): Promise<unknown>
  release(ctx: Koa.Context): void
}

/** Times of a graceful shutdown, in milliseconds. */
export interface DrainLimits {
  /** Time in which requests are still accepted, until the load balancer sends them to other processes. */
  readonly delay: number
  /** Time after the delay for requests in flight. */
  readonly limit: number
}

/** Creates the HTTP server. `errors` are those that it throws. */
export type CreateHttp = (
  config: AppConfig,
  options: { readonly logger: Logger | null; readonly clock?: Clock | undefined },
) => Listening & { readonly koa: Koa; readonly errors: readonly ErrorDefinition[] }
