import { createHookLookup } from '../compile/hooks.ts'
import { BootError, bootWarnings, checkPlugins, missingPlugins } from '../compile/plugin-checks.ts'
import { compileRegistry } from '../compile/registry.ts'
import { checkRoutes, checkServers } from '../compile/server-checks.ts'
import { compileServers } from '../compile/servers.ts'
import type { App } from '../model/app.ts'
import type { AppConfig } from '../model/app-config.ts'
import type { Clock } from '../model/deadline.ts'
import type { CreateHttp } from '../model/listening.ts'
import type { Logger } from '../model/logger.ts'
import type { Plugin } from '../model/plugin.ts'
import type { Store } from '../model/provider.ts'
import type { DeclaredResource } from '../model/registry.ts'
import type { ServerOptions } from '../model/server.ts'
import { dispatch } from '../operations/dispatch.ts'
import { defaultHandler } from '../operations/index.ts'
import { readInstruction } from '../request/instruction.ts'
import { createRouter, placeRoutes } from '../request/router.ts'
import { errorBoundary } from '../request/stages/respond.ts'
import { errorCatalogue } from './error-catalogue.ts'

export interface AppOptions {
  readonly config: AppConfig
  /** The list, in order. */
  readonly plugins: readonly Plugin[]
  /** Names of plugins in the list that are off. */
  readonly disabled?: readonly string[]
  readonly resources: readonly DeclaredResource[]
  readonly servers: Readonly<Record<string, ServerOptions>>
  readonly store: Store
  /** Creates the Koa instance and the HTTP server. */
  readonly http: CreateHttp
  /** Unexpected errors go here; none is fine. */
  readonly logger?: Logger
  /** Measures the deadlines of requests. */
  readonly clock?: Clock
}

/** Reads all declarations, checks them against each other, and builds the application; or says all that is wrong. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, servers: serverOptions, store, resources, disabled = [] } = options
  const plugins = options.plugins.filter((plugin) => !disabled.includes(plugin.name))
  const faults = [...checkPlugins(options.plugins, disabled), ...missingPlugins(resources, plugins)]

  const modifiers = plugins.flatMap((plugin) => plugin.modifiers ?? [])
  const registry = compileRegistry({ resources, serverNames: Object.keys(serverOptions), modifiers, store })
  const servers = compileServers(serverOptions, { registry, plugins, usual: defaultHandler })
  for (const plugin of plugins) plugin.onCompile?.(registry, servers)
  for (const plugin of plugins) plugin.onCompiled?.(registry, servers)
  faults.push(...registry.failures, ...checkServers(serverOptions, plugins), ...checkRoutes(servers, plugins))
  if (faults.length > 0) throw new BootError(faults)
  for (const warning of bootWarnings(registry, plugins)) options.logger?.warn({}, warning)

  const logger = options.logger ?? null
  const { koa, ...listening } = options.http(config, { logger, clock: options.clock })
  const app: App = {
    config,
    koa,
    plugins,
    ...createHookLookup(plugins),
    registry,
    servers,
    store,
    logger,
    errors: errorCatalogue(plugins),
    dispatch: async (instruction) => dispatch(app, await readInstruction(app, instruction)),
    routes: (name = 'default') => placeRoutes(app, name),
    ...listening,
    async start() {
      for (const plugin of plugins) await plugin.start?.(app)
    },
    async close() {
      for (const plugin of plugins.toReversed()) await plugin.close?.(app)
    },
  }
  koa.use(errorBoundary(app))
  for (const middleware of plugins.flatMap((plugin) => plugin.middleware?.(app) ?? [])) koa.use(middleware)
  koa.use(createRouter(app))
  for (const plugin of plugins) await plugin.setup?.(app)
  return app
}
