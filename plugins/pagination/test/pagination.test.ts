import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { Paginator } from '#kernel/queries'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { type PaginationOptions, page, pagination } from '../index.ts'

describe('Pagination by number', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (options: PaginationOptions = { maxPerPage: 4 }, appOptions: TestAppOptions = {}) => {
    const list = plugins.map((plugin) => (plugin.name === 'pagination' ? pagination(options) : plugin))
    const library = await startLibrary({ resources, plugins: list, ...appOptions })
    started.push(library)
    return library.client
  }

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

  describe('GET /{type}', () => {
    it('returns the first page with the links self, first and next', async () => {
      const answer = await client.get('/books')
      expect(readIds(answer)).to.deep.equal(['1', '2', '3'])
      expect(pageParameters(answer)).to.deep.equal({
        self: 'number=1&size=3',
        first: 'number=1&size=3',
        next: 'number=2&size=3',
      })
      expect(answer.body.meta).to.deep.equal({ page: { currentPage: 1, perPage: 3, from: 1, to: 3 } })
    })

    it('returns a middle page with the links prev and next', async () => {
      const answer = await client.get('/books?page[number]=2')
      expect(readIds(answer)).to.deep.equal(['4', '5', '6'])
      expect(pageParameters(answer)).to.deep.equal({
        self: 'number=2&size=3',
        first: 'number=1&size=3',
        prev: 'number=1&size=3',
        next: 'number=3&size=3',
      })
      expect(answer.body.meta.page).to.deep.equal({ currentPage: 2, perPage: 3, from: 4, to: 6 })
    })

    it('PAG-03 omits next on the last page, and last on every page because nothing is counted', async () => {
      const answer = await client.get('/books?page[number]=3')
      expect(readIds(answer)).to.deep.equal(['7'])
      expect(pageParameters(answer)).to.deep.equal({
        self: 'number=3&size=3',
        first: 'number=1&size=3',
        prev: 'number=2&size=3',
      })
      expect(answer.body.meta.page).to.deep.equal({ currentPage: 3, perPage: 3, from: 7, to: 7 })
      const full = await client.get('/books?page[size]=7')
      expect(pageParameters(full)).not.to.have.any.keys('next', 'last', 'prev')
    })

    it('reads one extra row, and sends no COUNT', async () => {
      const statements = await statementsOf(() => client.get('/books?page[number]=2'))
      expect(statements).to.have.length(1)
      expect(statements[0]?.sql)
        .to.match(/ limit \$\d+ offset \$\d+$/)
        .and.not.match(/count/i)
      expect(statements[0]?.parameters).to.deep.equal([4, 3])
    })

    it('returns every row once when a client follows next, and again when it follows prev', async () => {
      const forwards = await walk(client, '/books?sort=-title&page[size]=2', 'next')
      expect(forwards.ids).to.deep.equal(['7', '6', '5', '4', '3', '2', '1'])
      const backwards = await walk(client, forwards.last, 'prev')
      expect(backwards.pages.toReversed().flat()).to.deep.equal(forwards.ids)
    })

    it('returns an empty page beyond the end, with links first and prev and without next', async () => {
      const answer = await client.get('/books?page[number]=5')
      expect(answer.status).to.equal(200)
      expect(answer.body.data).to.deep.equal([])
      expect(answer.body.links).to.have.keys('self', 'first', 'prev')
      expect(answer.body.links.self).to.equal(`${client.url}/books?page[number]=5`)
      expect(pageParameters(answer).prev).to.equal('number=4&size=3')
      expect(answer.body.meta.page).to.deep.equal({ currentPage: 5, perPage: 3, from: null, to: null })
    })

    it('returns an empty collection without page links', async () => {
      const { body } = await client.get('/books/1/tags?page[size]=2')
      expect(body.data).to.deep.equal([])
      expect(body.links).to.deep.equal({ self: `${client.url}/books/1/tags?page[size]=2` })
      expect(body.meta.page).to.deep.equal({ currentPage: 1, perPage: 2, from: null, to: null })
    })

    it('uses the default for a number or size that is not an integer', async () => {
      for (const value of ['abc', '1.5', '1e3', '', '%20', '0x2', '+2', '١']) {
        const answer = await client.get(`/books?page[number]=${value}&page[size]=${value}`)
        expect(answer.status, value).to.equal(200)
        expect(answer.body.meta.page, value).to.include({ currentPage: 1, perPage: 3 })
      }
    })

    it('returns the first page for a page number of zero or less', async () => {
      for (const value of ['0', '-1', '-99999999999999999999']) {
        const answer = await client.get(`/books?page[number]=${value}`)
        expect(readIds(answer), value).to.deep.equal(['1', '2', '3'])
        expect(answer.body.meta.page.currentPage).to.equal(1)
      }
    })

    it('returns an empty page without page links for a size of zero or less', async () => {
      for (const value of ['0', '-1', '-7']) {
        const { status, body } = await client.get(`/books?page[size]=${value}`)
        expect(status, value).to.equal(200)
        expect(body.data).to.deep.equal([])
        expect(body.links).to.have.keys('self')
        expect(body.meta.page).to.include({ perPage: 0, from: null, to: null })
      }
    })

    it('returns 200 and the maximum size when the requested size is above it', async () => {
      for (const value of ['6', '100', '99999999999999999999']) {
        const answer = await client.get(`/labels?page[size]=${value}`)
        expect(answer.body.meta.page.perPage, value).to.equal(5)
        expect(readIds(answer)).to.have.length(5)
        expect(pageParameters(answer).next).to.equal('number=2&size=5')
      }
    })

    it('returns 200 and an empty page for a number beyond the range of a database integer', async () => {
      const { status, body } = await client.get('/books?page[number]=99999999999999999999999999&page[size]=3')
      expect(status).to.equal(200)
      expect(body.data).to.deep.equal([])
    })

    it('keeps other query parameters in its links, and replaces unknown members of page', async () => {
      const query = 'sort=-title&fields[books]=title&page[number]=2&page[offset]=9&page[kind]=page&include='
      const { body } = await client.get(`/books?${query}`)
      const next = new URL(body.links.next)
      expect(next.pathname).to.equal('/books')
      expect(Object.fromEntries(next.searchParams)).to.deep.equal({
        sort: '-title',
        'fields[books]': 'title',
        include: '',
        'page[kind]': 'page',
        'page[number]': '3',
        'page[size]': '3',
      })
      expect(body.links.next).to.include('page%5Bnumber%5D=3')
    })

    it('ignores page when it is not a map, members that are not strings, and unknown keys', async () => {
      for (const query of [
        'page=2',
        'page[]=2',
        'page[number][]=2',
        'page[number][x]=2',
        'page[cursor]=2',
        'page[offset]=3',
      ]) {
        const answer = await client.get(`/books?${query}`)
        expect(answer.status, query).to.equal(200)
        expect(readIds(answer), query).to.deep.equal(['1', '2', '3'])
      }
    })
  })

  describe('choice of the paginator', () => {
    it('uses the paginator of the server, limited by maxPerPage, when the type declares none', async () => {
      const answer = await client.get('/shelves')
      expect(answer.body.meta.page.perPage).to.equal(4)
      const capped = await client.get('/shelves?page[size]=100')
      expect(capped.body.meta.page.perPage).to.equal(4)
      client = await start({})
      expect((await client.get('/shelves')).body.meta.page.perPage).to.equal(15)
      expect((await client.get('/shelves?page[size]=1000')).body.meta.page.perPage).to.equal(100)
    })

    it('returns the whole collection when maxPerPage is 0, unless the type declares a paginator', async () => {
      client = await start({ maxPerPage: 0 })
      const whole = await client.get('/shelves?page[size]=1')
      expect(readIds(whole)).to.deep.equal(['1', '2'])
      expect(whole.body.meta).to.deep.equal({ total: 2 })
      expect((await client.get('/books')).body.meta).to.have.keys('page')
      expect(offered).to.equal(null)
    })

    it('passes the paginator of the server to the pagination() of the type', async () => {
      expect(offered?.kind).to.equal('page')
      expect((await client.get('/labels')).body.meta.page.perPage).to.equal(2)
    })

    it('returns the whole collection with meta.total when the pagination() of the type returns null', async () => {
      const { body } = await client.get('/leaflets?page[size]=1&page[number]=2')
      expect(body.data).to.have.length(7)
      expect(body.meta).to.deep.equal({ total: 7 })
      expect(body.links).to.have.keys('self')
    })

    it('prefers the paginator of the relation to that of the related type', async () => {
      const answer = await client.get('/shelves/1/pairs')
      expect(readIds(answer)).to.deep.equal(['7', '6'])
      expect(answer.body.meta.page).to.deep.equal({ currentPage: 1, perPage: 2, from: 1, to: 2 })
      expect(new URL(answer.body.links.next).pathname).to.equal('/shelves/1/pairs')
      expect((await client.get('/shelves/1/pairs?page[size]=50')).body.meta.page.perPage).to.equal(3)
    })

    it('uses the paginator of the related type when the relation declares none', async () => {
      expect((await client.get('/shelves/1/books')).body.meta.page.perPage).to.equal(3)
      const whole = await client.get('/shelves/1/leaflets?page[size]=1')
      expect(readIds(whole)).to.have.length(7)
      expect(whole.body.meta).to.deep.equal({ total: 7 })
    })

    it('uses the paginator of the server when neither relation nor related type declares one', async () => {
      expect((await client.get('/books/1/tags')).body.meta.page.perPage).to.equal(4)
    })

    it('returns all related resources with meta.total for a relation withoutPagination()', async () => {
      const { body } = await client.get('/shelves/1/allBooks?page[size]=1&page[number]=3')
      expect(body.data).to.have.length(7)
      expect(body.meta).to.deep.equal({ total: 7 })
      expect(body.links).to.have.keys('self')
      const none = await client.get('/shelves/2/allBooks')
      expect(none.body.meta).to.deep.equal({ total: 0 })
    })

    it('returns all included resources, even if the relation is paginated', async () => {
      const { body } = await client.get('/shelves/1?include=pairs,books')
      expect(body.data.relationships.pairs.data).to.have.length(7)
      expect(body.data.relationships.pairs.links).to.have.keys('self', 'related')
      expect(body.included).to.have.length(7)
    })
  })

  describe('GET /{type}/{id}/relationships/{rel}', () => {
    it('returns the whole linkage without page links when the request has no page, sort or filter', async () => {
      const { body } = await client.get('/shelves/1/relationships/pairs')
      expect(body.data).to.have.length(7)
      expect(body.links).to.have.keys('self', 'related')
      expect(body).not.to.have.property('meta')
    })

    it('returns a page of a to-many by the paginator of the relation when page is sent', async () => {
      const answer = await client.get('/shelves/1/relationships/pairs?page[number]=2')
      expect(answer.body.data).to.deep.equal([
        { type: 'books', id: '5' },
        { type: 'books', id: '4' },
      ])
      expect(pageParameters(answer)).to.deep.equal({
        self: 'number=2&size=2',
        first: 'number=1&size=2',
        prev: 'number=1&size=2',
        next: 'number=3&size=2',
      })
      expect(new URL(answer.body.links.next).pathname).to.equal('/shelves/1/relationships/pairs')
      expect(answer.body.links.related).to.equal(`${client.url}/shelves/1/pairs`)
      expect(answer.body).not.to.have.property('meta')
    })

    it('returns a page when sort is sent, and keeps sort in its links', async () => {
      const answer = await client.get('/shelves/1/relationships/pairs?sort=title')
      expect(readIds(answer)).to.deep.equal(['1', '2'])
      expect(new URL(answer.body.links.next).searchParams.get('sort')).to.equal('title')
      const forwards = await walk(client, '/shelves/1/relationships/pairs?sort=title', 'next')
      expect(forwards.ids).to.deep.equal(['1', '2', '3', '4', '5', '6', '7'])
    })

    it('returns a page of a many-to-many relation', async () => {
      const answer = await client.get('/books/2/relationships/tags?page[size]=1&page[number]=2')
      expect(readIds(answer)).to.deep.equal([blue])
      expect(pageParameters(answer)).to.deep.equal({
        self: 'number=2&size=1',
        first: 'number=1&size=1',
        prev: 'number=1&size=1',
      })
    })

    it('ignores page and applies sort for a relation withoutPagination()', async () => {
      const answer = await client.get('/shelves/1/relationships/allBooks?page[size]=1&sort=title')
      expect(readIds(answer)).to.deep.equal(['1', '2', '3', '4', '5', '6', '7'])
      expect(answer.body.links).to.have.keys('self', 'related')
      expect(answer.body).not.to.have.property('meta')
    })
  })

  describe('requests without a collection', () => {
    it('returns 400 QUERY_PARAM_UNRECOGNIZED with the source page for a to-one', async () => {
      expectUnrecognized(await client.get('/books/1/shelf?page[size]=1'))
      expectUnrecognized(await client.get('/books/1/relationships/shelf?page[number]=1'))
      expectUnrecognized(await client.patch('/books/1/relationships/shelf?page[number]=1', { data: null }))
    })

    it('ignores page when one resource is read or written', async () => {
      const { status, body } = await client.get('/books/1?page[size]=0')
      expect(status).to.equal(200)
      expect(body).not.to.have.property('meta')
      expect(body.links).to.have.keys('self')
      const patch = { data: { type: 'books', id: '1', attributes: { title: 'book 1' } } }
      expect((await client.patch('/books/1?page[size]=0', patch)).body).not.to.have.property('meta')
      const created = await client.post('/labels?page[size]=1', {
        data: { type: 'labels', attributes: { text: 'new' } },
      })
      expect(created.status).to.equal(201)
      expect(created.body).not.to.have.property('meta')
      expect((await client.delete(`/labels/${created.body.data.id}?page[size]=1`)).status).to.equal(204)
    })
  })

  it('returns 400 for page, and whole collections, when the plugin is disabled', async () => {
    client = await start({}, { disabled: ['pagination', 'cursor-profile', 'relationship-queries'] })
    expectUnrecognized(await client.get('/books?page[size]=1'))
    const { body } = await client.get('/books')
    expect(body.data).to.have.length(7)
    expect(body.meta).to.deep.equal({ total: 7 })
  })
})

