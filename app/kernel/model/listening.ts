import type { Server } from 'node:http'
import type Koa from 'koa'
import type { AppConfig } from './app-config.ts'
import type { Clock, StartDeadline } from './deadline.ts'
import type { Logger } from './logger.ts'

/** The part of an application that hears requests. */
export interface Listening {
  listen(port: number, host: string): Promise<Server>
  readonly startDeadline: StartDeadline
  /** Aborted as soon as a stop is asked for. */
  readonly stopping: AbortSignal
  /** Finishes the requests under way; none begins any more. */
  drain(limits: DrainLimits): Promise<void>
}

/** In milliseconds. */
export interface DrainLimits {
  /** How long requests are still accepted, so that a load balancer notices and sends new ones elsewhere. */
  readonly delay: number
  /** How long those under way may take after that. */
  readonly limit: number
}

/** The HTTP side of an application. */
export interface Http extends Listening {
  readonly koa: Koa
}

export type CreateHttp = (
  config: AppConfig,
  options: { readonly logger: Logger | null; readonly clock?: Clock | undefined },
) => Http
