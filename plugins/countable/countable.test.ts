import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { OpenPolicy } from '#plugins/authorization/test/open-policy.ts'
import { cursor, fixedPage, offset, page } from '#plugins/pagination/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'
import { countableProfileUri } from './index.ts'

describe('withCount', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (overrides: Overrides = {}, options: TestAppOptions = {}) => {
    const library = await startLibrary({ resources: declare(overrides), ...options })
    started.push(library)
    client = library.client
  }

  before(async () => {
    await emptyLibrary()
    await fillLibrary()
  })
  beforeEach(() => start())
  afterEach(async () => {
    for (const library of started.splice(0)) await library.close()
  })
  after(emptyLibrary)

  describe('=_self_ on GET /{type}', () => {
    it('returns meta.total, meta.page.total, the last page and its link', async () => {
      const { body } = await client.get('/books?withCount=_self_')
      expect(body.meta.total).to.equal(5)
      expect(body.meta.page).to.include({ total: 5, lastPage: 3 })
      expect(new URL(body.links.last).searchParams.get('page[number]')).to.equal('3')
      expect(new URL(body.links.last).searchParams.get('withCount')).to.equal('_self_')
    })

    it('runs one COUNT statement, and none when the parameter is absent', async () => {
      const counted = await statementsOf(() => client.get('/books?withCount=_self_'))
      expect(counted.map(({ sql }) => /count\(/.test(sql))).to.deep.equal([false, true])
      const uncounted = await statementsOf(() => client.get('/books'))
      expect(uncounted).to.have.length(1)
      expect((await client.get('/books')).body.meta).to.have.keys('page')
    })

    it('counts the rows that match the filters, including filter defaults', async () => {
      await start({ books: { filters: ({ where, contains }) => [where('position').default(1), contains('title')] } })
      expect((await client.get('/books?withCount=_self_')).body.meta.total).to.equal(3)
      expect((await client.get('/books?withCount=_self_&filter[position]=')).body.meta.total).to.equal(5)
      expect((await client.get('/books?withCount=_self_&filter[title]=b1')).body.meta.total).to.equal(1)
    })

    it('returns the total when the page is empty', async () => {
      for (const query of ['page[size]=0', 'page[number]=9']) {
        const { body } = await client.get(`/books?withCount=_self_&${query}`)
        expect(body.data, query).to.deep.equal([])
        expect(body.meta.total, query).to.equal(5)
        const related = await client.get(`/shelves/1/books?withCount=_self_&${query}`)
        expect(related.body.meta.total, query).to.equal(3)
      }
    })

    it('returns the total without a COUNT statement when the collection has no pagination', async () => {
      await start({ books: { pagination: () => null } })
      const statements = await statementsOf(async () => {
        expect((await client.get('/books?withCount=_self_')).body.meta).to.deep.equal({ total: 5 })
      })
      expect(statements).to.have.length(1)
    })

    it('returns the total with offset pagination and with a fixed page size', async () => {
      await start({ books: { pagination: () => offset({ size: 2 }) } })
      const byOffset = (await client.get('/books?withCount=_self_&page[offset]=1')).body
      expect(byOffset.meta).to.deep.equal({ total: 5, page: { offset: 1, limit: 2, from: 2, to: 3, total: 5 } })
      await start({ books: { pagination: () => fixedPage({ size: 2 }) } })
      const { meta } = (await client.get('/books?withCount=_self_')).body
      expect(meta).to.deep.equal({ total: 5, page: { currentPage: 1, total: 5, lastPage: 3 } })
    })

    it('returns 400 RELATIONSHIP_COUNT_NOT_ALLOWED when the type is not countable or pages by cursor', async () => {
      await start({ books: { countable: false } })
      expectNotCountable(await client.get('/books?withCount=_self_'), '_self_')
      await start({ books: { pagination: () => cursor() } })
      expectNotCountable(await client.get('/books?withCount=_self_'), '_self_')
    })
  })

  describe('on GET /{type}/{id}/{rel}', () => {
    it('returns the total when the relation is countable, and 400 when it is not, whatever its type declares', async () => {
      const { body } = await client.get('/shelves/1/books?withCount=_self_')
      expect(body.meta.total).to.equal(3)
      expect(body.meta.page.total).to.equal(3)
      expectNotCountable(await client.get('/shelves/1/uncounted?withCount=_self_'), '_self_')
      expectNotCountable(await client.get('/books/1/shelf?withCount=_self_'), '_self_')
    })

    it('counts relations of the related type', async () => {
      const { body } = await client.get('/shelves/1/books?withCount=tags&sort=title')
      expect(totals(body.data, 'tags')).to.deep.equal([2, 0])
      const one = await client.get('/books/1/shelf?withCount=books')
      expect(one.body.data.relationships.books.meta).to.deep.equal({ total: 3 })
    })
  })

  describe('on GET /{type}/{id}/relationships/{rel}', () => {
    it('counts all members, without filter defaults, when no other query parameter is sent', async () => {
      await start({ books: { filters: ({ where }) => [where('position').default(1)] } })
      const { body } = await client.get('/shelves/1/relationships/books?withCount=_self_')
      expect(body.data).to.have.length(3)
      expect(body.meta).to.deep.equal({ total: 3 })
    })

    it('returns the total and the last page when the linkage is paged', async () => {
      const { body } = await client.get('/shelves/1/relationships/books?withCount=_self_&page[size]=2')
      expect(body.data).to.have.length(2)
      expect(body.meta).to.deep.equal({ total: 3 })
      expect(new URL(body.links.last).searchParams.get('page[number]')).to.equal('2')
      expect((await client.get('/shelves/1/relationships/books?page[size]=2')).body).not.to.have.property('meta')
    })

    it('returns 400 for names of relations, for a to-one, and for a relation with pivot fields', async () => {
      expectNotCountable(await client.get('/shelves/1/relationships/books?withCount=tags'), 'tags')
      expectNotCountable(await client.get('/books/1/relationships/shelf?withCount=_self_'), '_self_')
      expectNotCountable(await client.get('/lists/1/relationships/books?withCount=_self_'), '_self_')
    })
  })

  describe('with names of relations', () => {
    it('returns meta.total of each relationship object, and 0 without members', async () => {
      const { body } = await client.get('/shelves?withCount=books')
      expect(totals(body.data, 'books')).to.deep.equal([3, 1, 0])
      expect(body.data[0].relationships.uncounted).not.to.have.property('meta')
      expect(body.data[0].relationships.books).not.to.have.property('data')
      expect((await client.get('/shelves')).body.data[0].relationships.books).not.to.have.property('meta')
    })

    it('runs one grouped COUNT per relation for any number of parents', async () => {
      const statements = await statementsOf(() => client.get('/books?withCount=tags,lists&page[size]=5'))
      expect(statements.map(({ sql }) => /count\(.*\).* group by /.test(sql))).to.deep.equal([false, true, true])
    })

    it('counts a member once when two pivot rows link it', async () => {
      const { body } = await client.get('/lists/1?withCount=books')
      expect(body.data.relationships.books.meta).to.deep.equal({ total: 2 })
      expect((await client.get('/lists/1/books?withCount=_self_')).body.meta.total).to.equal(2)
    })

    it('counts the rows that the related URL returns, with filter defaults', async () => {
      await start({ books: { filters: ({ where }) => [where('position').default(1)] } })
      const { body } = await client.get('/shelves/1?withCount=books')
      expect(body.data.relationships.books.meta.total).to.equal(2)
      expect((await client.get('/shelves/1/books?withCount=_self_')).body.meta.total).to.equal(2)
    })

    it('counts only rows within the scope of the caller', async () => {
      await start({ books: { policy: FirstOnly } })
      expect(totals((await client.get('/shelves?withCount=books')).body.data, 'books')).to.deep.equal([1, 0, 0])
    })

    it('returns totals for GET /{type}/{id}, POST and PATCH', async () => {
      expect((await client.get('/shelves/2?withCount=books')).body.data.relationships.books.meta.total).to.equal(1)
      const patch = { data: { type: 'shelves', id: '2', attributes: { name: 'Poetry' } } }
      const { body } = await client.patch('/shelves/2?withCount=books', patch)
      expect(body.data.relationships.books.meta.total).to.equal(1)
      const created = await client.post('/shelves?withCount=books', {
        data: { type: 'shelves', attributes: { name: 'New' } },
      })
      expect(created.body.data.relationships.books.meta.total).to.equal(0)
      await client.delete(`/shelves/${created.body.data.id}`)
    })

    it('adds no total to included resources, and runs no COUNT for a relation outside the fieldset', async () => {
      const { body } = await client.get('/shelves/1?include=books&withCount=books')
      expect(body.data.relationships.books.meta.total).to.equal(3)
      for (const book of body.included) expect(book.relationships.tags).not.to.have.property('meta')
      const statements = await statementsOf(() => client.get('/shelves/1?withCount=books&fields[shelves]=name'))
      expect(statements).to.have.length(1)
    })

    it('returns one 400 that lists all names that are not countable, and the countable ones', async () => {
      const { status, body } = await client.get('/books?withCount=nope,shelf,title,tags, tags,')
      expect(status).to.equal(400)
      expect(body.errors).to.have.length(1)
      const detail = 'Cannot count nope, shelf, title. Countable here: _self_, tags, lists.'
      expect(body.errors[0].detail).to.equal(detail)
      const typo = await client.get('/books?withCount=tag')
      expect(typo.body.errors[0].detail).to.include("Did you mean 'tags'?")
      expectNotCountable(await client.get('/books/1?withCount=_self_'), '_self_')
      expectNotCountable(await client.delete('/books/1?withCount=tags'), 'tags')
    })
  })

  it('returns 400 QUERY_PARAM_MALFORMED when the value is a list', async () => {
    const { status, body } = await client.get('/books?withCount[]=tags')
    expect(status).to.equal(400)
    expect(body.errors[0]).to.deep.include({ code: 'QUERY_PARAM_MALFORMED', source: { parameter: 'withCount' } })
  })

  it('applies the profile when the parameter is sent or the client accepts it, but not to errors', async () => {
    const used = await client.get('/books?withCount=tags')
    expect(used.body.jsonapi.profile).to.deep.equal([countableProfileUri])
    expect(used.headers.get('content-type')).to.include(countableProfileUri)
    const accept = `application/vnd.api+json; profile="${countableProfileUri}"`
    expect((await client.get('/books', { accept })).body.jsonapi.profile).to.deep.equal([countableProfileUri])
    expect((await client.get('/books')).body.jsonapi).not.to.have.property('profile')
    const refused = await client.get('/books?withCount=nope', { accept })
    expect(refused.headers.get('content-type')).not.to.include('profile')
    expect(refused.body.jsonapi).not.to.have.property('profile')
  })

  it('returns 400 QUERY_PARAM_UNRECOGNIZED when the plugin is disabled and query parameters are strict', async () => {
    await start({}, { disabled: ['countable'] })
    const { status, body } = await client.get('/books?withCount=tags')
    expect(status).to.equal(400)
    expect(body.errors[0]).to.deep.include({ code: 'QUERY_PARAM_UNRECOGNIZED', source: { parameter: 'withCount' } })
    await start({}, { disabled: ['countable'], config: { strictQueryParameters: false } })
    expect((await client.get('/books?withCount=tags')).status).to.equal(200)
  })
})

