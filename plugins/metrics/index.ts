import cluster from 'node:cluster'
import type { Server } from 'node:http'
import Joi from 'joi'
import { AggregatorRegistry } from 'prom-client'
import type { App, Plugin } from '#kernel/plugin'
import { createMeters, type Meters } from './meters.ts'
import { renderMetrics } from './render.ts'
import { serveMetrics } from './serve.ts'

/**
 * Metrics for Prometheus on METRICS_PORT, which should not be public. Disabled if the port is not set. With several
 * workers, the primary process has the port and aggregates their metrics.
 */
export function metrics(): Plugin {
  const meters = new WeakMap<App, Meters>()
  const servers = new WeakMap<App, Server>()
  if (cluster.isWorker) new AggregatorRegistry() // responds to the primary process, even before there are metrics
  return {
    name: 'metrics',
    environment: {
      METRICS_PORT: Joi.number().port(),
      METRICS_HOST: Joi.string().hostname().default('127.0.0.1'),
    },

    middleware(app) {
      if (app.config.variables.METRICS_PORT === undefined) return null
      const appMeters = createMeters(app)
      meters.set(app, appMeters)
      return (ctx, next) => {
        appMeters.begin(ctx)
        return next()
      }
    },

    async supervise(variables) {
      if (variables.METRICS_PORT === undefined) return
      const aggregated = new AggregatorRegistry()
      // The aggregation of prom-client drops exemplars, so that there is nothing to gain by OpenMetrics.
      const render = async () => ({ contentType: aggregated.contentType, text: await aggregated.clusterMetrics() })
      await serveMetrics(render, variables)
    },

    async start(app) {
      const appMeters = meters.get(app)
      if (!appMeters) return
      if (cluster.isWorker) AggregatorRegistry.setRegistries(appMeters.registry)
      else {
        const render = (accept: string) => renderMetrics(appMeters.registry, accept)
        servers.set(app, await serveMetrics(render, app.config.variables))
      }
    },

    close(app) {
      servers.get(app)?.close()
      meters.get(app)?.registry.clear()
    },
  }
}
