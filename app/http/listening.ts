import type Koa from 'koa'
import type { AppConfig, Listening } from '#kernel/store'
import { type Clock, createDeadlines, systemClock } from '#kernel/store'
import { drain, type HttpServer } from './graceful-shutdown.ts'
import { listen } from './http-server.ts'

export function createListening(koa: Koa, config: AppConfig, clock: Clock = systemClock): Listening {
  const servers: HttpServer[] = []
  const stop = new AbortController()
  return {
    async listen(port, host, options) {
      const http = await listen(koa, config, clock, { port, host, ...options })
      servers.push(http)
      return http.server
    },
    startDeadline: createDeadlines(config.limits.deadline, clock),
    stopping: stop.signal,
    async drain(limits) {
      stop.abort()
      await Promise.all(servers.map((server) => drain(server, limits, clock)))
    },
  }
}
