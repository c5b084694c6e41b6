import type { Server } from 'node:http'
import Joi from 'joi'
import type { App, Plugin } from '#kernel'
import { createMeters, type Meters } from './meters.ts'
import { serveMetrics } from './serve.ts'

/** What Prometheus wants to know, on a port of its own, which the public does not reach; off while there is none. */
export function metrics(): Plugin {
  const meters = new WeakMap<App, Meters>()
  const servers = new WeakMap<App, Server>()
  return {
    name: 'metrics',
    environment: {
      METRICS_PORT: Joi.number().port(),
      METRICS_HOST: Joi.string().hostname().default('127.0.0.1'),
    },

    middleware(app) {
      if (app.config.variables.METRICS_PORT === undefined) return null
      const own = createMeters(app)
      meters.set(app, own)
      return (ctx, next) => {
        own.begin(ctx)
        return next()
      }
    },

    async start(app) {
      const own = meters.get(app)
      const { METRICS_PORT: port, METRICS_HOST: host } = app.config.variables
      if (own) servers.set(app, await serveMetrics(own.registry, Number(port), String(host)))
    },

    close(app) {
      servers.get(app)?.close()
      meters.get(app)?.registry.clear()
    },
  }
}
