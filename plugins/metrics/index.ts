import cluster from 'node:cluster'
import type { Server as HttpServer } from 'node:http'
import Joi from 'joi'
import { AggregatorRegistry } from 'prom-client'
import type { Plugin } from '#kernel/plugin'
import { createMeters, type Meters } from './meters.ts'
import { registerPluginMetrics } from './plugin-metrics.ts'
import { renderMetrics } from './render.ts'
import { serveMetrics } from './serve.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Undefined if METRICS_PORT is not set. */
    meters?: Meters
    /** The server of METRICS_PORT, if this process has it. */
    metricsServer?: HttpServer
  }
}

/**
 * Metrics for Prometheus on METRICS_PORT, which should not be public. Disabled if the port is not set. With several
 * workers, the primary process has the port and aggregates their metrics.
 */
export function metrics(): Plugin {
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
      app.meters = appMeters
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
      const { meters: appMeters } = app
      if (!appMeters) return
      registerPluginMetrics(app, appMeters.registry)
      if (cluster.isWorker) AggregatorRegistry.setRegistries(appMeters.registry)
      else {
        const render = (accept: string) => renderMetrics(appMeters.registry, accept)
        app.metricsServer = await serveMetrics(render, app.config.variables)
      }
    },

    close(app) {
      app.metricsServer?.close()
      app.meters?.registry.clear()
    },
  }
}
