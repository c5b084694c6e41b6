import type { Database, DatabaseOptions } from './types.ts'

/** Opens the PostgreSQL server of `databaseUrl`, or the embedded database. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.databaseUrl) {
    const { openServer } = await import('./open-server.ts')
    return openServer(options, options.databaseUrl)
  }
  const { openEmbedded } = await import('#embedded')
  return openEmbedded(options)
}
