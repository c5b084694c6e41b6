import type Koa from 'koa'
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client'
import { isEventStream, loggedStatus } from '#http'
import type { App } from '#kernel/plugin'
import { buildRouteName } from '#routes'
import { measureStore } from './store-gauges.ts'

/** The metrics of one application. */
export interface Meters {
  readonly registry: Registry<OpenMetricsContentType>
  /** Measures a request until its response is sent. */
  begin(ctx: Koa.Context): void
}

const labelNames = ['method', 'route', 'status'] as const
const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])

export function createMeters({ store }: App): Meters {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE) // the only format with exemplars
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of the request to the end of the response',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    labelNames,
    enableExemplars: true,
    registers,
  })
  const inFlight = new Gauge({ name: 'http_requests_in_flight', help: 'Requests in flight', registers })
  const refused = new Counter({
    name: 'http_requests_refused_total',
    help: 'Requests rejected by a limit',
    labelNames: ['by'],
    registers,
  })
  measureStore(store, registry)
  return {
    registry,
    begin(ctx) {
      const end = durations.startTimer({}, {})
      inFlight.inc()
      ctx.res.once('close', () => {
        inFlight.dec()
        const method = methods.has(ctx.method) ? ctx.method : 'other'
        const labels = { method, route: buildRouteName(ctx) ?? 'none', status: loggedStatus(ctx.res) }
        if (!isEventStream(ctx.res)) end(labels, findExemplar(ctx))
        if (ctx.state.refusedBy) refused.inc({ by: ctx.state.refusedBy })
      })
    },
  }
}

/** The trace of the request, if one is sampled. */
function findExemplar({ state: { sampledTrace } }: Koa.Context): Record<string, string> {
  return sampledTrace ? { trace_id: sampledTrace.traceId, span_id: sampledTrace.spanId } : {}
}
