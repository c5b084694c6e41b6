import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '#app/config.ts'
import type { Discovery } from '#discovery'
import type { App } from '#kernel/plugin'
import { type Database, migrate, missingColumns, openDatabase, pendingMigrations, StartupError } from '#store'
import { readCatalog } from '../support/catalog.ts'
import { lossyFormats } from '../support/lossy-formats.ts'
import { type MissingIndex, unboundedSorts, unindexedKeys, unindexedLookups } from '../support/missing-indexes.ts'
import { missingPartialUniques } from '../support/partial-uniques.ts'
import { loadSchema, root } from '../support/project.ts'
import { findChanges } from '../support/schema-changes.ts'
import { liveSections } from './live-sections.ts'
import type { Section } from './section.ts'

export interface SchemaFindings {
  /** Migrations that are not applied to the database of the project. */
  readonly pending: readonly string[]
  /** Columns and tables of entities that the database of the project lacks though its migrations have run. */
  readonly missing: readonly string[]
  /** Folders whose entities differ from their migrations. */
  readonly unwritten: readonly string[]
  readonly keys: readonly MissingIndex[]
  readonly lookups: readonly MissingIndex[]
  /** Types with soft deletes whose unique values count trashed rows. */
  readonly uniques: readonly MissingIndex[]
  readonly unbounded: readonly string[]
  /** Attributes that do not show all that their column stores. */
  readonly lossy: readonly string[]
  /** Checks of the statistics of the database of the project; null if it cannot be opened. */
  readonly live: readonly Section[] | null
}

/** Checks the server of DATABASE_URL, or an empty database after all migrations. */
export async function checkSchema(app: App, config: Config, discovery: Discovery): Promise<SchemaFindings> {
  const schema = await loadSchema(discovery, config.disabledPlugins)
  return using(await openDatabase({ databaseUrl: null, dataDir: null, ...schema }), async (fresh) => {
    await migrate(fresh)
    const unwritten = (await findChanges(fresh.orm, discovery)).map(({ folder }) => `resources/${folder.name}`)
    if (!config.databaseUrl)
      return { ...(await stateOfFiles(app, config, schema)), unwritten, ...(await findings(fresh)) }
    return using(await openDatabase({ ...config, ...schema }), async (server) => ({
      ...(await readSchemaState(app, server)),
      unwritten,
      ...(await findings(server)),
    }))
  })

  async function findings({ orm }: Database) {
    const catalog = await readCatalog(orm)
    return {
      keys: unindexedKeys(catalog),
      lookups: unindexedLookups(app, orm, catalog),
      uniques: missingPartialUniques(app, orm, catalog),
      unbounded: unboundedSorts(app, orm, catalog),
      lossy: lossyFormats(app, orm),
    }
  }
}

type Schema = Awaited<ReturnType<typeof loadSchema>>
type SchemaState = Pick<SchemaFindings, 'pending' | 'missing' | 'live'>

/** Missing columns are compared only after all migrations: a pending one may create them. */
async function readSchemaState(app: App, database: Database): Promise<SchemaState> {
  const pending = await pendingMigrations(database)
  const missing = pending.length > 0 ? [] : await missingColumns(database)
  return { pending, missing, live: await liveSections(app, database) }
}

/** The state of the embedded database; no differences if it does not exist or is in use. */
async function stateOfFiles(app: App, config: Config, schema: Schema): Promise<SchemaState> {
  const unknown = { pending: [], missing: [], live: null }
  if (!existsSync(join(resolve(root, config.dataDir), 'postgres', 'PG_VERSION'))) return unknown
  try {
    return await using(await openDatabase({ ...config, ...schema }), (database) => readSchemaState(app, database))
  } catch (error) {
    if (error instanceof StartupError) return unknown
    throw error
  }
}

async function using<T>(database: Database, work: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
