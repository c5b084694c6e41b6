import { type Discovery, loadSeeds } from '#discovery'
import type { Database } from '../connection/types.ts'
import { migrate } from './migrate.ts'
import { type Seed, seed } from './seed.ts'

export interface Preparation {
  readonly migrated: readonly string[]
  readonly seeded: boolean
}

/** Runs pending migrations and seeds a new embedded database with the demo data. */
export async function prepareDatabase(database: Database, discovery: Discovery): Promise<Preparation> {
  const isNew = database.kind === 'embedded' && (await database.orm.migrator.getExecuted()).length === 0
  const migrated = await migrate(database)
  const seeds = isNew ? await loadSeeds<Seed>(discovery) : []
  if (seeds.length > 0) await seed(database, seeds)
  return { migrated, seeded: seeds.length > 0 }
}
