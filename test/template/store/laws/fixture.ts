import { plugins } from '#app/plugins.ts'
import { type Context, compare, defineResource, type Relation, type ResourceType } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import { memoryStore } from '#memory'
import type { TestApp } from '#test/support/app.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'
import { scopeSteps } from '#test/template/support/type-steps.ts'

export const january = new Date('2024-01-01T00:00:00Z')
export const tagId = (number: number) => `00000000-0000-4000-8000-00000000000${number}`

/** The storage of the rows of an application. */
export type Storage = 'store' | 'memory'

/** An application with the same declarations and rows for each storage. */
export interface Fixture extends TestApp {
  type(name: string): ResourceType
  relation(type: string, name: string): Relation
  /** Runs the work inside a read operation. */
  inContext<Result>(work: (context: Context) => Promise<Result>): Promise<Result>
  /** Hides the shelf 'Empty' from the requester while the work runs. */
  hidingEmpty<Result>(work: () => Promise<Result>): Promise<Result>
  /** Makes every write fail after its rows are saved while the work runs. */
  failingWrites<Result>(work: () => Promise<Result>): Promise<Result>
}

const shelves = [
  { id: 1, name: 'North', books: [1, 2] },
  { id: 2, name: 'South', books: [3, 4] },
  { id: 3, name: 'Empty', books: [] },
]
const books = [
  { id: 1, title: 'The first', position: 1, rating: 2, printedAt: january, shelf: 1, tags: [tagId(1), tagId(2)] },
  { id: 2, title: 'Second best? Best', position: 2, rating: 3.5, shelf: 1, tags: [] },
  { id: 3, title: 'L’ÉTOILE', position: 3, rating: 5, shelf: 2, tags: [tagId(1)] },
  { id: 4, title: '100% Words', position: 3, shelf: 2, tags: [] },
  { id: 5, title: 'a\\b_c', position: 5, tags: [] },
]
const tags = [
  { id: tagId(1), name: 'old' },
  { id: tagId(2), name: 'new' },
]
const entries = [
  { book: 1, place: 2, note: null },
  { book: 3, place: 1, note: 'blue' },
  { book: 2, place: 3, note: 'red' },
]

export async function startFixture(storage: Storage): Promise<Fixture> {
  await fillTables()
  let work: ((context: Context) => Promise<unknown>) | null = null
  let result: unknown
  let isHiding = false
  let isFailing = false
  const probe: Plugin = {
    name: 'probe',
    ...scopeSteps('addressed', () => (isHiding ? compare('name', '!=', 'Empty') : undefined), ['shelves']),
    plan: addSteps({
      async afterOperation({ context }) {
        if (work) result = await work(context)
        return undefined
      },
      afterSave() {
        if (isFailing) throw new Error('The write fails.')
      },
    }),
  }
  const library = await startLibrary({ resources: resourcesIn(storage), plugins: [...plugins, probe] })
  const type = (name: string) => library.app.registry.types.get(name) as ResourceType
  return {
    ...library,
    type,
    relation: (owner, name) => type(owner).fields.get(name) as Relation,
    async inContext<Result>(given: (context: Context) => Promise<Result>) {
      work = given
      try {
        const { status, body } = await library.client.get('/shelves/1')
        if (status !== 200) throw new Error(JSON.stringify(body))
        return result as Result
      } finally {
        work = null
      }
    },
    async hidingEmpty(given) {
      isHiding = true
      try {
        return await given()
      } finally {
        isHiding = false
      }
    },
    async failingWrites(given) {
      isFailing = true
      try {
        return await given()
      } finally {
        isFailing = false
      }
    },
  }
}

function resourcesIn(storage: Storage) {
  const kept = (rows: readonly object[]) => (storage === 'memory' ? memoryStore(rows) : {})
  return declared(
    defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string, hasMany }) => [
        id(),
        string('name').required(),
        hasMany('books', 'books').withoutPagination(),
      ],
      ...kept(shelves),
    }),
    defineResource(Book, {
      type: 'books',
      fields: ({ id, string, integer, decimal, dateTime, belongsTo, belongsToMany }) => [
        id(),
        string('title').required(),
        integer('position'),
        decimal('rating').nullable(),
        dateTime('printedAt').nullable(),
        belongsTo('shelf', 'shelves'),
        belongsToMany('tags', 'tags').withoutPagination(),
      ],
      ...kept(books),
    }),
    defineResource(Tag, {
      type: 'tags',
      fields: ({ id, string }) => [id().allowClientId(), string('name').required()],
      ...kept(tags),
    }),
    defineResource(ReadingList, {
      type: 'lists',
      fields: ({ id, string, belongsToMany }) => [
        id(),
        string('name').required(),
        belongsToMany('books', 'books')
          .through(ListEntry)
          .fields(({ integer, string }) => [integer('place'), string('note').nullable()])
          .withoutPagination(),
      ],
      ...kept([{ id: 1, name: 'Summer', books: entries.map(({ book, ...pivot }) => ({ key: book, pivot })) }]),
    }),
  )
}

async function fillTables(): Promise<void> {
  await emptyLibrary()
  const em = (await libraryDatabase()).orm.em.fork()
  await em.insertMany(
    Shelf,
    shelves.map(({ id, name }) => ({ id, name })),
  )
  await em.insertMany(
    Book,
    books.map(({ tags: _, ...book }) => book),
  )
  await em.insertMany(Tag, tags)
  const pairs = books.flatMap(({ id, tags }) => tags.map((tag) => `(${id}, '${tag}')`))
  await em.execute(`insert into book_tags (book_id, tag_id) values ${pairs.join(', ')}`)
  await em.insert(ReadingList, { id: 1, name: 'Summer' })
  await em.insertMany(
    ListEntry,
    entries.map((entry) => ({ list: 1, ...entry })),
  )
  for (const table of ['shelves', 'books', 'reading_lists']) {
    await em.execute(`select setval(pg_get_serial_sequence('${table}', 'id'), 100)`)
  }
}
