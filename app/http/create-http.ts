import Koa from 'koa'
import { type CreateHttp, runInRequest, systemClock } from '#kernel/store'
import { createBodies } from './body/read-body.ts'
import { createDeadlines } from './deadline.ts'
import { httpErrors } from './errors.ts'
import { drain, type HttpServer } from './graceful-shutdown.ts'
import { checkHost } from './host.ts'
import { listen, logKoaError } from './http-server.ts'
import { respondTextError } from './text-error.ts'

/** Creates the Koa instance, and the functions that start its HTTP servers and shut them down. */
export const createHttp: CreateHttp = (config, { logger, clock = systemClock }) => {
  // Of the addresses in X-Forwarded-For, `ctx.ip` is the one that the trusted proxy added.
  const koa = new Koa({ proxy: config.trustProxy, maxIpsCount: 1 })
  koa.context.onerror = respondTextError
  koa.on('error', (error, ctx) => runInRequest(ctx, () => logKoaError(logger, error)))
  const servers: HttpServer[] = []
  const stop = new AbortController()
  return {
    koa,
    errors: httpErrors,
    bodies: createBodies(config),
    checkHost: checkHost(config),
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
