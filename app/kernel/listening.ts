import type { Server } from 'node:http'
import type Koa from 'koa'
import type { AppConfig } from './app-config.ts'
import { type Clock, createDeadlines, type StartDeadline } from './deadline.ts'
import { type DrainLimits, drain } from './drain.ts'
import { listen } from './edge.ts'

/** The part of an application that hears requests. */
export interface Listening {
  listen(port: number, host: string): Promise<Server>
  readonly startDeadline: StartDeadline
  /** Aborted as soon as a stop is asked for. */
  readonly stopping: AbortSignal
  /** Finishes the requests under way; none begins any more. */
  drain(limits: DrainLimits): Promise<void>
}

export function createListening(koa: Koa, { timeouts, limits }: AppConfig, clock?: Clock): Listening {
  const servers: Server[] = []
  const stop = new AbortController()
  return {
    async listen(port, host) {
      const server = await listen(koa, timeouts, port, host)
      servers.push(server)
      return server
    },
    startDeadline: createDeadlines(limits.deadline, clock),
    stopping: stop.signal,
    async drain(limits) {
      stop.abort()
      await Promise.all(servers.map((server) => drain(server, limits)))
    },
  }
}
