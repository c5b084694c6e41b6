import { plugins } from '#app/plugins.ts'
import { loadMigrations } from '#discovery'
import { type Database, type DatabaseOptions, migrate } from '#store'
import { startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import { deleteRows, openTestDatabase, vacuum } from '#test/support/database.ts'
import { Box, BoxItem } from './boxes.ts'
import { Card, CardMark, Deck } from './cards.ts'
import { Book, Label, Shelf, Tag } from './entities.ts'
import { ListEntry, ReadingList } from './lists.ts'
import { Loan } from './loans.ts'
import { Leaflet, Magazine, Publication, Weekly } from './publications.ts'
import { libraryResources } from './resources.ts'
import { Sample, Specimen } from './specimens.ts'

/** The tables of the library, and the join tables. */
export const libraryTables: readonly string[] = [
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
  'decks',
  'cards',
  'card_tags',
  'card_marks',
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
  Leaflet,
  ReadingList,
  ListEntry,
  Box,
  BoxItem,
  Deck,
  Card,
  CardMark,
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
  await emptyLibraryTables(await libraryDatabase())
}

/** Deletes all rows and restarts the sequences. */
export async function emptyLibraryTables({ orm }: Database): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    await deleteRows(em, libraryTables)
    await em.execute(restart)
  })
  await vacuum(orm.em.fork(), libraryTables)
}

const restart = `select setval(oid, 1, false) from pg_class
  where relkind = 'S' and relname in (${libraryTables.map((table) => `'${table}_id_seq'`).join(', ')})`

/** Empties the library if it was opened. */
export async function clearLibrary(): Promise<void> {
  if (database) await emptyLibrary()
}

export async function closeLibrary(): Promise<void> {
  await (await database)?.close()
  database = null
}

/** Creates the tables of the library in a database that was opened with its schema. */
export async function createLibraryTables(library: Database): Promise<void> {
  await library.orm.schema.create()
  await migrate(library)
}

export async function librarySchema(): Promise<Pick<DatabaseOptions, 'entities' | 'migrations'>> {
  return { entities: libraryEntities, migrations: await loadMigrations({ root: '', folders: [] }, plugins) }
}

async function openLibrary(): Promise<Database> {
  const library = await openTestDatabase(await librarySchema(), { isKept: true })
  await createLibraryTables(library)
  return library
}
