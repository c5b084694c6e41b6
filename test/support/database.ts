import { resolve } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { discover, loadEntities, loadMigrations, loadSeeds } from '#app/discovery/discovery.ts'
import { plugins } from '#app/plugins.ts'
import { embeddedClient } from '#store/connection/entity-manager.ts'
import { openDatabase } from '#store/connection/open.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { Database, DatabaseOptions } from '#store/connection/types.ts'
import { isDeadlock } from '#store/errors/sql-state.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { runSeeds, type Seed } from '#store/migrations/seed.ts'
import { tableNames } from '#store/migrations/tables.ts'
import { quoteIdentifier } from '#store/sql/columns/column-sql.ts'

const discovery = await discover(resolve(import.meta.dirname, '../..'))
let shared: Promise<Database> | null = null
const open = new Set<TestDatabase>()
let databaseCount = 0
const prefix = `jsonapi_test_${process.env.TEST_RUN}_`

/** Many parallel statements of a test wait longer for a connection on a busy machine than requests of a service should. */
const limits = { ...defaultLimits, wait: 120 }

/** The settings of DATABASE_URL. */
const settings = process.env.DATABASE_POOLER
  ? ({ databasePooler: 'transaction', databaseLimits: { ...limits, prepared: 0 } } as const)
  : { databaseLimits: limits }

/** Returns a database with the schema of the project, without rows; one per process, in memory or on DATABASE_URL. */
export function testDatabase(): Promise<Database> {
  shared ??= openProject()
  return shared
}

/** Replaces all rows with the demo data. */
export async function resetTestDatabase(): Promise<void> {
  const [{ orm }, seeds] = [await testDatabase(), await loadSeeds<Seed>(discovery)]
  const tables = tableNames(orm.em)
  const reset = () =>
    orm.em.fork().transactional(async (em) => {
      await deleteRows(em, tables)
      await runSeeds(em, seeds)
    })
  await reset().catch((error) => {
    // A job of the test before may still write: its transaction ends, because the deadlock has cancelled this one.
    if (!isDeadlock(error)) throw error
    return reset()
  })
  await vacuum(orm.em.fork(), tables)
}

/** Deletes all rows of tables that refer to each other: `truncate` creates a file per table and index, and takes longer. */
export async function deleteRows(em: SqlEntityManager, tables: readonly string[]): Promise<void> {
  const names = tables.map(quoteIdentifier)
  if (names.length === 0) return
  await em.execute(`lock table ${names.join(', ')}`) // waits for writes of requests that were cancelled
  const deletions = names.map((name, index) => `deletion_${index} as (delete from ${name})`)
  await em.execute(`with ${deletions.join(', ')} select 1`)
}

const deletionCounts = new Map<string, number>()

/** Deleted rows make all statements slower, and the lock cancels the autovacuum: every hundredth call removes them. */
export async function vacuum(em: SqlEntityManager, tables: readonly string[]): Promise<void> {
  const names = tables.map(quoteIdentifier).join(', ')
  const count = (deletionCounts.get(names) ?? 0) + 1
  deletionCounts.set(names, count)
  if (count % 100 === 0 && names !== '') await em.execute(`vacuum ${names}`)
}

/** Closes all databases, also those that a failed test left open: they would keep the process alive. */
export async function closeTestDatabase(): Promise<void> {
  await shared?.catch(() => null)
  shared = null
  sharedPglite = null
  for (const database of open) await database.close()
}

export interface TestDatabase extends Database {
  /** Null for a database in memory. */
  readonly databaseUrl: string | null
}

type Schema = Pick<DatabaseOptions, 'entities' | 'migrations'>

/**
 * Opens an empty database for the entities and migrations; on a server it is dropped when it is closed. `isKept`: it stays
 * open, so that it does not occupy the PGlite that others use one after the other.
 */
export async function openTestDatabase(schema: Schema, { isKept = false } = {}): Promise<TestDatabase> {
  const serverUrl = process.env.DATABASE_URL
  if (!serverUrl) return isKept || isPgliteInUse ? openEmbedded(schema) : openOnSharedPglite(schema)
  const name = `${prefix}${process.pid}_${++databaseCount}`
  await administer(serverUrl, `drop database if exists ${name} with (force)`, `create database ${name}`)
  const databaseUrl = withDatabase(serverUrl, name)
  const database = await openDatabase({ databaseUrl, dataDir: null, ...settings, ...schema })
  const close = async () => {
    await database.close()
    await administer(serverUrl, `drop database if exists ${name} with (force)`)
  }
  return tracked({ ...database, close, databaseUrl })
}

/** Drops the schemas of the database before; plugins have some besides `public`. */
const dropSchemas = `do $$ declare name text; begin
  for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
    execute format('drop schema %I cascade', name);
  end loop;
end $$`

let sharedPglite: Promise<PGlite> | null = null
let isPgliteInUse = false

/** Databases that are open one after the other share one PGlite, because opening one takes a second of CPU time. */
async function openOnSharedPglite(schema: Schema): Promise<TestDatabase> {
  isPgliteInUse = true
  sharedPglite ??= openEmbedded({ entities: [], migrations: [] }).then(({ orm }) => embeddedClient(orm))
  const pglite = await sharedPglite
  await pglite.exec(`${dropSchemas}; create schema public`)
  await pglite.exec('discard all')
  const database = await openEmbedded({ ...schema, pglite })
  const close = async () => {
    await database.close()
    isPgliteInUse = false
  }
  return { ...database, close }
}

async function openEmbedded(schema: Schema & Pick<DatabaseOptions, 'pglite'>): Promise<TestDatabase> {
  const database = await openDatabase({ databaseUrl: null, dataDir: null, databaseLimits: limits, ...schema })
  return tracked({ ...database, databaseUrl: null })
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
  const database = await openTestDatabase(await projectSchema(), { isKept: true })
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
  const databaseLimits = { ...limits, statement: 120 }
  return openDatabase({ databaseUrl, dataDir: null, entities: [], migrations: [], databaseLimits })
}

function withDatabase(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  return url.href
}
