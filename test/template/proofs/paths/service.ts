import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { plugins } from '#app/plugins.ts'
import { servers } from '#app/servers.ts'
import { createHttp } from '#http'
import type { App } from '#kernel/plugin'
import { programMembers } from '#program'
import { createStore, type Database, type DatabaseOptions, openDatabase } from '#store'
import { readTables } from '#test/support/batch.ts'
import { createSender, type Send } from '#test/template/proofs/fuzz/send.ts'
import { startService } from '#test/template/support/service.ts'
import { project, type Subject } from './subjects.ts'

/** The application on one of the paths that must return the same responses. */
export interface PathService {
  readonly name: string
  readonly url: string
  readonly send: Send
  /** Restores the rows of the seeds. */
  reset(): Promise<void>
  /** Returns all rows of all tables, one text each. */
  rows(): Promise<string[]>
  close(): Promise<void>
}

export interface AppPathOptions extends Pick<Partial<DatabaseOptions>, 'databasePooler' | 'databaseLimits'> {
  readonly name: string
  readonly subject: Subject
  /** Null opens the embedded database. */
  readonly databaseUrl: string | null
}

const environment = { NODE_ENV: 'test' }

/** Starts an application in this process. */
export async function openAppPath(options: AppPathOptions): Promise<PathService & { readonly app: App }> {
  const { name, subject, ...databaseOptions } = options
  const database = await openDatabase({ ...databaseOptions, dataDir: null, ...(await subject.schema()) })
  await subject.createTables(database)
  const config = readConfig(environment, pluginVariables(plugins, {}))
  const app = await createApp({
    http: createHttp,
    members: programMembers,
    config: appConfig(config),
    plugins,
    resources: await subject.resources(),
    servers: servers(config),
    store: createStore(database),
  })
  const server = await app.listen(0, '127.0.0.1')
  const { port } = server.address() as AddressInfo
  const { send, close } = createSender(port)
  return {
    app,
    name,
    url: `http://127.0.0.1:${port}`,
    send,
    ...rowsIn(database, subject),
    async close() {
      close()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await app.close()
      await database.close()
    },
  }
}

/** Starts the application of the project in two worker processes; each request uses a connection of its own, so that either serves it. */
export async function openWorkersPath(name: string, databaseUrl: string): Promise<PathService> {
  const service = await startService({
    ...environment,
    DATABASE_URL: databaseUrl,
    WORKERS: '2',
    STOP_DELAY_SECONDS: '0',
  })
  const database = await openDatabase({ databaseUrl, dataDir: null, ...(await project.schema()) })
  const { url } = service.client
  const { send, close } = createSender(Number(new URL(url).port), { keepAlive: false })
  return {
    name,
    url,
    send,
    ...rowsIn(database, project),
    async close() {
      close()
      await service.kill('SIGTERM')
      await database.close()
    },
  }
}

function rowsIn(database: Database, subject: Subject): Pick<PathService, 'reset' | 'rows'> {
  return {
    reset: () => subject.reset(database),
    async rows() {
      const tables = Object.entries(await readTables(database))
      return tables.flatMap(([table, rows]) => rows.map((row) => `${table} ${JSON.stringify(row)}`))
    },
  }
}

/** Creates an empty database on the server and returns its URL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(`drop database if exists ${name} with (force)`)
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
}
