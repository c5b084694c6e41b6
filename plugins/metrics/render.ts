import { type Metric, Registry, type RegistryContentType } from 'prom-client'
import type { Meters } from './meters.ts'

/**
 * Renders the metrics in the format that the client accepts: OpenMetrics, which has exemplars, or the text format of
 * Prometheus. A registry of prom-client has one format, so that each response is rendered by a registry of its own.
 */
export async function renderMetrics(registry: Meters['registry'], accept: string) {
  const isOpenMetrics = accept.includes('application/openmetrics-text')
  const rendered = new Registry<RegistryContentType>()
  if (isOpenMetrics) rendered.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  for (const metric of await registry.getMetricsAsJSON()) rendered.registerMetric(toMetric(metric) as Metric)
  return { contentType: rendered.contentType, text: await rendered.metrics() }
}

/** A metric with fixed values. The registry changes the names of counters for OpenMetrics. */
function toMetric(values: Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]): object {
  const metric = { ...values, get: async () => ({ ...values, name: metric.name }) }
  return metric
}
