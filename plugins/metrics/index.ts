import cluster from 'node:cluster'
import type { Server } from 'node:http'
import Joi from 'joi'
import { AggregatorRegistry } from 'prom-client'
import type { App, Plugin } from '#kernel/plugin'
import { createMeters, type Meters } from './meters.ts'
import { serveMetrics } from './serve.ts'

/**
 * What Prometheus wants to know, on a port of its own, which the public does not reach; off while there is none. The
 * process above several workers has the port, and adds up what they say.
 */
export function metrics(): Plugin {
  const meters = new WeakMap<App, Meters>()
  const servers = new WeakMap<App, Server>()
  if (cluster.isWorker) new AggregatorRegistry() // answers from now on, also while there is nothing to tell
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

    async supervise(variables) {
      if (variables.METRICS_PORT === undefined) return
      const all = new AggregatorRegistry()
      await serveMetrics({ contentType: all.contentType, metrics: () => all.clusterMetrics() }, variables)
    },

    async start(app) {
      const own = meters.get(app)
      if (!own) return
      if (cluster.isWorker) AggregatorRegistry.setRegistries(own.registry)
      else servers.set(app, await serveMetrics(own.registry, app.config.variables))
    },

    close(app) {
      servers.get(app)?.close()
      meters.get(app)?.registry.clear()
    },
  }
}
