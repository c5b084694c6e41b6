import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import type { DeclaredResource, Paginator } from '#kernel/plugin'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import type { Answer, Client } from '#test/support/client.ts'
import { Book, Label, Shelf, Tag } from '#test/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/support/library/index.ts'
import { statementsOf } from '#test/support/statements.ts'
import { type PaginationOptions, page, pagination } from './index.ts'

describe('The plugin pagination', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (options: PaginationOptions = { maxPerPage: 4 }, further: TestAppOptions = {}) => {
    const list = plugins.map((plugin) => (plugin.name === 'pagination' ? pagination(options) : plugin))
    const library = await startLibrary({ resources, plugins: list, ...further })
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

  describe('of a collection', () => {
    it('shows the first page with the links that lead on', async () => {
      const answer = await client.get('/books')
      expect(idsOf(answer)).to.deep.equal(['1', '2', '3'])
      expect(pagesOf(answer)).to.deep.equal({
        self: 'number=1&size=3',
        first: 'number=1&size=3',
        next: 'number=2&size=3',
      })
      expect(answer.body.meta).to.deep.equal({ page: { currentPage: 1, perPage: 3, from: 1, to: 3 } })
    })

    it('shows a page in the middle with the links to both sides', async () => {
      const answer = await client.get('/books?page[number]=2')
      expect(idsOf(answer)).to.deep.equal(['4', '5', '6'])
      expect(pagesOf(answer)).to.deep.equal({
        self: 'number=2&size=3',
        first: 'number=1&size=3',
        prev: 'number=1&size=3',
        next: 'number=3&size=3',
      })
      expect(answer.body.meta.page).to.deep.equal({ currentPage: 2, perPage: 3, from: 4, to: 6 })
    })

    it('PAG-03 leaves next out on the last page, and last everywhere, because nothing is counted', async () => {
      const answer = await client.get('/books?page[number]=3')
      expect(idsOf(answer)).to.deep.equal(['7'])
      expect(pagesOf(answer)).to.deep.equal({
        self: 'number=3&size=3',
        first: 'number=1&size=3',
        prev: 'number=2&size=3',
      })
      expect(answer.body.meta.page).to.deep.equal({ currentPage: 3, perPage: 3, from: 7, to: 7 })
      const full = await client.get('/books?page[size]=7')
      expect(pagesOf(full)).not.to.have.any.keys('next', 'last', 'prev')
    })

    it('asks for one row more than it shows, and never counts', async () => {
      const statements = await statementsOf(() => client.get('/books?page[number]=2'))
      expect(statements).to.have.length(1)
      expect(statements[0]?.sql)
        .to.match(/ limit \$\d+ offset \$\d+$/)
        .and.not.match(/count/i)
      expect(statements[0]?.parameters).to.deep.equal([4, 3])
    })

    it('visits every row once when a client follows next, and again backwards', async () => {
      const forwards = await walk(client, '/books?sort=-title&page[size]=2', 'next')
      expect(forwards.ids).to.deep.equal(['7', '6', '5', '4', '3', '2', '1'])
      const backwards = await walk(client, forwards.last, 'prev')
      expect(backwards.pages.toReversed().flat()).to.deep.equal(forwards.ids)
    })

    it('shows an empty page beyond the end, without self and next of its own', async () => {
      const answer = await client.get('/books?page[number]=5')
      expect(answer.status).to.equal(200)
      expect(answer.body.data).to.deep.equal([])
      expect(answer.body.links).to.have.keys('self', 'first', 'prev')
      expect(answer.body.links.self).to.equal(`${client.url}/books?page[number]=5`)
      expect(pagesOf(answer).prev).to.equal('number=4&size=3')
      expect(answer.body.meta.page).to.deep.equal({ currentPage: 5, perPage: 3, from: null, to: null })
    })

    it('shows an empty collection without links of a page', async () => {
      const { body } = await client.get('/books/1/tags?page[size]=2')
      expect(body.data).to.deep.equal([])
      expect(body.links).to.deep.equal({ self: `${client.url}/books/1/tags?page[size]=2` })
      expect(body.meta.page).to.deep.equal({ currentPage: 1, perPage: 2, from: null, to: null })
    })

    it('falls back to the default for a value that is not a whole number', async () => {
      for (const value of ['abc', '1.5', '1e3', '', '%20', '0x2', '+2', '١']) {
        const answer = await client.get(`/books?page[number]=${value}&page[size]=${value}`)
        expect(answer.status, value).to.equal(200)
        expect(answer.body.meta.page, value).to.include({ currentPage: 1, perPage: 3 })
      }
    })

    it('takes a number of zero or less as the first page', async () => {
      for (const value of ['0', '-1', '-99999999999999999999']) {
        const answer = await client.get(`/books?page[number]=${value}`)
        expect(idsOf(answer), value).to.deep.equal(['1', '2', '3'])
        expect(answer.body.meta.page.currentPage).to.equal(1)
      }
    })

    it('shows an empty page without links of a page for a size of zero or less', async () => {
      for (const value of ['0', '-1', '-7']) {
        const { status, body } = await client.get(`/books?page[size]=${value}`)
        expect(status, value).to.equal(200)
        expect(body.data).to.deep.equal([])
        expect(body.links).to.have.keys('self')
        expect(body.meta.page).to.include({ perPage: 0, from: null, to: null })
      }
    })

    it('clamps a size above the cap, answers 200 and reports the capped size', async () => {
      for (const value of ['6', '100', '99999999999999999999']) {
        const answer = await client.get(`/labels?page[size]=${value}`)
        expect(answer.body.meta.page.perPage, value).to.equal(5)
        expect(idsOf(answer)).to.have.length(5)
        expect(pagesOf(answer).next).to.equal('number=2&size=5')
      }
    })

    it('answers 200 to a number no database could count to', async () => {
      const { status, body } = await client.get('/books?page[number]=99999999999999999999999999&page[size]=3')
      expect(status).to.equal(200)
      expect(body.data).to.deep.equal([])
    })

    it('keeps the rest of the query string in its links, and puts its own keys in place of what was sent', async () => {
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

    it('ignores a page that is no map, members that are no text, and keys it does not know', async () => {
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
        expect(idsOf(answer), query).to.deep.equal(['1', '2', '3'])
      }
    })
  })

  describe('by whose paginator', () => {
    it('uses that of the server, bounded by its maximum, when a type has none', async () => {
      const answer = await client.get('/shelves')
      expect(answer.body.meta.page.perPage).to.equal(4)
      const capped = await client.get('/shelves?page[size]=100')
      expect(capped.body.meta.page.perPage).to.equal(4)
      client = await start({})
      expect((await client.get('/shelves')).body.meta.page.perPage).to.equal(15)
      expect((await client.get('/shelves?page[size]=1000')).body.meta.page.perPage).to.equal(100)
    })

    it('reads collections whole when the maximum is 0, unless the type brings its own', async () => {
      client = await start({ maxPerPage: 0 })
      const whole = await client.get('/shelves?page[size]=1')
      expect(idsOf(whole)).to.deep.equal(['1', '2'])
      expect(whole.body.meta).to.deep.equal({ total: 2 })
      expect((await client.get('/books')).body.meta).to.have.keys('page')
      expect(offered).to.equal(null)
    })

    it('hands the paginator of the server to the type, which may answer with another', async () => {
      expect(offered?.kind).to.equal('page')
      expect((await client.get('/labels')).body.meta.page.perPage).to.equal(2)
    })

    it('reads a type without a paginator whole, and says its total instead of a page', async () => {
      const { body } = await client.get('/leaflets?page[size]=1&page[number]=2')
      expect(body.data).to.have.length(7)
      expect(body.meta).to.deep.equal({ total: 7 })
      expect(body.links).to.have.keys('self')
    })

    it('prefers the paginator of a relation to that of the related type', async () => {
      const answer = await client.get('/shelves/1/pairs')
      expect(idsOf(answer)).to.deep.equal(['7', '6'])
      expect(answer.body.meta.page).to.deep.equal({ currentPage: 1, perPage: 2, from: 1, to: 2 })
      expect(new URL(answer.body.links.next).pathname).to.equal('/shelves/1/pairs')
      expect((await client.get('/shelves/1/pairs?page[size]=50')).body.meta.page.perPage).to.equal(3)
    })

    it('else uses that of the related type, which may be none', async () => {
      expect((await client.get('/shelves/1/books')).body.meta.page.perPage).to.equal(3)
      const whole = await client.get('/shelves/1/leaflets?page[size]=1')
      expect(idsOf(whole)).to.have.length(7)
      expect(whole.body.meta).to.deep.equal({ total: 7 })
    })

    it('else uses that of the server', async () => {
      expect((await client.get('/books/1/tags')).body.meta.page.perPage).to.equal(4)
    })

    it('reads a relation without pagination whole, with its total', async () => {
      const { body } = await client.get('/shelves/1/allBooks?page[size]=1&page[number]=3')
      expect(body.data).to.have.length(7)
      expect(body.meta).to.deep.equal({ total: 7 })
      expect(body.links).to.have.keys('self')
      const none = await client.get('/shelves/2/allBooks')
      expect(none.body.meta).to.deep.equal({ total: 0 })
    })

    it('shows an include whole, whatever the pages of its relation', async () => {
      const { body } = await client.get('/shelves/1?include=pairs,books')
      expect(body.data.relationships.pairs.data).to.have.length(7)
      expect(body.data.relationships.pairs.links).to.have.keys('self', 'related')
      expect(body.included).to.have.length(7)
    })
  })

  describe('of linkage', () => {
    it('is absent on a bare read, which is whole', async () => {
      const { body } = await client.get('/shelves/1/relationships/pairs')
      expect(body.data).to.have.length(7)
      expect(body.links).to.have.keys('self', 'related')
      expect(body).not.to.have.property('meta')
    })

    it('windows a plain to-many by the paginator of the relation when a page is asked for', async () => {
      const answer = await client.get('/shelves/1/relationships/pairs?page[number]=2')
      expect(answer.body.data).to.deep.equal([
        { type: 'books', id: '5' },
        { type: 'books', id: '4' },
      ])
      expect(pagesOf(answer)).to.deep.equal({
        self: 'number=2&size=2',
        first: 'number=1&size=2',
        prev: 'number=1&size=2',
        next: 'number=3&size=2',
      })
      expect(new URL(answer.body.links.next).pathname).to.equal('/shelves/1/relationships/pairs')
      expect(answer.body.links.related).to.equal(`${client.url}/shelves/1/pairs`)
      expect(answer.body).not.to.have.property('meta')
    })

    it('windows it as well when a sort is asked for, and keeps the sort in its links', async () => {
      const answer = await client.get('/shelves/1/relationships/pairs?sort=title')
      expect(idsOf(answer)).to.deep.equal(['1', '2'])
      expect(new URL(answer.body.links.next).searchParams.get('sort')).to.equal('title')
      const forwards = await walk(client, '/shelves/1/relationships/pairs?sort=title', 'next')
      expect(forwards.ids).to.deep.equal(['1', '2', '3', '4', '5', '6', '7'])
    })

    it('pages a many-to-many alike', async () => {
      const answer = await client.get('/books/2/relationships/tags?page[size]=1&page[number]=2')
      expect(idsOf(answer)).to.deep.equal([blue])
      expect(pagesOf(answer)).to.deep.equal({
        self: 'number=2&size=1',
        first: 'number=1&size=1',
        prev: 'number=1&size=1',
      })
    })

    it('ignores the page of a relation without pagination, while a sort applies', async () => {
      const answer = await client.get('/shelves/1/relationships/allBooks?page[size]=1&sort=title')
      expect(idsOf(answer)).to.deep.equal(['1', '2', '3', '4', '5', '6', '7'])
      expect(answer.body.links).to.have.keys('self', 'related')
      expect(answer.body).not.to.have.property('meta')
    })
  })

  describe('where there is no collection', () => {
    it('answers 400 and names the parameter at a to-one', async () => {
      expectRefusal(await client.get('/books/1/shelf?page[size]=1'))
      expectRefusal(await client.get('/books/1/relationships/shelf?page[number]=1'))
      expectRefusal(await client.patch('/books/1/relationships/shelf?page[number]=1', { data: null }))
    })

    it('is accepted without effect on one resource, read or written', async () => {
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

  it('answers 400 to the parameter, and reads everything whole, when it is off', async () => {
    client = await start({}, { disabled: ['pagination', 'cursor-profile', 'relationship-queries'] })
    expectRefusal(await client.get('/books?page[size]=1'))
    const { body } = await client.get('/books')
    expect(body.data).to.have.length(7)
    expect(body.meta).to.deep.equal({ total: 7 })
  })
})

const red = '11111111-1111-4111-8111-111111111111'
const blue = '22222222-2222-4222-8222-222222222222'

/** What the labels were handed as the paginator of the server. */
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
  file: 'plugins/pagination/pagination.test.ts',
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

function idsOf({ status, body }: Answer): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ id }: { id: string }) => id)
}

/** The page each link leads to: `number=2&size=3`. Links without a page are left out. */
function pagesOf({ body }: Answer): Record<string, string> {
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
    pages.push(idsOf(answer))
    last = path
    path = answer.body.links[direction]
  }
  return { ids: pages.flat(), pages, last }
}

function expectRefusal({ status, body }: Answer): void {
  expect(status).to.equal(400)
  expect(body.errors[0]).to.deep.include({ code: 'QUERY_PARAM_UNRECOGNIZED', source: { parameter: 'page' } })
}
