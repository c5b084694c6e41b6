import { type Discovery, loadSeeds } from '#discovery'
import type { Database } from '../connection/types.ts'
import { inTransaction } from '../transaction/begin.ts'
import { createTable, migrate, runPending } from './migrate.ts'
import { executedMigrations } from './migration-status.ts'
import { missingColumns } from './missing-columns.ts'
import { loadSeed, type Seed } from './seed.ts'

export interface Preparation {
  readonly migrated: readonly string[]
  readonly seeded: boolean
  /** Columns and tables of entities that the database lacks after the migrations. */
  readonly missing: readonly string[]
}

/** Runs pending migrations, seeds a new embedded database with the demo data, and compares the columns of entities. */
export async function prepareDatabase(database: Database, discovery: Discovery): Promise<Preparation> {
  const prepared = await migrateAndSeed(database, discovery)
  return { ...prepared, missing: await missingColumns(database) }
}

async function migrateAndSeed(database: Database, discovery: Discovery): Promise<Omit<Preparation, 'missing'>> {
  const { orm, kind } = database
  const isNew = kind === 'embedded' && (await executedMigrations(database)).length === 0
  const seeds = isNew ? await loadSeeds<Seed>(discovery) : []
  if (seeds.length === 0) return { migrated: await migrate(database), seeded: false }
  await createTable(database)
  // One transaction: a process that is killed before the seed is loaded finds a new database at its next start.
  const migrated = await inTransaction(orm.em.fork(), async (em) => {
    const names = await runPending(database, em.getTransactionContext())
    await loadSeed(em, seeds, { demo: true })
    return names
  })
  return { migrated, seeded: true }
}