const red = '11111111-1111-4111-8111-111111111111'
const blue = '22222222-2222-4222-8222-222222222222'

/** The paginator that the pagination() of labels received. */
let offered: Paginator | null | undefined

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany }) => [
    id(),
    string('name').sortable(),
    hasMany('books', 'books'),
    hasMany('pairs', 'books')
      .storedAs('books')
      .paginate(page({ size: 2, max: 3 })),
    hasMany('allBooks', 'books').storedAs('books').withoutPagination(),
    hasMany('leaflets', 'leaflets').storedAs('books'),
  ],
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo, belongsToMany }) => [
    id(),
    string('title').sortable(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags'),
  ],
  pagination: () => page({ size: 3 }),
})

const leaflets = defineResource(Book, {
  type: 'leaflets',
  fields: ({ id, string }) => [id(), string('title').sortable()],
  pagination: () => null,
})

const tags = defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string }) => [id(), string('name')],
})

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string }) => [id(), string('text')],
  pagination: (serverDefault) => {
    offered = serverDefault
    return page({ size: 2, max: 5 })
  },
})

const resources: readonly DeclaredResource[] = [shelves, books, leaflets, tags, labels].map((resource) => ({
  file: 'plugins/pagination/test/pagination.test.ts',
  resource,
}))

