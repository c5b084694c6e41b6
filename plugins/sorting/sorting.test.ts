import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { buildApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

describe('Sorting', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (overrides: BookOverrides = {}, options: TestAppOptions = {}) => {
    const library = await startLibrary({ resources: declare(overrides), ...options })
    started.push(library)
    return library.client
  }
  const order = async (path: string) => readIds(await client.get(path))

  before(async () => {
    await emptyLibrary()
    await fillLibrary()
  })

  beforeEach(async () => {
    client = await start()
  })

  afterEach(async () => {
    for (const library of started.splice(0)) await library.close()
  })

  after(emptyLibrary)

  it('SRT-03 sorts ascending by a key, and descending by a key with a leading minus', async () => {
    expect(await order('/books?sort=title')).to.deep.equal(['4', '2', '5', '3', '1'])
    expect(await order('/books?sort=-title')).to.deep.equal(['1', '3', '5', '2', '4'])
  })

  it('SRT-02 sorts by several keys, the first being the most significant', async () => {
    expect(await order('/books?sort=position,title')).to.deep.equal(['4', '2', '1', '5', '3'])
    expect(await order('/books?sort=-position,title')).to.deep.equal(['5', '3', '4', '2', '1'])
    expect(await order('/books?sort=title,position')).to.deep.equal(['4', '2', '5', '3', '1'])
  })

  it('sorts NULL last ascending and first descending', async () => {
    expect(await order('/books?sort=rating')).to.deep.equal(['3', '1', '2', '4', '5'])
    expect(await order('/books?sort=-rating')).to.deep.equal(['5', '4', '2', '1', '3'])
    expect(await order('/books?sort=printedAt')).to.deep.equal(['2', '1', '3', '4', '5'])
    expect(await order('/books?sort=-printedAt')).to.deep.equal(['5', '4', '3', '1', '2'])
  })

  it('breaks ties by id, in the direction of the last key', async () => {
    expect(await order('/books?sort=position')).to.deep.equal(['1', '2', '4', '3', '5'])
    expect(await order('/books?sort=-position')).to.deep.equal(['5', '3', '4', '2', '1'])
    expect(await order('/books?sort=-position,rating')).to.deep.equal(['3', '5', '1', '2', '4'])
    expect(await order('/books?sort=position,-rating')).to.deep.equal(['4', '2', '1', '5', '3'])
  })

  it('sorts by id without sort and default sort', async () => {
    expect(await order('/books')).to.deep.equal(['1', '2', '3', '4', '5'])
  })

  it('sorts by the keys of sorts, each by its property', async () => {
    expect(await order('/books?sort=size')).to.deep.equal(['2', '1', '3', '4', '5'])
    expect(await order('/books?sort=-size')).to.deep.equal(['5', '4', '3', '1', '2'])
    const { body } = await client.get('/books?sort=size')
    expect(body.data[0].attributes).not.to.have.any.keys('size', 'pages')
  })

  it('sorts a field by the property of storedAs()', async () => {
    expect(await order('/books?sort=rank')).to.deep.equal(await order('/books?sort=position'))
  })

  it('prefers a key of sorts to the sortable field of the same name', async () => {
    client = await start({ sorts: { title: 'position', shout: 'title' } })
    expect(await order('/books?sort=title')).to.deep.equal(['1', '2', '4', '3', '5'])
  })

  it('adds no tie-breaker when the sort is by id', async () => {
    const statements = await statementsOf(async () => {
      expect(await order('/books?sort=-number')).to.deep.equal(['5', '4', '3', '2', '1'])
    })
    expect(statements[0]?.sql).to.match(/order by t0\."id" desc limit/)
  })

  it('sorts a computed field by the property that sorts declares for it', async () => {
    expect(await order('/books?sort=shout')).to.deep.equal(await order('/books?sort=title'))
  })

  describe('defaultSort', () => {
    beforeEach(async () => {
      client = await start({ defaultSort: ['-position', 'title'] })
    })

    it('SRT-01 is applied to a collection when sort is not sent', async () => {
      expect(await order('/books')).to.deep.equal(['5', '3', '4', '2', '1'])
    })

    it('is replaced by sort', async () => {
      expect(await order('/books?sort=position')).to.deep.equal(['1', '2', '4', '3', '5'])
    })

    it('is applied to a related collection and to a page of linkage, and not to whole linkage', async () => {
      expect(await order('/shelves/1/books')).to.deep.equal(['3', '2', '1'])
      expect(await order('/shelves/1/relationships/books?page[size]=10')).to.deep.equal(['3', '2', '1'])
      client = await start({ defaultSort: ['title'] })
      expect(await order('/shelves/1/books')).to.deep.equal(['2', '3', '1'])
      expect(await order('/shelves/1/relationships/books')).to.deep.equal(['3', '2', '1'])
    })
  })

  it('sorts related collections and linkage by the keys of the related type', async () => {
    expect(await order('/shelves/1/books?sort=title')).to.deep.equal(['2', '3', '1'])
    expect(await order('/shelves/1/books?sort=-title')).to.deep.equal(['1', '3', '2'])
    expect(await order('/shelves/1/relationships/books?sort=title')).to.deep.equal(['2', '3', '1'])
    expect(await order(`/tags/${red}/books?sort=-size`)).to.deep.equal(['5', '1'])
  })

  it('returns related resources and linkage in the orderBy of the mapping when sort is not sent', async () => {
    expect(await order('/shelves/1/books')).to.deep.equal(['3', '2', '1'])
    expect(await order('/shelves/1/relationships/books')).to.deep.equal(['3', '2', '1'])
  })

  it('ignores blanks and empty entries in the list', async () => {
    expect(await order('/books?sort=%20-title%20,,')).to.deep.equal(['1', '3', '5', '2', '4'])
  })

  describe('400 responses with the source sort', () => {
    it('SRT-04 returns SORTING_UNRECOGNIZED with the sortable keys when a key is not a sort of the type', async () => {
      const keys = [
        'nope',
        'pages',
        'secret',
        'shelf',
        'shelf.name',
        'Title',
        'id',
        'constructor',
        '__proto__',
        '-',
        '--title',
      ]
      for (const key of keys) {
        const answer = await client.get(`/books?sort=${key}`)
        expectSortError(answer, 'SORTING_UNRECOGNIZED')
        expect(answer.body.errors[0].detail).to.equal(
          `Cannot sort resources of type 'books' by '${key.replace(/^-/, '')}'. Sortable: title, position, rank, rating, printedAt, size, number, shout.${/title$/i.test(key) ? " Did you mean 'title'?" : ''}`,
        )
      }
    })

    it('returns one error for each unrecognized key', async () => {
      const { status, body } = await client.get('/books?sort=nope,title,-never')
      expect(status).to.equal(400)
      expect(body.errors.map(({ detail }: { detail: string }) => /by '(\w+)'\./.exec(detail)?.[1])).to.deep.equal([
        'nope',
        'never',
      ])
    })

    it('returns SORTING_UNSUPPORTED when the type has no sort', async () => {
      expectSortError(await client.get('/labels?sort=text'), 'SORTING_UNSUPPORTED')
      expectSortError(await client.get('/labels?sort=nope'), 'SORTING_UNSUPPORTED')
    })

    it('returns SORTING_UNSUPPORTED when one resource is read or written', async () => {
      const book = { type: 'books', attributes: { title: 'Walden' } }
      expectSortError(await client.get('/books/1?sort=title'), 'SORTING_UNSUPPORTED')
      expectSortError(await client.post('/books?sort=title', { data: book }), 'SORTING_UNSUPPORTED')
      expectSortError(await client.patch('/books/1?sort=title', { data: { ...book, id: '1' } }), 'SORTING_UNSUPPORTED')
      expectSortError(await client.delete('/books/1?sort=title'), 'SORTING_UNSUPPORTED')
      expect(await order('/books')).to.have.length(5)
    })

    it('returns QUERY_PARAM_UNRECOGNIZED when a to-one is read or written', async () => {
      expectSortError(await client.get('/books/1/shelf?sort=name'), 'QUERY_PARAM_UNRECOGNIZED')
      expectSortError(await client.get('/books/1/relationships/shelf?sort=name'), 'QUERY_PARAM_UNRECOGNIZED')
      const linkage = { data: null }
      expectSortError(await client.patch('/books/1/relationships/shelf?sort=name', linkage), 'QUERY_PARAM_UNRECOGNIZED')
    })

    it('returns QUERY_PARAM_MALFORMED when the value is not a string', async () => {
      expectSortError(await client.get('/books?sort[]=title'), 'QUERY_PARAM_MALFORMED')
      expectSortError(await client.get('/books?sort[title]=asc'), 'QUERY_PARAM_MALFORMED')
    })

    it('sends no statement when a key is unrecognized', async () => {
      const statements = await statementsOf(() => client.get('/shelves/999/books?sort=nope'))
      expect(statements).to.deep.equal([])
    })
  })

  describe('boot faults', () => {
    const failureOf = async (overrides: BookOverrides) => {
      const failure = await buildApp({ resources: declare(overrides), database: await libraryDatabase() }).catch(
        (error) => error,
      )
      expect(failure).to.be.instanceOf(BootError)
      return failure.message as string
    }

    it('fails the boot when the default sort names an unknown sort', async () => {
      expect(await failureOf({ defaultSort: ['title', '-secret'] })).to.include("The default sort names '-secret'")
    })

    it('fails the boot when a sort names an unknown property or a relation', async () => {
      const sorts = { shout: 'title', owner: 'shelf', weight: 'grams' } as unknown as NonNullable<
        BookOverrides['sorts']
      >
      const message = await failureOf({ sorts })
      expect(message).to.include("The sort 'owner' names 'shelf'").and.include("The sort 'weight' names 'grams'")
    })

    it('fails the boot when a computed field is sortable and sorts has no key for it', async () => {
      expect(await failureOf({ sorts: {} }))
        .to.include('books.shout')
        .and.include('A computed field needs a sort')
    })
  })

  it('returns 400 for sort, and sorts by id, when the plugin is disabled', async () => {
    client = await start({ defaultSort: ['-position'] }, { disabled: ['sorting', 'cursor-profile'] })
    expectSortError(await client.get('/books?sort=title'), 'QUERY_PARAM_UNRECOGNIZED')
    expect(await order('/books')).to.deep.equal(['1', '2', '3', '4', '5'])
  })
})

