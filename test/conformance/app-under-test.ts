import type { AddressInfo } from 'node:net'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { plugins as listed } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import { servers } from '#app/servers.ts'
import { loadSeeds } from '#discovery'
import { createHttp } from '#http'
import type { App, DeclaredResource, Plugin, ServerOptions } from '#kernel/plugin'
import { programMembers } from '#program'
import { createStore, type Database, migrate, openDatabase, type Seed, seed } from '#store'
import { testVariables } from '#test/support/app.ts'
import { type Client, createClient } from '#test/support/client.ts'
import { type Conformance, conformanceTo } from '#test/support/conformance.ts'
import { discoverResources, loadSchema } from '../../scripts/support/project.ts'
import { addRows } from './rows.ts'
import type { EmptyType } from './table-rows.ts'

/** The application under test. */
export interface AppUnderTest {
  readonly app: App
  readonly client: Client
  readonly conforms: Conformance
  /** The types that have no rows, with the reason; their rules cannot be checked. */
  readonly emptyTypes?: ReadonlyMap<string, EmptyType>
  /** The principals that are tried on denied rows; by default anonymous and all development tokens. */
  readonly principals?: readonly (string | null)[]
}

/** The settings that an application with other policies needs to serve the same rows. */
export interface AppSettings {
  readonly database: Database
  readonly resources: readonly DeclaredResource[]
  readonly servers: Readonly<Record<string, ServerOptions>>
  readonly disabled: readonly string[]
}

export interface AppUnderTestOptions {
  readonly plugins?: readonly Plugin[]
  readonly change?: (declared: DeclaredResource) => DeclaredResource
}

/** Starts the application of the project over a database in memory with its seeds and more rows. */
export async function withAppUnderTest<T>(
  { plugins = listed, change = (declared) => declared }: AppUnderTestOptions,
  callback: (subject: AppUnderTest, surroundings: AppSettings) => Promise<T>,
): Promise<T> {
  const discovery = await discoverResources()
  const database = await openDatabase({ databaseUrl: null, dataDir: null, ...(await loadSchema(discovery)) })
  await migrate(database)
  await seed(database, await loadSeeds<Seed>(discovery))
  const env = { ...testVariables, DISABLED_PLUGINS: process.env.DISABLED_PLUGINS }
  const config = readConfig(env, pluginVariables(plugins, env))
  const resources = (await declaredResources(discovery)).map(change)
  const surroundings = { database, resources, servers: servers(config), disabled: config.disabledPlugins }
  const app = await createApp({
    http: createHttp,
    members: programMembers,
    config: appConfig(config),
    plugins,
    disabled: surroundings.disabled,
    resources,
    servers: surroundings.servers,
    store: createStore(database),
  })
  const emptyTypes = await addRows(app)
  const server = await app.listen(0, '127.0.0.1')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const conforms = conformanceTo(app)
    return await callback({ app, client: createClient(url, () => {}), conforms, emptyTypes }, surroundings)
  } finally {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
    await app.close()
    await database.close()
  }
}
