import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '#app/config.ts'
import type { Discovery } from '#discovery'
import type { App } from '#kernel/plugin'
import { type Database, migrate, openDatabase, pendingMigrations, StartupError } from '#store'
import { readCatalog } from './catalog.ts'
import { lossyFormats } from './lossy-formats.ts'
import { type MissingIndex, unboundedSorts, unindexedKeys, unindexedLookups } from './missing-indexes.ts'
import { missingPartialUniques } from './partial-uniques.ts'
import { loadSchema, root } from './project.ts'
import { findChanges } from './schema-changes.ts'

export interface SchemaFindings {
  /** Migrations that are not applied to the database of the project. */
  readonly pending: readonly string[]
  /** Folders whose entities differ from their migrations. */
  readonly unwritten: readonly string[]
  readonly keys: readonly MissingIndex[]
  readonly lookups: readonly MissingIndex[]
  /** Types with soft deletes whose unique values count trashed rows. */
  readonly uniques: readonly MissingIndex[]
  readonly unbounded: readonly string[]
  /** Attributes that do not show all that their column stores. */
  readonly lossy: readonly string[]
}

/** Checks the server of DATABASE_URL, or an empty database after all migrations. */
export async function checkSchema(app: App, config: Config, discovery: Discovery): Promise<SchemaFindings> {
  const schema = await loadSchema(discovery, config.disabledPlugins)
  return using(await openDatabase({ databaseUrl: null, dataDir: null, ...schema }), async (fresh) => {
    await migrate(fresh)
    const unwritten = (await findChanges(fresh.orm, discovery)).map(({ folder }) => `resources/${folder.name}`)
    if (!config.databaseUrl)
      return { pending: await pendingInFiles(config, schema), unwritten, ...(await findings(fresh)) }
    return using(await openDatabase({ ...config, ...schema }), async (server) => ({
      pending: await pendingMigrations(server),
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

/** Pending migrations of the embedded database; none if it does not exist or is in use. */
async function pendingInFiles(config: Config, schema: Awaited<ReturnType<typeof loadSchema>>): Promise<string[]> {
  if (!existsSync(join(resolve(root, config.dataDir), 'postgres', 'PG_VERSION'))) return []
  try {
    return await using(await openDatabase({ ...config, ...schema }), pendingMigrations)
  } catch (error) {
    if (error instanceof StartupError) return []
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
