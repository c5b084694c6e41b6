import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { appConfig, type Config, ConfigError, pluginVariables, readConfig } from '#app/config.ts'
import { type AppOptions, createApp } from '#app/kernel/boot/create-app.ts'
import { plugins } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import { servers } from '#app/servers.ts'
import { type Discovery, discover, formerMembers, loadEntities, loadMigrations, unlistedPlugins } from '#discovery'
import { createHttp } from '#http'
import type { Awaitable } from '#kernel'
import { type App, BootError } from '#kernel/plugin'
import { programMembers } from '#program'
import { createStore, type Database, mapEntities, openDatabase, StartupError } from '#store'
import { root } from './root.ts'

export { root }

export interface Project {
  readonly config: Config
  readonly discovery: Discovery
  readonly database: Database
}

/** Runs a script with the database of the project. The embedded database must not be in use by another process. */
export async function withProject(work: (project: Project) => Promise<void>): Promise<void> {
  await reportErrors(async () => {
    const config = readEnvironment()
    const discovery = await discoverResources()
    const database = await openDatabase({ ...config, ...(await loadSchema(discovery, config.disabledPlugins)) })
    try {
      await work({ config, discovery, database })
    } finally {
      await database.close()
    }
  })
}

/** Runs a script with the application, without opening the database. `isOpen`: no server requires authentication. */
export async function withApp(
  work: (app: App, config: Config, discovery: Discovery) => Awaitable<void>,
  { isOpen = false } = {},
): Promise<void> {
  await reportErrors(async () => {
    const config = readEnvironment()
    const discovery = await discoverResources()
    const app = await createProjectApp(config, discovery, isOpen ? { servers: openServers(config) } : {})
    await work(app, config, discovery)
    await app.close()
  })
}

/** Builds the application. Without a store, the database is not opened. */
export async function createProjectApp(
  config: Config,
  discovery: Discovery,
  given: Partial<Pick<AppOptions, 'config' | 'plugins' | 'resources' | 'servers' | 'store' | 'logger'>> = {},
): Promise<App> {
  return createApp({
    http: createHttp,
    members: programMembers,
    config: appConfig(config),
    plugins,
    disabled: config.disabledPlugins,
    unlisted: await unlistedPlugins(root, given.plugins ?? plugins),
    faults: formerMembers(plugins, config.disabledPlugins),
    resources: await declaredResources(discovery),
    servers: servers(config),
    ...given,
    store: given.store ?? createStore({ orm: await mapEntities(await loadEntities(discovery)) }),
  })
}

function openServers(config: Config): AppOptions['servers'] {
  const options = Object.entries(servers(config))
  return Object.fromEntries(options.map(([name, server]) => [name, { ...server, middleware: [] }]))
}

/** Prints expected errors as a sentence and other errors with a stack trace; sets the exit code. */
export async function reportErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isExpected = [StartupError, ConfigError, BootError].some((type) => error instanceof type)
    console.error(isExpected ? (error as Error).message : error)
    process.exitCode = 1
  }
}

export function readEnvironment(): Config {
  loadEnvFile()
  return readConfig(process.env, pluginVariables(plugins, process.env))
}

function loadEnvFile(): void {
  if (existsSync(resolve(root, '.env'))) process.loadEnvFile(resolve(root, '.env'))
}

/** Reads RESOURCE_PATHS only, so that the scripts of an image build need no other variable. */
export async function discoverResources(): Promise<Discovery> {
  loadEnvFile()
  const { resourcePaths } = readConfig({ RESOURCE_PATHS: process.env.RESOURCE_PATHS })
  const discovery = await discover(root, resourcePaths)
  if (discovery.faults.length > 0) throw new StartupError(discovery.faults.join('\n'))
  return discovery
}

/** Whether the plugin has a line in app/plugins.ts. */
export function isListed(plugin: string): boolean {
  return plugins.some(({ name }) => name === plugin)
}

/** The entities and migrations of all resources, and the migrations of the enabled plugins. */
export async function loadSchema(discovery: Discovery, disabled: readonly string[] = []) {
  return { entities: await loadEntities(discovery), migrations: await loadMigrations(discovery, plugins, disabled) }
}
