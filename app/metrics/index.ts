import type { App, Awaitable } from '#kernel/plugin'

// The contract between the plugin `metrics`, which serves them, and every plugin that has metrics. It lies outside of both, so
// that either can be deleted.

declare module '#kernel/plugin' {
  interface App {
    /** The metrics that plugins have added. */
    addedMetrics?: Metric[]
  }
}

export interface Metric {
  /** With a unit, such as `change_log_lag_seconds`; a counter ends in `_total`. */
  readonly name: string
  readonly help: string
  readonly kind: 'gauge' | 'counter'
  readonly labels: readonly string[]
  /** How the values of several worker processes are combined: `max` if all of them measure the same. */
  readonly aggregator: 'sum' | 'max'
  /** Called when the metrics are read. Without a value if it fails. */
  read(): Awaitable<readonly MetricValue[]>
}

export interface MetricValue {
  /** No value of a client, because each combination is kept by Prometheus. */
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Adds metrics of a plugin. Plugins call it in `setup`. */
export function addMetrics(app: App, metrics: readonly Metric[]): void {
  app.addedMetrics = [...(app.addedMetrics ?? []), ...metrics]
}
