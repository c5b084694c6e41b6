import { resourceKeys } from '../compile/key-forms.ts'
import { BootError, bootWarnings, checkPlugins, missingPlugins, reportUnmetNeeds } from '../compile/plugin-checks.ts'
import { compileRegistry } from '../compile/registry.ts'
import { checkRoutes, checkServers, readServers } from '../compile/server-checks.ts'
import { compileServers, listPluginRoutes } from '../compile/servers.ts'
import { reportUnknownNames } from '../compile/unknown-names.ts'
import type { AddedMembers, App, CreateHttp } from '../contract/app.ts'
import type { AppConfig } from '../contract/app-config.ts'
import type { Clock } from '../contract/deadline.ts'
import type { DisabledPlugin, Plugin } from '../contract/plugin.ts'
import type { ServerOptions } from '../contract/server.ts'
import { usesHiddenFor } from '../contract/visibility.ts'
import type { Store } from '../data/store.ts'
import type { Logger } from '../lib/logger.ts'
import { defaultHandler } from '../operations/index.ts'
import { findHooks, listObservers } from '../plan/collect-steps.ts'
import { PlanCache } from '../plan/plan-cache.ts'
import { addTypeSteps } from '../plan/type-steps.ts'
import { unlimitedDocuments } from '../read/document-budget.ts'
import { errorBoundary } from '../request/error-boundary.ts'
import { createRouter, mountRoutes } from '../request/router.ts'
import { writeEarlyResponse } from '../request/write-response.ts'
import type { DeclaredResource } from '../schema/resource-type.ts'
import { checkErrorCodes, errorCatalogue } from './error-catalogue.ts'

export interface AppOptions {
  readonly config: AppConfig
  /** All plugins in order, enabled or not. */
  readonly plugins: readonly Plugin[]
  /** Names of disabled plugins. */
  readonly disabled?: readonly string[]
  /** Faults that were found before, to be reported with those of the declarations. */
  readonly faults?: readonly string[]
  /** Plugins that have a folder but are not in the list: their modifiers and keys have no effect. */
  readonly unlisted?: readonly DisabledPlugin[]
  readonly resources: readonly DeclaredResource[]
  readonly servers: Readonly<Record<string, ServerOptions>>
  readonly store: Store
  /** Creates the Koa instance and the HTTP server. */
  readonly http: CreateHttp
  /** Returns what other parts add to the application, which is complete when its members are called. */
  readonly members: (app: () => App) => AddedMembers
  /** Receives warnings and unexpected errors. */
  readonly logger?: Logger
  /** The clock of request deadlines; default: the system clock. */
  readonly clock?: Clock
  /** The bound of the queries that are kept with their plans; 0 reads and plans every query anew. Default: 1,000. */
  readonly maxPlans?: number
}

const noDocumentLimits =
  'No plugin limits the size of documents: a request may read all rows of a table. Add limits() to app/plugins.ts.'

/** Compiles and checks all declarations and builds the application. Throws a BootError with all faults. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, store, resources, disabled = [], unlisted = [] } = options
  const plugins = options.plugins.filter((plugin) => !disabled.includes(plugin.name))
  const faults = [
    ...(options.faults ?? []),
    ...checkPlugins(options.plugins, disabled, unlisted),
    ...missingPlugins(resources, plugins),
  ]

  const modifiers = plugins.flatMap((plugin) => plugin.modifiers ?? [])
  const serverNames = Object.keys(options.servers)
  const registry = compileRegistry({ resources, serverNames, modifiers, forms: resourceKeys(plugins), store })
  const serverOptions = readServers(options.servers, [...options.plugins, ...unlisted], (fault) => faults.push(fault))
  const servers = compileServers(serverOptions, { registry, plugins, defaultHandler })
  const disabledPlugins = options.plugins.filter((plugin) => disabled.includes(plugin.name))
  const checks = plugins.map((plugin) => plugin.onCompile?.(registry, servers))
  reportUnmetNeeds(registry, [...disabledPlugins, ...unlisted])
  reportUnknownNames(registry, [...options.plugins, ...unlisted])
  for (const check of checks) check?.()
  checkErrorCodes(registry, plugins)
  for (const server of servers) server.routes = listPluginRoutes(server, plugins)
  faults.push(...registry.failures, ...checkServers(serverOptions, plugins), ...checkRoutes(servers))
  if (faults.length > 0) throw new BootError(faults)
  registry.hidesFields = usesHiddenFor(registry)
  for (const type of registry.types.values()) addTypeSteps(type, plugins)
  for (const warning of bootWarnings(registry)) options.logger?.warn({}, warning)

  const logger = options.logger ?? null
  const { koa, errors, ...listening } = options.http(config, { logger, clock: options.clock })
  const app: App = {
    config,
    koa,
    plugins,
    hooks: findHooks(plugins),
    observers: listObservers(plugins),
    registry,
    servers,
    store,
    logger,
    plans: new PlanCache(options.maxPlans),
    documents: unlimitedDocuments,
    hints: [],
    errors: errorCatalogue([{ errors }, ...plugins], registry),
    ...options.members(() => app),
    respond: writeEarlyResponse,
    routes: (name = 'default') => mountRoutes(app, name),
    ...listening,
    async start() {
      for (const plugin of plugins) await plugin.start?.(app)
    },
    async close() {
      for (const plugin of plugins.toReversed()) await plugin.close?.(app)
    },
  }
  for (const plugin of plugins) await plugin.setup?.(app)
  if (config.production && app.documents === unlimitedDocuments) logger?.warn({}, noDocumentLimits)
  koa.use(errorBoundary(app))
  for (const middleware of plugins.flatMap((plugin) => plugin.middleware?.(app) ?? [])) koa.use(middleware)
  koa.use(createRouter(app))
  return app
}
