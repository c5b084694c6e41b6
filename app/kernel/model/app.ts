import type { Server as HttpServer } from 'node:http'
import type { ListenOptions } from 'node:net'
import type Router from '@koa/router'
import type Koa from 'koa'
import type { ErrorDefinition } from '../errors/errors.ts'
import type { AppConfig } from './app-config.ts'
import type { BodyBudget } from './body-budget.ts'
import type { Clock, StartDeadline } from './deadline.ts'
import type { Logger } from './logger.ts'
import type { Instruction, OperationKind, Plan } from './operation.ts'
import type { AppHooks, Plugin } from './plugin.ts'
import type { Query } from './query.ts'
import type { ApiRequest, QueryContext } from './request.ts'
import type { Registry } from './resource-type.ts'
import type { ApiResponse } from './response.ts'
import type { Server } from './server.ts'
import type { Store } from './store.ts'
import type { Target } from './target.ts'

export interface App extends Listening {
  readonly config: AppConfig
  readonly koa: Koa
  /** The enabled plugins, in the order of the list. */
  readonly plugins: readonly Plugin[]
  readonly hooks: AppHooks
  readonly registry: Registry
  readonly servers: readonly Server[]
  readonly store: Store
  readonly logger: Logger | null
  readonly bodyBudget: BodyBudget
  readonly queries: Queries
  readonly plans: Plans
  /** The error catalogue of the kernel and of the enabled plugins. */
  readonly errors: readonly ErrorDefinition[]
  /** Runs an operation on behalf of the program and returns the response without rendering it. */
  dispatch(instruction: Instruction): Promise<ApiResponse>
  /** Renders a response and writes it to `ctx` before the commit. It is discarded if the request fails afterwards. */
  respond(request: ApiRequest, response: ApiResponse): Promise<void>
  /** Returns the routes of a server with `placedByHand`, to mount them on another router. */
  routes(server?: string): ReturnType<Router['routes']>
  /** Starts background work. The database must be migrated. */
  start(): Promise<void>
  close(): Promise<void>
}

/** The plans of endpoints. */
export interface Plans {
  of(
    app: App,
    endpoint: {
      readonly server: Server
      readonly kind: OperationKind | null
      readonly target: Partial<Pick<Target, 'type' | 'relation' | 'action'>> | null
      readonly profiles: ReadonlySet<string>
    },
  ): Plan
}

/** The queries of requests, by their text. */
export interface Queries {
  /** The number of queries that are kept. */
  readonly size: number
  /** Returns the query of a text, or reads it. */
  getOrRead(context: QueryContext, search: string, read: (context: QueryContext) => Query): Query
}

/** The HTTP server of an application. */
export interface Listening {
  listen(port: number, host: string, options?: Pick<ListenOptions, 'reusePort'>): Promise<HttpServer>
  readonly startDeadline: StartDeadline
  /** Aborted when a graceful shutdown begins. */
  readonly stopping: AbortSignal
  /** Graceful shutdown: finishes the requests in flight, then closes all connections. */
  drain(limits: DrainLimits): Promise<void>
}

/** Times of a graceful shutdown, in milliseconds. */
export interface DrainLimits {
  /** Time in which requests are still accepted, until the load balancer sends them to other processes. */
  readonly delay: number
  /** Time after the delay for requests in flight. */
  readonly limit: number
}

export type CreateHttp = (
  config: AppConfig,
  options: { readonly logger: Logger | null; readonly clock?: Clock | undefined },
) => Listening & { readonly koa: Koa }
