import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { buildApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import type { Answer, Client } from '#test/support/client.ts'
import { Book, Label, Shelf, Tag } from '#test/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/support/library/index.ts'
import { statementsOf } from '#test/support/statements.ts'

describe('The plugin sorting', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (words: BookWords = {}, options: TestAppOptions = {}) => {
    const library = await startLibrary({ resources: declare(words), ...options })
    started.push(library)
    return library.client
  }
  const order = async (path: string) => idsOf(await client.get(path))

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

  it('SRT-03 orders ascending, or descending behind a minus', async () => {
    expect(await order('/books?sort=title')).to.deep.equal(['4', '2', '5', '3', '1'])
    expect(await order('/books?sort=-title')).to.deep.equal(['1', '3', '5', '2', '4'])
  })

  it('SRT-02 takes the first of several keys as the most significant', async () => {
    expect(await order('/books?sort=position,title')).to.deep.equal(['4', '2', '1', '5', '3'])
    expect(await order('/books?sort=-position,title')).to.deep.equal(['5', '3', '4', '2', '1'])
    expect(await order('/books?sort=title,position')).to.deep.equal(['4', '2', '5', '3', '1'])
  })

  it('counts NULL as the largest value: last ascending, first descending', async () => {
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

  it('orders by id when nobody says otherwise', async () => {
    expect(await order('/books')).to.deep.equal(['1', '2', '3', '4', '5'])
  })

  it('sorts by the keys of the map besides the fields, each by its property', async () => {
    expect(await order('/books?sort=size')).to.deep.equal(['2', '1', '3', '4', '5'])
    expect(await order('/books?sort=-size')).to.deep.equal(['5', '4', '3', '1', '2'])
    const { body } = await client.get('/books?sort=size')
    expect(body.data[0].attributes).not.to.have.any.keys('size', 'pages')
  })

  it('sorts a field by the property it is stored as', async () => {
    expect(await order('/books?sort=rank')).to.deep.equal(await order('/books?sort=position'))
  })

  it('lets the map replace what a field of the same key sorts by', async () => {
    client = await start({ sorts: { title: 'position', shout: 'title' } })
    expect(await order('/books?sort=title')).to.deep.equal(['1', '2', '4', '3', '5'])
  })

  it('adds no second key when the order is by id already', async () => {
    const statements = await statementsOf(async () => {
      expect(await order('/books?sort=-number')).to.deep.equal(['5', '4', '3', '2', '1'])
    })
    expect(statements[0]?.sql).to.match(/order by t0\."id" desc limit/)
  })

  it('sorts a computed field by the property the map gives it', async () => {
    expect(await order('/books?sort=shout')).to.deep.equal(await order('/books?sort=title'))
  })

  describe('with a default sort', () => {
    beforeEach(async () => {
      client = await start({ defaultSort: ['-position', 'title'] })
    })

    it('SRT-01 has that order without a sort', async () => {
      expect(await order('/books')).to.deep.equal(['5', '3', '4', '2', '1'])
    })

    it('replaces it entirely by the sort of the request', async () => {
      expect(await order('/books?sort=position')).to.deep.equal(['1', '2', '4', '3', '5'])
    })

    it('has it on a related collection and on a page of linkage, not on bare linkage', async () => {
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

  it('keeps the order mapped on the collection where no sort is asked for', async () => {
    expect(await order('/shelves/1/books')).to.deep.equal(['3', '2', '1'])
    expect(await order('/shelves/1/relationships/books')).to.deep.equal(['3', '2', '1'])
  })

  it('drops blanks and spaces in the list', async () => {
    expect(await order('/books?sort=%20-title%20,,')).to.deep.equal(['1', '3', '5', '2', '4'])
  })

  describe('answers 400 and names the parameter', () => {
    it('SRT-04 when a key is not a sort of the type', async () => {
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
        expectRefusal(answer, 'SORTING_UNRECOGNIZED')
        expect(answer.body.errors[0].detail).to.include(`'${key.replace(/^-/, '')}'`)
      }
    })

    it('once for each key it does not know', async () => {
      const { status, body } = await client.get('/books?sort=nope,title,-never')
      expect(status).to.equal(400)
      expect(body.errors.map(({ detail }: { detail: string }) => /'(\w+)'\.$/.exec(detail)?.[1])).to.deep.equal([
        'nope',
        'never',
      ])
    })

    it('when the type has no sort at all', async () => {
      expectRefusal(await client.get('/labels?sort=text'), 'SORTING_UNSUPPORTED')
      expectRefusal(await client.get('/labels?sort=nope'), 'SORTING_UNSUPPORTED')
    })

    it('when one resource is asked for or written', async () => {
      const book = { type: 'books', attributes: { title: 'Walden' } }
      expectRefusal(await client.get('/books/1?sort=title'), 'SORTING_UNSUPPORTED')
      expectRefusal(await client.post('/books?sort=title', { data: book }), 'SORTING_UNSUPPORTED')
      expectRefusal(await client.patch('/books/1?sort=title', { data: { ...book, id: '1' } }), 'SORTING_UNSUPPORTED')
      expectRefusal(await client.delete('/books/1?sort=title'), 'SORTING_UNSUPPORTED')
      expect(await order('/books')).to.have.length(5)
    })

    it('when a to-one is asked for or written', async () => {
      expectRefusal(await client.get('/books/1/shelf?sort=name'), 'QUERY_PARAM_UNRECOGNIZED')
      expectRefusal(await client.get('/books/1/relationships/shelf?sort=name'), 'QUERY_PARAM_UNRECOGNIZED')
      const linkage = { data: null }
      expectRefusal(await client.patch('/books/1/relationships/shelf?sort=name', linkage), 'QUERY_PARAM_UNRECOGNIZED')
    })

    it('when the value is no text', async () => {
      expectRefusal(await client.get('/books?sort[]=title'), 'QUERY_PARAM_MALFORMED')
      expectRefusal(await client.get('/books?sort[title]=asc'), 'QUERY_PARAM_MALFORMED')
    })

    it('before anything is read', async () => {
      const statements = await statementsOf(() => client.get('/shelves/999/books?sort=nope'))
      expect(statements).to.deep.equal([])
    })
  })

  describe('refuses to boot', () => {
    const failureOf = async (words: BookWords) => {
      const failure = await buildApp({ resources: declare(words), database: await libraryDatabase() }).catch(
        (error) => error,
      )
      expect(failure).to.be.instanceOf(BootError)
      return failure.message as string
    }

    it('when the default sort names what is not a sort', async () => {
      expect(await failureOf({ defaultSort: ['title', '-secret'] })).to.include("The default sort names '-secret'")
    })

    it('when a sort names what is not a property', async () => {
      const sorts = { shout: 'title', owner: 'shelf', weight: 'grams' } as unknown as NonNullable<BookWords['sorts']>
      const message = await failureOf({ sorts })
      expect(message).to.include("The sort 'owner' names 'shelf'").and.include("The sort 'weight' names 'grams'")
    })

    it('when a computed field is sortable and no sort of its key says by what', async () => {
      expect(await failureOf({ sorts: {} }))
        .to.include('books.shout')
        .and.include('A computed field needs a sort')
    })
  })

  it('answers 400 to the parameter, and orders by id alone, when it is off', async () => {
    client = await start({ defaultSort: ['-position'] }, { disabled: ['sorting', 'cursor-profile'] })
    expectRefusal(await client.get('/books?sort=title'), 'QUERY_PARAM_UNRECOGNIZED')
    expect(await order('/books')).to.deep.equal(['1', '2', '3', '4', '5'])
  })
})

const red = '11111111-1111-4111-8111-111111111111'

type BookWords = Pick<ResourceDeclaration<Book>, 'sorts' | 'defaultSort'>

function declare(words: BookWords): readonly DeclaredResource[] {
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
    ...words,
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

function idsOf({ status, body }: Answer): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ id }: { id: string }) => id)
}

function expectRefusal({ status, body }: Answer, code: string): void {
  expect(status).to.equal(400)
  expect(body.errors).to.have.length(1)
  expect(body.errors[0]).to.deep.include({ status: '400', code, source: { parameter: 'sort' } })
}
