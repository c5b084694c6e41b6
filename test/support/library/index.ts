import { plugins } from '#app/plugins.ts'
import { loadMigrations } from '#discovery'
import { type Database, migrate } from '#store'
import { startApp, type TestApp, type TestAppOptions } from '../app.ts'
import { openTestDatabase } from '../database.ts'
import { Box, BoxItem } from './boxes.ts'
import { Book, Label, Shelf, Tag } from './entities.ts'
import { ListEntry, ReadingList } from './lists.ts'
import { Loan } from './loans.ts'
import { Magazine, Publication, Weekly } from './publications.ts'
import { libraryResources } from './resources.ts'
import { Sample, Specimen } from './specimens.ts'

const tables = [
  'shelves',
  'books',
  'tags',
  'book_tags',
  'labels',
  'loans',
  'specimens',
  'samples',
  'publications',
  'reading_lists',
  'list_entries',
  'boxes',
  'box_items',
]
/** The entities of the library. */
export const libraryEntities: readonly object[] = [
  Shelf,
  Book,
  Tag,
  Label,
  Loan,
  Specimen,
  Sample,
  Publication,
  Magazine,
  Weekly,
  ReadingList,
  ListEntry,
  Box,
  BoxItem,
]
let database: Promise<Database> | null = null

/** Returns the database of the library: tables created from the entities, without rows. */
export function libraryDatabase(): Promise<Database> {
  database ??= openLibrary()
  return database
}

/** Starts an application over the library; the caller closes it. */
export async function startLibrary(options: TestAppOptions = {}): Promise<TestApp> {
  return startApp({ resources: libraryResources, database: await libraryDatabase(), onWrite: () => {}, ...options })
}

export async function emptyLibrary(): Promise<void> {
  const { orm } = await libraryDatabase()
  await orm.em.getConnection().execute(`truncate ${tables.join(', ')} restart identity cascade`)
}

/** Empties the library if it was opened. */
export async function clearLibrary(): Promise<void> {
  if (database) await emptyLibrary()
}

export async function closeLibrary(): Promise<void> {
  await (await database)?.close()
  database = null
}

async function openLibrary(): Promise<Database> {
  const library = await openTestDatabase({
    entities: libraryEntities,
    migrations: await loadMigrations({ folders: [] }, plugins),
  })
  await library.orm.schema.create()
  await migrate(library)
  return library
}