class FirstOnly extends OpenPolicy {
  override scope = () => ({ id: 1 })
}

interface Overrides {
  readonly books?: Partial<ResourceDeclaration<Book>>
}

function declare(overrides: Overrides): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    countable: true,
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id(),
      string('title').sortable(),
      belongsTo('shelf', 'shelves'),
      belongsToMany('tags', 'tags').countable(),
      belongsToMany('lists', 'tags').storedAs('tags').countable(),
    ],
    pagination: () => page({ size: 2 }),
    ...overrides.books,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [
      id(),
      string('name'),
      hasMany('books', 'books').countable(),
      hasMany('uncounted', 'books').storedAs('books'),
    ],
  })
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
  const lists = defineResource(ReadingList, {
    type: 'lists',
    fields: ({ id, belongsToMany }) => [
      id(),
      belongsToMany('books', 'books')
        .through(ListEntry)
        .fields(({ integer }) => [integer('place')])
        .countable(),
    ],
  })
  return [books, shelves, tags, lists].map((resource) => ({ file: 'plugins/countable/countable.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  const { orm } = await libraryDatabase()
  const em = orm.em.fork()
  await em.insertMany(Shelf, [
    { id: 1, name: 'Fiction' },
    { id: 2, name: 'Poetry' },
    { id: 3, name: 'Empty' },
  ])
  await em.execute('alter sequence shelves_id_seq restart with 10')
  await em.insertMany(Book, [
    { id: 1, title: 'b1', position: 1, shelf: 1 },
    { id: 2, title: 'b2', position: 1, shelf: 1 },
    { id: 3, title: 'b3', position: 2, shelf: 1 },
    { id: 4, title: 'b4', position: 2, shelf: 2 },
    { id: 5, title: 'b5', position: 1 },
    { id: 6, title: 'hidden', position: 1, shelf: 1, deletedAt: new Date() },
  ])
  const [red, blue] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  await em.insertMany(Tag, [
    { id: red, name: 'red' },
    { id: blue, name: 'blue' },
  ])
  await em.execute(`insert into book_tags (book_id, tag_id) values (1, '${red}'), (1, '${blue}')`)
  await em.insertMany(ReadingList, [{ id: 1, name: 'Summer' }])
  await em.insertMany(ListEntry, [
    { id: 1, list: 1, book: 2, place: 2 },
    { id: 2, list: 1, book: 1, place: 3 },
    { id: 3, list: 1, book: 1, place: 9 },
  ])
}

interface Resource {
  readonly relationships: Record<string, { readonly meta?: { readonly total: number } }>
}

function totals(resources: readonly Resource[], name: string): unknown[] {
  return resources.map(({ relationships }) => relationships[name]?.meta?.total)
}

function expectNotCountable({ status, body }: ClientResponse, names: string): void {
  expect(status).to.equal(400)
  expect(body.errors).to.have.length(1)
  const { code, source, detail } = body.errors[0]
  expect({ code, source }).to.deep.equal({
    code: 'RELATIONSHIP_COUNT_NOT_ALLOWED',
    source: { parameter: 'withCount' },
  })
  expect(detail).to.include(names)
}
