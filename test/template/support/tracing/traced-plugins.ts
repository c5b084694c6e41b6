import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { tracing } from '#plugins/tracing/index.ts'

/** The plugins of the project with `tracing` as it is after the SDK is registered. */
export function tracedPlugins(...args: Parameters<typeof tracing>): readonly Plugin[] {
  const traced = tracing(...args)
  return plugins.map((plugin) => (plugin.name === traced.name ? traced : plugin))
}
