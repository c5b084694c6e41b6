import { resolve } from 'node:path'
import { discover, loadEntities, loadMigrations, loadSeeds } from '#app/discovery/discovery.ts'
import { plugins } from '#app/plugins.ts'
import { openDatabase } from '#store/connection/open.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { Database, DatabaseOptions } from '#store/connection/types.ts'
import { migrate } from '#store/data/migrate.ts'
import { type Seed, seed } from '#store/data/seed.ts'
import { isDeadlock } from '#store/errors/sql-errors.ts'

const discovery = await discover(resolve(import.meta.dirname, '../..'))
let shared: Promise<Database> | null = null
const open = new Set<TestDatabase>()
let databaseCount = 0
const prefix = `jsonapi_test_${process.env.TEST_RUN}_`

/** The settings of `npm run test:pooler` for the server of DATABASE_URL. */
const pooler = process.env.DATABASE_POOLER
  ? ({ databasePooler: 'transaction', databaseLimits: { ...defaultLimits, prepared: 0 } } as const)
  : {}

/** Returns a database with the schema of the project, without rows; one per process, in memory or on DATABASE_URL. */
export function testDatabase(): Promise<Database> {
  shared ??= openProject()
  return shared
}

/** Replaces all rows with the demo data. */
export async function resetTestDatabase(): Promise<void> {
  const [database, seeds] = [await testDatabase(), await loadSeeds<Seed>(discovery)]
  await seed(database, seeds).catch((error) => {
    // A job of the test before may still write: its transaction ends, because the deadlock has cancelled this one.
    if (!isDeadlock(error)) throw error
    return seed(database, seeds)
  })
}

/** Closes all databases, also those that a failed test left open: they would keep the process alive. */
export async function closeTestDatabase(): Promise<void> {
  await shared?.catch(() => null)
  shared = null
  for (const database of open) await database.close()
}

export interface TestDatabase extends Database {
  /** Null for a database in memory. */
  readonly databaseUrl: string | null
}

type Schema = Pick<DatabaseOptions, 'entities' | 'migrations' | 'pglite'>

/** Opens an empty database for the entities and migrations; on a server it is dropped when it is closed. */
export async function openTestDatabase(schema: Schema): Promise<TestDatabase> {
  const serverUrl = process.env.DATABASE_URL
  if (!serverUrl) {
    return tracked({ ...(await openDatabase({ databaseUrl: null, dataDir: null, ...schema })), databaseUrl: null })
  }
  const name = `${prefix}${process.pid}_${++databaseCount}`
  await administer(serverUrl, `drop database if exists ${name} with (force)`, `create database ${name}`)
  const databaseUrl = withDatabase(serverUrl, name)
  const database = await openDatabase({ databaseUrl, dataDir: null, ...pooler, ...schema })
  const close = async () => {
    await database.close()
    await administer(serverUrl, `drop database if exists ${name} with (force)`)
  }
  return tracked({ ...database, close, databaseUrl })
}

/** Keeps the database in the list of open ones until it is closed. */
function tracked(database: TestDatabase): TestDatabase {
  const close = () => {
    open.delete(opened)
    return database.close()
  }
  const opened = { ...database, close }
  open.add(opened)
  return opened
}

export async function projectSchema(): Promise<Schema> {
  return { entities: await loadEntities(discovery), migrations: await loadMigrations(discovery, plugins) }
}

async function openProject(): Promise<Database> {
  const database = await openTestDatabase(await projectSchema())
  await migrate(database)
  return database
}

/** Drops the databases that the processes of this run left on the server. */
export async function dropTestDatabases(): Promise<void> {
  const serverUrl = process.env.DATABASE_URL
  if (!serverUrl) return
  const server = await openForAdministration(serverUrl)
  const connection = server.orm.em.getConnection()
  const databases = await connection.execute('select datname as name from pg_database where datname like ?', [
    `${prefix}%`,
  ])
  for (const { name } of databases) await connection.execute(`drop database if exists ${name} with (force)`)
  await server.close()
}

async function administer(databaseUrl: string, ...statements: readonly string[]): Promise<void> {
  const server = await openForAdministration(databaseUrl)
  for (const statement of statements) await server.orm.em.getConnection().execute(statement)
  await server.close()
}

/** Opens the server with a long statement time-out, because creating and dropping databases is slow on a busy server. */
function openForAdministration(databaseUrl: string): Promise<Database> {
  const databaseLimits = { ...defaultLimits, statement: 120 }
  return openDatabase({ databaseUrl, dataDir: null, entities: [], migrations: [], databaseLimits })
}

function withDatabase(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  return url.href
}
