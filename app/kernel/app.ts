import type Router from '@koa/router'
import type Koa from 'koa'
import type { AppConfig } from './app-config.ts'
import { BootError, bootWarnings, checkPlugins, missingPlugins } from './boot-checks.ts'
import type { Clock } from './deadline.ts'
import { dispatch } from './dispatch.ts'
import { report } from './edge.ts'
import { errorCatalogue } from './error-catalogue.ts'
import type { ErrorDefinition } from './errors.ts'
import { type Instruction, toOperation } from './instruction.ts'
import { type Joining, joiningOf } from './joining.ts'
import { createKoa } from './koa.ts'
import { createListening, type Listening } from './listening.ts'
import type { Logger } from './logger.ts'
import { usualHandler } from './operations/index.ts'
import { placeRoutes } from './patterns.ts'
import type { Plugin } from './plugin.ts'
import type { Store } from './provider.ts'
import { compileRegistry, type DeclaredResource, type Registry } from './registry.ts'
import { stillIdentified } from './request-id.ts'
import type { ApiResponse } from './response.ts'
import { createRouter } from './router.ts'
import { compileServers, type Server, type ServerOptions } from './server.ts'
import { checkRoutes, checkServers } from './server-checks.ts'
import { boundary } from './stages/respond.ts'

export interface AppOptions {
  readonly config: AppConfig
  /** The list, in order. */
  readonly plugins: readonly Plugin[]
  /** Names of plugins in the list that are off. */
  readonly disabled?: readonly string[]
  readonly resources: readonly DeclaredResource[]
  readonly servers: Readonly<Record<string, ServerOptions>>
  readonly store: Store
  /** Unexpected errors go here; none is fine. */
  readonly logger?: Logger
  /** Measures the deadlines of requests. */
  readonly clock?: Clock
}

export interface App extends Listening, Joining {
  readonly config: AppConfig
  readonly koa: Koa
  /** Those that are on, in the order of the list. */
  readonly plugins: readonly Plugin[]
  readonly registry: Registry
  readonly servers: readonly Server[]
  readonly store: Store
  readonly logger: Logger | null
  /** The catalogue: errors of the kernel and of the plugins. */
  readonly errors: readonly ErrorDefinition[]
  /** Runs an operation for the program itself and returns the answer unrendered. */
  dispatch(instruction: Instruction): Promise<ApiResponse>
  /** The routes of a server that is placed by hand, for a router of the program's own. */
  routes(server?: string): ReturnType<Router['routes']>
  /** Begins what runs beside requests; the database is prepared. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Reads all declarations, checks them against each other, and builds the application; or says all that is wrong. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, servers: serverOptions, store, resources, disabled = [] } = options
  const plugins = options.plugins.filter((plugin) => !disabled.includes(plugin.name))
  const faults = [...checkPlugins(options.plugins, disabled), ...missingPlugins(resources, plugins)]

  const modifiers = plugins.flatMap((plugin) => plugin.modifiers ?? [])
  const registry = compileRegistry({ resources, serverNames: Object.keys(serverOptions), modifiers, store })
  const servers = compileServers(serverOptions, { registry, plugins, usual: usualHandler })
  for (const plugin of plugins) plugin.onCompile?.(registry, servers)
  for (const plugin of plugins) plugin.onCompiled?.(registry, servers)
  faults.push(...registry.failures, ...checkServers(serverOptions, plugins), ...checkRoutes(servers, plugins))
  if (faults.length > 0) throw new BootError(faults)
  for (const warning of bootWarnings(registry, plugins)) options.logger?.warn({}, warning)

  const koa = createKoa(config)
  const app: App = {
    config,
    koa,
    plugins,
    ...joiningOf(plugins),
    registry,
    servers,
    store,
    logger: options.logger ?? null,
    errors: errorCatalogue(plugins),
    dispatch: async (instruction) => dispatch(app, await toOperation(app, instruction)),
    routes: (name = 'default') => placeRoutes(app, name),
    ...createListening(koa, config, options.clock),
    async start() {
      for (const plugin of plugins) await plugin.start?.(app)
    },
    async close() {
      for (const plugin of plugins.toReversed()) await plugin.close?.(app)
    },
  }
  koa.on('error', (error, ctx) => stillIdentified(ctx, () => report(app.logger, error)))
  koa.use(boundary(app))
  for (const middleware of plugins.flatMap((plugin) => plugin.middleware?.(app) ?? [])) koa.use(middleware)
  koa.use(createRouter(app))
  for (const plugin of plugins) await plugin.setup?.(app)
  return app
}
