import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { discover, loadSeeds } from '#discovery'
import { migrate, type Seed, seed } from '#store'
import { root } from './app.ts'
import { openTestDatabase, projectSchema } from './database.ts'

/** Where a service under test keeps its rows: they are there when it runs again. */
export interface LastingDatabase {
  readonly env: Record<string, string>
  close(): Promise<void>
}

/** The demo data in a directory, or on the server of DATABASE_URL. */
export async function openLastingDatabase(): Promise<LastingDatabase> {
  if (!process.env.DATABASE_URL) {
    const dataDir = mkdtempSync(join(tmpdir(), 'lasting-'))
    return { env: { DATA_DIR: dataDir }, close: async () => rmSync(dataDir, { recursive: true, force: true }) }
  }
  const database = await openTestDatabase(await projectSchema())
  await migrate(database)
  await seed(database, await loadSeeds<Seed>(await discover(root)))
  return { env: { DATABASE_URL: database.databaseUrl as string }, close: () => database.close() }
}
