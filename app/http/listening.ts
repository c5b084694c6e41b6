import type { Server } from 'node:http'
import type Koa from 'koa'
import type { AppConfig, Listening } from '#kernel/store'
import { type Clock, createDeadlines } from '#kernel/store'
import { drain } from './graceful-shutdown.ts'
import { listen } from './http-server.ts'

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