async function fillLibrary(): Promise<void> {
  const { orm } = await libraryDatabase()
  const em = orm.em.fork()
  const numbers = [1, 2, 3, 4, 5, 6, 7]
  await em.insertMany(Shelf, [
    { id: 1, name: 'Full' },
    { id: 2, name: 'Empty' },
  ])
  await em.insertMany(
    Book,
    numbers.map((id) => ({ id, title: `book ${id}`, position: id, shelf: 1 })),
  )
  await em.insertMany(
    Label,
    numbers.map((id) => ({ id, text: `label ${id}` })),
  )
  await em.insertMany(Tag, [
    { id: red, name: 'red' },
    { id: blue, name: 'blue' },
  ])
  await em.execute(`insert into book_tags (book_id, tag_id) values (2, '${red}'), (2, '${blue}')`)
  await em.execute('alter sequence labels_id_seq restart with 8')
}

function readIds({ status, body }: ClientResponse): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ id }: { id: string }) => id)
}

/** The page parameters of each link: `number=2&size=3`. Omits links without any. */
function pageParameters({ body }: ClientResponse): Record<string, string> {
  const pages = Object.entries(body.links as Record<string, string>).map(([name, link]) => {
    const params = [...new URL(link).searchParams].filter(([key]) => key.startsWith('page['))
    return [name, params.map(([key, value]) => `${key.slice(5, -1)}=${value}`).join('&')]
  })
  return Object.fromEntries(pages.filter(([, query]) => query !== ''))
}

async function walk(client: Client, start: string, direction: 'next' | 'prev') {
  const pages: string[][] = []
  let last = start
  for (let path: string | undefined = start; path; ) {
    const answer = await client.get(path)
    pages.push(readIds(answer))
    last = path
    path = answer.body.links[direction]
  }
  return { ids: pages.flat(), pages, last }
}

function expectUnrecognized({ status, body }: ClientResponse): void {
  expect(status).to.equal(400)
  expect(body.errors[0]).to.deep.include({ code: 'QUERY_PARAM_UNRECOGNIZED', source: { parameter: 'page' } })
}
