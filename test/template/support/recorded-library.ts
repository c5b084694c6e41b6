import { plugins } from '#app/plugins.ts'
import { loadMigrations } from '#discovery'
import { defineResource } from '#kernel'
import type { App, Plugin } from '#kernel/plugin'
import { type ChangeListener, changeLog, deliverChanges, horizonOf } from '#plugins/change-log/index.ts'
import type { Database } from '#store'
import { startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { createLibraryTables, libraryEntities } from '#test/template/support/library/index.ts'

// The library with a change log: shelves, books and tags are recorded, labels are not.

/** Called with the changes of books. */
export const onBookChange: { listener: ChangeListener } = { listener: () => {} }

export const recordedShelves = defineResource(Shelf, {
  type: 'shelves',
  changes: true,
  history: true,
  fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books')],
})
export const recordedBooks = defineResource(Book, {
  type: 'books',
  changes: true,
  softDeletes: { property: 'removedAt' },
  onChange: (change, tools) => onBookChange.listener(change, tools),
  fields: ({ id, string, integer, belongsTo, belongsToMany }) => [
    id(),
    string('title').required(),
    integer('position'),
    string('secret').nullable().hidden(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags'),
  ],
})
export const recordedTags = defineResource(Tag, {
  type: 'tags',
  changes: true,
  fields: ({ id, string, belongsToMany }) => [
    id().allowClientId(),
    string('name').required(),
    belongsToMany('books', 'books'),
  ],
})
export const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string }) => [id(), string('text')],
})

/** The plugins of the project with the change log and others above the authentication. */
export function withPlugins(...others: readonly Plugin[]): readonly Plugin[] {
  const added = [changeLog(), ...others]
  const listed = plugins.filter((plugin) => !added.some(({ name }) => name === plugin.name))
  const index = listed.findIndex(({ name }) => name === 'responses')
  return [...listed.slice(0, index), ...added, ...listed.slice(index)]
}

export async function openRecordedLibrary(listed = withPlugins()): Promise<Database> {
  const migrations = await loadMigrations({ root: '', folders: [] }, listed)
  const database = await openTestDatabase({ entities: libraryEntities, migrations })
  await createLibraryTables(database)
  return database
}

export function startRecordedLibrary(database: Database, options: TestAppOptions = {}): Promise<TestApp> {
  const resources = [recordedShelves, recordedBooks, recordedTags, labels]
  return startApp({
    plugins: withPlugins(),
    resources: resources.map((resource) => ({ file: 'recorded-library.ts', resource })),
    database,
    onWrite: () => {},
    ...options,
  })
}

/** Delivers all committed changes. */
export async function deliverCommitted(app: App): Promise<void> {
  await readCommitted(app)
  await deliverChanges(app)
}

/**
 * Makes the pauses after failed attempts an hour longer: those of a second would end while a test runs on a slow machine. A test
 * ends them by setting `due_at` to the current time.
 */
export async function lengthenPauses({ store }: App): Promise<void> {
  await store.query(`create function lengthen_pause() returns trigger language plpgsql as
    'begin new.due_at := new.due_at + interval ''1 hour''; return new; end'`)
  await store.query(`create trigger lengthen_pause before update of due_at on change_deliveries
    for each row when (old.claimed_until is not null) execute function lengthen_pause()`)
}

/** Waits until the log can be read up to the last change. Transactions of other tests on the same server delay it. */
export async function readCommitted(app: App): Promise<void> {
  const [last] = await app.store.query('select coalesce(max(sequence), 0)::text as sequence from change_log')
  const sequence = BigInt(last?.sequence as string)
  await eventually(async () => (await horizonOf(app).advance()) >= sequence)
}
