import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { appConfig, type Config, ConfigError, pluginVariables, readConfig } from '#app/config.ts'
import { type AppOptions, createApp } from '#app/kernel/boot/create-app.ts'
import { plugins } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import { servers } from '#app/servers.ts'
import { type Discovery, discover, loadEntities, loadMigrations } from '#discovery'
import { createHttp } from '#http'
import type { Awaitable } from '#kernel'
import { type App, BootError } from '#kernel/plugin'
import { createStore, type Database, mapEntities, openDatabase, StartupError } from '#store'
import { root } from './root.ts'

export { root }

export interface Project {
  readonly config: Config
  readonly discovery: Discovery
  readonly database: Database
}

/** Runs a script with the project's own database, which nobody else may be using when it is the embedded one. */
export async function withProject(work: (project: Project) => Promise<void>): Promise<void> {
  await orExplain(async () => {
    const config = readEnvironment()
    const discovery = await discoverOrExplain()
    const database = await openDatabase({ ...config, ...(await loadSchema(discovery, config.disabledPlugins)) })
    try {
      await work({ config, discovery, database })
    } finally {
      await database.close()
    }
  })
}

/** Runs a script with the application as it would start now, over a database that is never opened. */
export async function withApp(
  work: (app: App, config: Config, discovery: Discovery) => Awaitable<void>,
): Promise<void> {
  await orExplain(async () => {
    const config = readEnvironment()
    const discovery = await discoverOrExplain()
    const app = await createProjectApp(config, discovery)
    await work(app, config, discovery)
    await app.close()
  })
}

/** The application, over a database that is never opened unless another is given. */
export async function createProjectApp(
  config: Config,
  discovery: Discovery,
  given: Partial<Pick<AppOptions, 'store' | 'logger'>> = {},
): Promise<App> {
  return createApp({
    http: createHttp,
    config: appConfig(config),
    plugins,
    disabled: config.disabledPlugins,
    resources: await declaredResources(discovery),
    servers: servers(config),
    ...given,
    store: given.store ?? createStore({ orm: await mapEntities(await loadEntities(discovery)) }),
  })
}

/** What the operator can mend is told in a sentence, everything else with its stack. */
export async function orExplain(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isPlain = [StartupError, ConfigError, BootError].some((type) => error instanceof type)
    console.error(isPlain ? (error as Error).message : error)
    process.exitCode = 1
  }
}

export function readEnvironment(): Config {
  if (existsSync(resolve(root, '.env'))) process.loadEnvFile(resolve(root, '.env'))
  return readConfig(process.env, pluginVariables(plugins, process.env))
}

export async function discoverOrExplain(): Promise<Discovery> {
  const discovery = await discover(root)
  if (discovery.faults.length > 0) throw new StartupError(discovery.faults.join('\n'))
  return discovery
}

/** The entities and migrations of all resources, and the migrations of the enabled plugins. */
export async function loadSchema(discovery: Discovery, disabled: readonly string[] = []) {
  return { entities: await loadEntities(discovery), migrations: await loadMigrations(discovery, plugins, disabled) }
}
