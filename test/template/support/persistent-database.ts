import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { discover, loadSeeds } from '#discovery'
import { migrate, type Seed, seed } from '#store'
import { root } from '#test/support/app.ts'
import { openTestDatabase, projectSchema } from '#test/support/database.ts'

/** A database for a service process that keeps its rows when the service restarts. */
export interface PersistentDatabase {
  readonly env: Record<string, string>
  close(): Promise<void>
}

/** Opens the demo data in a directory, or on the server of DATABASE_URL. */
export async function openPersistentDatabase(): Promise<PersistentDatabase> {
  if (!process.env.DATABASE_URL) {
    const dataDir = mkdtempSync(join(tmpdir(), 'lasting-'))
    return { env: { DATA_DIR: dataDir }, close: async () => rmSync(dataDir, { recursive: true, force: true }) }
  }
  const database = await openTestDatabase(await projectSchema())
  await migrate(database)
  await seed(database, await loadSeeds<Seed>(await discover(root)))
  return { env: { DATABASE_URL: database.databaseUrl as string }, close: () => database.close() }
}
