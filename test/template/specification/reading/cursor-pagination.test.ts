import { expect } from 'chai'
import { defineResource } from '#kernel'
import { cursor } from '#plugins/pagination/index.ts'
import type { TestApp } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { libraryWith } from '../library-app.ts'
import { cursorUri, expectError, readIds } from '../support.ts'

// https://jsonapi.org/profiles/ethanresnick/cursor-pagination/

describe('Cursor pagination', () => {
  let library: TestApp
  let client: Client
  const ids = async (path: string) => readIds((await client.get(path)).body.data)

  before(async () => {
    await fillBooks()
    library = await startLibrary({ resources: libraryWith(books) })
    client = library.client
  })

  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  describe('order', () => {
    it('CUR-01 returns the same order for repeated requests', async () => {
      for (const query of ['', 'sort=position', 'sort=-rating', 'sort=title,-position']) {
        const path = `/books?${query}&page[size]=10`
        expect(await ids(path), query).to.deep.equal(await ids(path))
      }
    })

    it('CUR-02 breaks ties, so that no row is repeated or missed', async () => {
      for (const sort of ['position', '-position', 'rating', '-rating,title']) {
        const ids = (await walk(client, `/books?sort=${sort}&page[size]=2`)).flat()
        expect(ids, sort).to.have.members(everyBook)
      }
    })

    it('CUR-03 sorts by id when no sort is given, in linkage too', async () => {
      expect((await walk(client, '/books?page[size]=4')).flat()).to.deep.equal(everyBook)
      const linkage = '/shelves/1/relationships/books?page[size]=2'
      expect((await walk(client, linkage)).flat()).to.deep.equal(['1', '2', '3', '4', '5'])
    })

    it('CUR-04 CUR-24 CUR-29 returns 400 SORTING_UNSUPPORTED with the error type of the profile for a sort with a custom handler', async () => {
      const response = await client.get('/books?sort=mood')
      expectError(response, 400, 'SORTING_UNSUPPORTED', { parameter: 'sort' })
      expect(response.body.errors[0].links.type).to.equal(`${cursorUri}unsupported-sort`)
      expect((await client.get('/books?sort=title')).status).to.equal(200)
    })
  })

  describe('cursors', () => {
    it('CUR-05 divides a list into the rows before, at and after the cursor', async () => {
      for (const sort of ['title', '-rating', 'position,-title']) {
        const whole = await ids(`/books?sort=${sort}&page[size]=10`)
        const token = await tokenAfter(client, `/books?sort=${sort}&page[size]=4`)
        const before = await ids(`/books?sort=${sort}&page[size]=10&page[before]=${token}`)
        const after = await ids(`/books?sort=${sort}&page[size]=10&page[after]=${token}`)
        expect([...before, whole[3], ...after], sort).to.deep.equal(whole)
      }
    })

    it('CUR-05 needs no URL encoding', async () => {
      const token = await tokenAfter(client, '/books?sort=-rating&page[size]=4')
      expect(encodeURIComponent(token)).to.equal(token)
    })

    it('CUR-06 continues between the same rows when the row of the cursor is deleted', async () => {
      const token = await tokenAfter(client, '/books?sort=title&page[size]=4')
      const [, , , deleted] = await ids('/books?sort=title&page[size]=10')
      const rest = await ids(`/books?sort=title&page[size]=10&page[after]=${token}`)
      await execute(`update books set deleted_at = now() where id = ${deleted}`)
      expect(await ids(`/books?sort=title&page[size]=10&page[after]=${token}`)).to.deep.equal(rest)
      await execute('update books set deleted_at = null')
    })

    it('CUR-11 CUR-26 CUR-29 returns 400 naming the parameter when a cursor is malformed or stale', async () => {
      const stale = await tokenAfter(client, '/books?sort=title&page[size]=1')
      for (const member of ['after', 'before']) {
        const source = { parameter: `page[${member}]` }
        for (const path of ['/books', '/shelves/1/books', '/shelves/1/relationships/books']) {
          const garbage = await client.get(`${path}?page[${member}]=garbage`)
          expectError(garbage, 400, 'CURSOR_MALFORMED', source)
          expect(garbage.body.errors[0].links.type).to.match(/\/errors#CURSOR_MALFORMED$/)
          expectError(await client.get(`${path}?page[${member}]=${stale}`), 400, 'CURSOR_STALE', source)
        }
      }
    })

    it('CUR-19 puts no cursor into the meta of items', async () => {
      for (const item of (await client.get('/books')).body.data) expect(item).not.to.have.property('meta')
    })
  })

  describe('pages', () => {
    it('CUR-07 uses the default size when the size is not a number, and returns an empty page when it is below 1', async () => {
      for (const size of ['abc', '1.5', '1e1', ''])
        expect(await ids(`/books?page[size]=${size}`), size).to.have.length(3)
      for (const size of ['0', '-1']) expect(await ids(`/books?page[size]=${size}`), size).to.have.length(0)
    })

    it('CUR-08 CUR-25 limits the size to the maximum and returns it in meta.page.perPage', async () => {
      const { status, body } = await client.get('/books?page[size]=11')
      expect(status).to.equal(200)
      expect(body.meta.page.perPage).to.equal(10)
    })

    it('CUR-09 uses the default size of the server when no size is given', async () => {
      expect(await ids('/books')).to.deep.equal(['1', '2', '3'])
      expect(await ids('/shelves/1/books')).to.deep.equal(['1', '2'])
    })

    it('CUR-10 fills every page but the last', async () => {
      const sizes = (await walk(client, '/books?sort=-rating&page[size]=4')).map((page) => page.length)
      expect(sizes).to.deep.equal([4, 4, 2])
    })

    it('CUR-12 CUR-14 starts at the first row or after the cursor, and returns an empty page after the end', async () => {
      expect(await ids('/books?page[size]=2')).to.deep.equal(['1', '2'])
      const token = await tokenAfter(client, '/books?page[size]=2')
      expect(await ids(`/books?page[size]=2&page[after]=${token}`)).to.deep.equal(['3', '4'])
      const last = await tokenAfter(client, '/books?sort=-title&page[size]=9')
      const [end] = await ids(`/books?sort=-title&page[size]=10&page[after]=${last}`)
      await execute(`update books set deleted_at = now() where id = ${end}`)
      const beyond = await client.get(`/books?sort=-title&page[after]=${last}`)
      await execute('update books set deleted_at = null')
      expect(beyond.status).to.equal(200)
      expect(beyond.body.data).to.deep.equal([])
    })

    it('CUR-13 ends before the cursor, in the order of the list', async () => {
      const token = await tokenAfter(client, '/books?sort=-title&page[size]=5')
      const whole = await ids('/books?sort=-title&page[size]=10')
      expect(await ids(`/books?sort=-title&page[size]=3&page[before]=${token}`)).to.deep.equal(whole.slice(1, 4))
    })

    it('CUR-18 CUR-28 describes the page in meta.page without totals', async () => {
      for (const path of ['/books', '/books?page[size]=0', '/books?sort=-title', '/shelves/2/books']) {
        const { meta } = (await client.get(path)).body
        expect(meta, path).to.have.keys('page')
        expect(meta.page, path).to.be.an('object').and.not.to.have.any.keys('total', 'estimatedTotal', 'lastPage')
      }
    })

    it('CUR-28 returns 400 when a total is requested with withCount', async () => {
      const response = await client.get('/books?withCount=_self_')
      expectError(response, 400, 'RELATIONSHIP_COUNT_NOT_ALLOWED', { parameter: 'withCount' })
    })

    it('CUR-30 names the profile in Content-Type and jsonapi.profile', async () => {
      for (const path of ['/books', '/shelves/1/books', '/shelves?include=books']) {
        const { headers, body } = await client.get(path)
        expect(headers.get('content-type'), path).to.contain(`profile="${cursorUri}"`)
        expect(body.jsonapi.profile, path).to.deep.equal([cursorUri])
      }
    })
  })

  describe('ranges', () => {
    const range = async (query: string) => {
      const after = await tokenAfter(client, '/books?page[size]=1')
      const before = await tokenAfter(client, '/books?page[size]=8')
      return client.get(`/books?page[after]=${after}&page[before]=${before}${query}`)
    }

    it('CUR-15 CUR-16 CUR-27 returns the rows between two cursors, up to the maximum size', async () => {
      const { body } = await range('')
      expect(readIds(body.data)).to.deep.equal(['2', '3', '4', '5', '6', '7'])
      expect(body.meta.page).not.to.have.property('rangeTruncated')
      expect(body.meta.page.perPage).to.equal(10)
    })

    it('CUR-17 sets rangeTruncated when the range is longer than the size', async () => {
      const { body } = await range('&page[size]=2')
      expect(readIds(body.data)).to.deep.equal(['2', '3'])
      expect(body.meta.page.rangeTruncated).to.equal(true)
    })
  })

  describe('links', () => {
    it('CUR-20 has a link to the first page and none to the last', async () => {
      const { links } = (await client.get('/books?sort=title&page[size]=2')).body
      expect(links).to.have.property('first')
      expect(links).not.to.have.property('last')
      expect(await ids(links.first)).to.deep.equal(await ids('/books?sort=title&page[size]=2'))
    })

    it('CUR-21 CUR-22 omits prev on the first page and next on the last, in linkage too', async () => {
      for (const path of ['/books?page[size]=4', '/shelves/1/books', '/shelves/1/relationships/books?page[size]=2']) {
        const pages = await fetchPages(client, path)
        const neighbours = pages.map(({ body }) => ['prev', 'next'].filter((name) => name in body.links))
        expect(neighbours, path).to.deep.equal([['next'], ['prev', 'next'], ['prev']])
      }
    })

    it('CUR-23 may link to an empty previous page, because a check would cost a statement', async () => {
      const before = await tokenAfter(client, '/books?page[size]=1')
      await execute(`update books set deleted_at = now() where id = 1`)
      const { links } = (await client.get(`/books?page[after]=${before}`)).body
      const { status, body } = await client.get(links.prev)
      await execute('update books set deleted_at = null')
      expect(status).to.equal(200)
      expect(body.data).to.deep.equal([])
    })
  })
})

const everyBook = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']

const books = defineResource(Book, {
  type: 'books',
  countable: true,
  fields: ({ id, string, integer, decimal, belongsTo }) => [
    id(),
    string('title').sortable(),
    integer('position').sortable(),
    decimal('rating').nullable().sortable(),
    belongsTo('shelf', 'shelves'),
  ],
  sorts: { mood: { handler: (descending) => [{ property: 'title', descending }] } },
  pagination: () => cursor({ size: 3, max: 10 }),
})

/** Inserts ten books with ties and NULLs: five on shelf 1, none on shelf 2. */
async function fillBooks(): Promise<void> {
  await emptyLibrary()
  await execute(`insert into shelves (id, name) values (1, 'Fiction'), (2, 'Poetry')`)
  await execute(`insert into books (id, title, position, rating, shelf_id)
    select number, chr(97 + number * 7 % 10), number % 3, nullif(number % 4, 3), case when number < 6 then 1 end
    from generate_series(1, 10) number`)
}

async function execute(sql: string): Promise<void> {
  const { orm } = await libraryDatabase()
  await orm.em.getConnection().execute(sql)
}

async function fetchPages(client: Client, path: string): Promise<ClientResponse[]> {
  const responses: ClientResponse[] = []
  for (let link: string | undefined = path; link; link = responses.at(-1)?.body.links.next) {
    responses.push(await client.get(link))
  }
  return responses
}

async function walk(client: Client, path: string): Promise<string[][]> {
  return (await fetchPages(client, path)).map(({ body }) => readIds(body.data))
}

/** Returns the cursor of the last row of this page. */
async function tokenAfter(client: Client, path: string): Promise<string> {
  const { body } = await client.get(path)
  return new URL(body.links.next).searchParams.get('page[after]') as string
}
