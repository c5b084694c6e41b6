import type { Database, DatabaseOptions } from './types.ts'

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const database = await open(options)
  Object.assign(database.orm.em.getPlatform(), { marshallArray })
  return database
}

/** Every item in quotes: without them, as MikroORM has it, `NULL` is no text and blanks around an item are lost. */
function marshallArray(items: readonly unknown[]): string {
  const quoted = (item: unknown) => (item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`)
  return `{${items.map(quoted).join(',')}}`
}

async function open(options: DatabaseOptions): Promise<Database> {
  if (options.databaseUrl) {
    const { openServer } = await import('./server.ts')
    return openServer(options, options.databaseUrl)
  }
  const { openEmbedded } = await import('./embedded.ts')
  return openEmbedded(options)
}
