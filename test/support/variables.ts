import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import type { AppConfig } from '#kernel/plugin'

/** The configuration of an application that is started with these variables, as far as the kernel sees it. */
export function configured(env: Record<string, string>): AppConfig {
  return appConfig(readConfig({ NODE_ENV: 'test', ...env }, pluginVariables(plugins, env)))
}