const red = '11111111-1111-4111-8111-111111111111'

type BookOverrides = Pick<ResourceDeclaration<Book>, 'sorts' | 'defaultSort'>

function declare(overrides: BookOverrides): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, integer, decimal, dateTime, belongsTo, belongsToMany }) => [
      id(),
      string('title').sortable(),
      integer('position').sortable(),
      integer('rank').storedAs('position').sortable(),
      decimal('rating').nullable().sortable(),
      dateTime('printedAt').nullable().sortable(),
      string('secret').nullable().hidden(),
      string('shout')
        .computedUsing(({ title }) => title.toUpperCase())
        .needs('title')
        .sortable(),
      belongsTo('shelf', 'shelves'),
      belongsToMany('tags', 'tags'),
    ],
    sorts: { size: 'pages', number: 'id', shout: 'title' },
    ...overrides,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name').sortable(), hasMany('books', 'books')],
  })
  const tags = defineResource(Tag, {
    type: 'tags',
    fields: ({ id, string, belongsToMany }) => [id(), string('name').sortable(), belongsToMany('books', 'books')],
  })
  const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })
  return [books, shelves, tags, labels].map((resource) => ({ file: 'plugins/sorting/sorting.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  const { orm } = await libraryDatabase()
  const em = orm.em.fork()
  await em.insertMany(Shelf, [{ id: 1, name: 'Fiction' }])
  await em.insertMany(Book, [
    { id: 1, title: 'ulysses', position: 1, rating: 4.5, pages: '100', printedAt: new Date('1922-02-02'), shelf: 1 },
    { id: 2, title: 'emma', position: 1, rating: 10, pages: '9', printedAt: new Date('1815-12-23'), shelf: 1 },
    { id: 3, title: 'howl', position: 2, rating: 4.25, pages: '1000', printedAt: new Date('1956-11-01'), shelf: 1 },
    { id: 4, title: 'dracula', position: 1, rating: null, pages: '9007199254740993', printedAt: null },
    { id: 5, title: 'faust', position: 2, rating: null, pages: null, printedAt: null },
  ])
  await em.insertMany(Tag, [{ id: red, name: 'red' }])
  await em.execute(`insert into book_tags (book_id, tag_id) values (1, '${red}'), (5, '${red}')`)
}

function readIds({ status, body }: ClientResponse): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ id }: { id: string }) => id)
}

function expectSortError({ status, body }: ClientResponse, code: string): void {
  expect(status).to.equal(400)
  expect(body.errors).to.have.length(1)
  expect(body.errors[0]).to.deep.include({ status: '400', code, source: { parameter: 'sort' } })
}
