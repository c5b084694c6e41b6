import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import type { DisabledPlugin } from '#app/kernel/contract/plugin.ts'
import { plugins as listed } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import { discover, formerMembers } from '#discovery'
import { createHttp } from '#http'
import type { App, AppConfig, DeclaredResource, Plugin, ServerOptions } from '#kernel/plugin'
import type { Clock } from '#kernel/store'
import { programMembers } from '#program'
import { createStore, type Database } from '#store'
import { type Client, createClient } from './client.ts'
import { conformanceTo } from './conformance.ts'
import { testDatabase } from './database.ts'
import { withoutRestrictions } from './unrestricted.ts'

export const root = resolve(import.meta.dirname, '../..')

export interface TestApp {
  readonly app: App
  readonly client: Client
  close(): Promise<void>
}

export interface TestAppOptions {
  readonly plugins?: readonly Plugin[]
  readonly disabled?: readonly string[]
  readonly unlisted?: readonly DisabledPlugin[]
  readonly config?: Partial<AppConfig>
  readonly servers?: Readonly<Record<string, ServerOptions>>
  readonly resources?: readonly DeclaredResource[]
  readonly database?: Database
  readonly logger?: App['logger']
  readonly clock?: Clock
  /** With 0, no plan is kept: each request is planned anew. */
  readonly maxPlans?: number
  readonly onWrite?: () => void
  /** Servers whose responses the test invents, so that the OpenAPI document cannot describe them. */
  readonly undescribed?: readonly string[]
}

export const defaultServers: Readonly<Record<string, ServerOptions>> = {
  default: { maxIncludeDepth: 3 },
  admin: { prefix: '/admin', maxIncludeDepth: 3 },
}

/** A machine that runs other tests may be slow: no request is logged as slow, and none is a 408 because the process got no CPU. */
export const testVariables = { NODE_ENV: 'test', SLOW_REQUEST_MS: '0', HEADERS_TIMEOUT: '600', REQUEST_TIMEOUT: '600' }

/** Called with every application that a test builds. */
export const appObservers = new Set<(app: App) => void>()

/** Builds an application without listening, for tests of the boot. */
export async function buildApp(options: TestAppOptions = {}): Promise<App> {
  const database = options.database ?? (await testDatabase())
  const plugins = options.plugins ?? listed
  const app = await createApp({
    http: createHttp,
    members: programMembers,
    config: { ...appConfig(readConfig(testVariables, pluginVariables(plugins, {}))), ...options.config },
    plugins,
    disabled: options.disabled ?? [],
    unlisted: options.unlisted ?? wordsOfOthers(plugins),
    faults: formerMembers(plugins, options.disabled),
    resources: options.resources ?? (await declaredResources(await discover(root))),
    servers: options.servers ?? defaultServers,
    store: createStore(database),
    ...(options.logger && { logger: options.logger }),
    ...(options.clock && { clock: options.clock }),
    ...(options.maxPlans !== undefined && { maxPlans: options.maxPlans }),
  })
  for (const observe of appObservers) observe(app)
  return app
}

/** The modifiers and keys of the plugins of the project that a test leaves out: declarations may use them without effect. */
function wordsOfOthers(plugins: readonly Plugin[]): DisabledPlugin[] {
  const others = listed.filter(({ name }) => !plugins.some((plugin) => plugin.name === name))
  return others.map(({ name, modifiers = {}, keys = {} }) => ({ name, modifiers, keys }))
}

/** Starts the application on a free port, with a client that checks every document. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await buildApp(options)
  const server = await app.listen(0, '127.0.0.1')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    app,
    client: createClient(url, options.onWrite ?? markDirty, conformanceTo(app, options.undescribed)),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await app.close()
    },
  }
}

let dirty = true
let shared: Promise<TestApp> | null = null
let unrestricted: Promise<TestApp> | null = null

/** Marks the demo data as changed; it is loaded again before the next test. */
export function markDirty(): void {
  dirty = true
}

export function takeDirty(): boolean {
  const was = dirty
  dirty = false
  return was
}

/** Returns the application of the project, with all plugins and all of resources/; one per process. */
export function projectApp(): Promise<TestApp> {
  shared ??= startApp()
  return shared
}

/** Returns the application of the project with policies that allow everything; one per process. */
export function unrestrictedApp(): Promise<TestApp> {
  unrestricted ??= startUnrestricted()
  return unrestricted
}

async function startUnrestricted(): Promise<TestApp> {
  const resources = await declaredResources(await discover(root))
  return startApp({ resources: resources.map(withoutRestrictions) })
}

export async function closeProjectApp(): Promise<void> {
  for (const app of [shared, unrestricted]) {
    const started = await app?.catch(() => null) // the tests that use it report why it did not start
    await started?.close()
  }
  shared = null
  unrestricted = null
}
