import type { Server } from 'node:http'
import type Koa from 'koa'
import type { AppConfig } from './app-config.ts'
import type { Clock, StartDeadline } from './deadline.ts'
import type { Logger } from './logger.ts'

/** The HTTP server of an application. */
export interface Listening {
  listen(port: number, host: string): Promise<Server>
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

/** The Koa instance and the HTTP server of an application. */
export interface Http extends Listening {
  readonly koa: Koa
}

export type CreateHttp = (
  config: AppConfig,
  options: { readonly logger: Logger | null; readonly clock?: Clock | undefined },
) => Http
