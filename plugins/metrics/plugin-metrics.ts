import { Counter, Gauge } from 'prom-client'
import type { App } from '#kernel/plugin'
import type { Metric, MetricValue } from '#metrics'
import type { Meters } from './meters.ts'
import { readInTime } from './read-in-time.ts'

/** Registers the metrics of other plugins. Their values are read when the metrics are read. */
export function registerPluginMetrics(app: App, registry: Meters['registry']): void {
  for (const metric of app.addedMetrics ?? []) register(metric, registry, app)
}

function register({ kind, labels, read, ...metric }: Metric, registry: Meters['registry'], { logger }: App): void {
  const options = { ...metric, labelNames: [...labels], registers: [registry] }
  const readValues = readInTime<MetricValue>(read, (error) =>
    logger?.warn({ err: error, metric: metric.name }, 'A metric cannot be read; it has no value until it can.'),
  )
  if (kind === 'gauge')
    new Gauge({
      ...options,
      async collect() {
        const values = await readValues()
        this.reset()
        for (const { labels, value } of values) this.set(labels, value)
      },
    })
  else
    new Counter({
      ...options,
      async collect() {
        const values = await readValues()
        this.reset()
        for (const { labels, value } of values) this.inc(labels, value)
      },
    })
}
