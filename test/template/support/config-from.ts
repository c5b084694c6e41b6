import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import type { AppConfig } from '#kernel/plugin'

/** Returns the configuration of the kernel for these environment variables. */
export function configFrom(env: Record<string, string>): AppConfig {
  return appConfig(readConfig({ NODE_ENV: 'test', ...env }, pluginVariables(plugins, env)))
}
