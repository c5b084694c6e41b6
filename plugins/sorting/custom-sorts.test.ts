import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { cursor, cursorProfileUri, menu, page } from '#plugins/pagination/index.ts'
import { buildApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { type DeclaredSort, type SortHandler, sorting } from './index.ts'

/** Sorts by position, and within a position by title in the opposite direction. */
const byPlace: SortHandler<'position' | 'title'> = (descending) => [
  { property: 'position', descending },
  { property: 'title', descending: !descending },
]

describe('Custom sorts', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (overrides: Overrides = {}, options: TestAppOptions = {}) => {
    const library = await startLibrary({ resources: declare(overrides), ...options })
    started.push(library)
    client = library.client
  }
  const order = async (path: string) => readIds(await client.get(path))

  before(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    const em = orm.em.fork()
    await em.insertMany(Shelf, [{ id: 1, name: 'Fiction' }])
    await em.insertMany(Book, [
      { id: 1, title: 'a', position: 2, shelf: 1, rating: 3 },
      { id: 2, title: 'b', position: 1, shelf: 1, rating: 1 },
      { id: 3, title: 'c', position: 1, shelf: 1, rating: 2 },
      { id: 4, title: 'd', position: 2, shelf: 1 },
    ])
  })
  afterEach(async () => {
    for (const library of started.splice(0)) await library.close()
  })
  after(emptyLibrary)

  describe('handler', () => {
    it('sorts by the columns that the handler returns for the requested direction', async () => {
      await start({ sorts: { place: { handler: byPlace } } })
      expect(await order('/books?sort=place')).to.deep.equal(['3', '2', '4', '1'])
      expect(await order('/books?sort=-place')).to.deep.equal(['1', '4', '2', '3'])
      const statements = await statementsOf(() => client.get('/books?sort=-place'))
      expect(statements[0]?.sql).to.match(/order by t0\."position" desc, t0\."title", t0\."id" limit/)
    })

    it('is found by its name in sorting({ handlers })', async () => {
      const list = plugins.map((plugin) =>
        plugin.name === 'sorting' ? sorting({ handlers: { byPlace: byPlace as SortHandler } }) : plugin,
      )
      await start({ sorts: { place: { handler: 'byPlace' } } }, { plugins: list })
      expect(await order('/books?sort=place')).to.deep.equal(['3', '2', '4', '1'])
    })

    it('can be the default sort, and overrides the sort of a field', async () => {
      await start({ sorts: { title: { handler: byPlace } }, defaultSort: ['-title'] })
      expect(await order('/books')).to.deep.equal(['1', '4', '2', '3'])
    })

    it('returns 400 SORTING_UNSUPPORTED with the error type of the profile for a custom sort with cursor pagination', async () => {
      await start({ sorts: { place: { handler: byPlace } }, pagination: () => menu(page(), cursor()) })
      const refused = await client.get('/books?sort=place&page[kind]=cursor')
      expectSortError(refused, 'SORTING_UNSUPPORTED')
      expect(refused.body.errors[0].links).to.deep.equal({ type: `${cursorProfileUri}unsupported-sort` })
      expect(await order('/books?sort=place')).to.deep.equal(['3', '2', '4', '1'])
    })
  })

  it('returns 400 SORTING_UNRECOGNIZED, without naming the key as sortable, when availableWhen returns false', async () => {
    const availableWhen: DeclaredSort<Book>['availableWhen'] = ({ header }) => header('x-staff') === 'yes'
    await start({ sorts: { stars: { property: 'rating', availableWhen }, place: { handler: byPlace, availableWhen } } })
    for (const key of ['stars', 'place']) {
      const refused = await client.get(`/books?sort=-${key}`)
      expectSortError(refused, 'SORTING_UNRECOGNIZED')
      expect(refused.body.errors[0].detail).to.match(/Sortable: title\.$/)
      expect((await client.get(`/books?sort=-${key}`, { 'x-staff': 'yes' })).status).to.equal(200)
    }
    expect(readIds(await client.get('/books?sort=stars', { 'x-staff': 'yes' }))).to.deep.equal(['2', '3', '1', '4'])
  })

  describe('withSorts() of a relation', () => {
    it('adds to the sorts of the related type and overrides them, at the related URL and in linkage', async () => {
      await start()
      expect(await order('/shelves/1/books?sort=title')).to.deep.equal(['1', '2', '3', '4'])
      expect(await order('/shelves/1/books?sort=stars')).to.deep.equal(['2', '3', '1', '4'])
      expect(await order('/shelves/1/ranked?sort=title')).to.deep.equal(['2', '3', '1', '4'])
      expect(await order('/shelves/1/ranked?sort=place')).to.deep.equal(['3', '2', '4', '1'])
      expect(await order('/shelves/1/relationships/books?sort=-stars')).to.deep.equal(['4', '1', '3', '2'])
    })

    it('returns 400 for the keys at other URLs', async () => {
      await start()
      expectSortError(await client.get('/books?sort=stars'), 'SORTING_UNRECOGNIZED')
      expectSortError(await client.get('/shelves/1/ranked?sort=stars'), 'SORTING_UNRECOGNIZED')
    })
  })

  describe('boot faults', () => {
    it('fails the boot when a sort has no handler, or names an unknown one', async () => {
      expect(await listBootFaults({ sorts: { a: {} as never, b: { handler: 'unknown' } } })).to.deep.equal([
        "books.a (books.ts): The sort 'a' is custom: it needs a handler.",
        "books.b (books.ts): The sort 'b' names the handler 'unknown', which is not given to sorting({ handlers }).",
      ])
    })

    it('fails the boot when a handler returns an unknown property', async () => {
      const handler = (descending: boolean) => [{ property: 'nope' as never, descending }]
      expect(await listBootFaults({ sorts: { a: { handler } } })).to.deep.equal([
        "books.a (books.ts): The sort 'a' names 'nope', which is not a property of Book.",
      ])
    })

    it('fails the boot when withSorts() names an unknown property', async () => {
      expect(await listBootFaults({}, { stars: 'nope' as never })).to.deep.equal([
        "shelves.books (shelves.ts): The sort 'stars' names 'nope', which is not a property of Book.",
      ])
    })

    it('fails the boot when a collection with cursor pagination has a custom default sort', async () => {
      const overrides = { sorts: { place: { handler: byPlace } }, defaultSort: ['place'], pagination: () => cursor() }
      expect(await listBootFaults(overrides)).to.deep.equal([
        'books.defaultSort (books.ts): A collection that pages by cursor cannot have a custom default sort.',
      ])
    })

    it('fails the boot when a collection with a choice of cursor pagination has a custom default sort', async () => {
      const overrides = {
        sorts: { place: { handler: byPlace } },
        defaultSort: ['place'],
        pagination: () => menu(page(), cursor()),
      }
      expect(await listBootFaults(overrides)).to.deep.equal([
        'books.defaultSort (books.ts): A collection that pages by cursor cannot have a custom default sort.',
      ])
    })

    it('fails the boot when a field with on() is sortable without a sort of its key', async () => {
      const fields: Overrides['fields'] = ({ id, string, belongsTo }) => [
        id(),
        string('shelfName').storedAs('title').on('shelf').sortable(),
        belongsTo('shelf', 'shelves'),
      ]
      expect(await listBootFaults({ fields })).to.include(
        'books.shelfName (books.ts): A field of another object needs a sort of the same key to be sortable.',
      )
    })
  })
})

type Overrides = Partial<ResourceDeclaration<Book>>

function declare(overrides: Overrides, stars: { stars: 'rating' } = { stars: 'rating' }): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo }) => [id(), string('title').sortable(), belongsTo('shelf', 'shelves')],
    pagination: () => page(),
    ...overrides,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, hasMany }) => [
      id(),
      hasMany('books', 'books').withSorts(stars),
      hasMany('ranked', 'books')
        .storedAs('books')
        .withSorts({ title: 'rating', place: { handler: byPlace } }),
    ],
  })
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id }) => [id()] })
  return [books, shelves, tags].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

async function listBootFaults(overrides: Overrides, stars?: { stars: 'rating' }): Promise<readonly string[]> {
  try {
    const options = {
      resources: declare(overrides, stars),
      servers: { default: {} },
      database: await libraryDatabase(),
    }
    await (await buildApp(options)).close()
    return []
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    return error.message.split('\n')
  }
}

function readIds({ status, body }: ClientResponse): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ id }: { id: string }) => id)
}

function expectSortError({ status, body }: ClientResponse, code: string): void {
  expect(status).to.equal(400)
  expect(body.errors).to.have.length(1)
  expect(body.errors[0]).to.deep.include({ code, source: { parameter: 'sort' } })
}
