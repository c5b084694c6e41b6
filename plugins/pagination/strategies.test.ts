import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource, type Paginator } from '#kernel/plugin'
import { cursor, cursorProfileUri } from '#plugins/cursor-profile/index.ts'
import { buildApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import type { Answer, Client } from '#test/support/client.ts'
import { Book, Shelf } from '#test/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/support/library/index.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fixedPage, menu, offset, page } from './index.ts'

describe('Pages', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (paginator: Paginator | Words, options: TestAppOptions = {}) => {
    const words = 'window' in paginator ? { pagination: () => paginator } : paginator
    const library = await startLibrary({ resources: declare(words), ...options })
    started.push(library)
    client = library.client
  }

  before(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    const em = orm.em.fork()
    await em.insertMany(Shelf, [{ id: 1, name: 'Full' }])
    const ids = [1, 2, 3, 4, 5, 6, 7]
    await em.insertMany(
      Book,
      ids.map((id) => ({ id, title: `book ${id}`, position: id, shelf: 1 })),
    )
  })
  afterEach(async () => {
    for (const library of started.splice(0)) await library.close()
  })
  after(emptyLibrary)

  describe('by offset', () => {
    it('start at any row, and link to both sides', async () => {
      await start(offset({ size: 3 }))
      const answer = await client.get('/books?page[offset]=2&page[limit]=2')
      expect(idsOf(answer)).to.deep.equal(['3', '4'])
      expect(pagesOf(answer)).to.deep.equal({
        self: 'offset=2&limit=2',
        first: 'offset=0&limit=2',
        prev: 'offset=0&limit=2',
        next: 'offset=4&limit=2',
      })
      expect(answer.body.meta).to.deep.equal({ page: { offset: 2, limit: 2, from: 3, to: 4 } })
    })

    it('take the size of the declaration, and never a larger one than the cap', async () => {
      await start(offset({ size: 3, max: 4 }))
      expect((await client.get('/books')).body.meta.page).to.deep.equal({ offset: 0, limit: 3, from: 1, to: 3 })
      expect((await client.get('/books?page[limit]=50')).body.meta.page.limit).to.equal(4)
      await start(offset())
      expect((await client.get('/books')).body.meta.page.limit).to.equal(15)
      expect((await client.get('/books?page[limit]=999')).body.meta.page.limit).to.equal(100)
    })

    it('never go before the first row', async () => {
      await start(offset({ size: 3 }))
      const answer = await client.get('/books?page[offset]=1')
      expect(pagesOf(answer).prev).to.equal('offset=0&limit=3')
      expect((await client.get('/books?page[offset]=-5')).body.meta.page.offset).to.equal(0)
      expect(pagesOf(await client.get('/books'))).not.to.have.property('prev')
    })

    it('fall back for garbage, and read no other key', async () => {
      await start(offset({ size: 3 }))
      for (const query of [
        'page[offset]=abc',
        'page[limit]=1.5',
        'page[number]=2',
        'page[size]=1',
        'page[offset][]=1',
      ]) {
        const { status, body } = await client.get(`/books?${query}`)
        expect(status, query).to.equal(200)
        expect(body.meta.page, query).to.include({ offset: 0, limit: 3 })
      }
      const { status, body } = await client.get('/books?page[offset]=99999999999999999999999')
      expect(status).to.equal(200)
      expect(body.data).to.deep.equal([])
    })

    it('are empty for a limit of zero or less, without links of a page', async () => {
      await start(offset({ withCount: true }))
      const { body } = await client.get('/books?page[limit]=0')
      expect(body.data).to.deep.equal([])
      expect(body.links).to.have.keys('self')
      expect(body.meta).to.deep.equal({ total: 7, page: { offset: 0, limit: 0, from: null, to: null, total: 7 } })
    })

    it('out of range lead back by one page, or to the last one when they are counted', async () => {
      await start(offset({ size: 3 }))
      const uncounted = await client.get('/books?page[offset]=20')
      expect(uncounted.body.links).to.have.keys('self', 'first', 'prev')
      expect(pagesOf(uncounted).prev).to.equal('offset=17&limit=3')
      await start(offset({ size: 3, withCount: true }))
      const counted = await client.get('/books?page[offset]=20')
      expect(counted.body.links).to.have.keys('self', 'first', 'prev', 'last')
      expect(counted.body.links.self).to.equal(`${client.url}/books?page[offset]=20`)
      expect(pagesOf(counted)).to.include({ prev: 'offset=6&limit=3', last: 'offset=6&limit=3' })
    })
  })

  describe('that count', () => {
    it('tell the total twice and link to the last page, with one COUNT', async () => {
      await start(page({ size: 3, withCount: true }))
      const statements = await statementsOf(async () => {
        const answer = await client.get('/books')
        expect(answer.body.meta.total).to.equal(7)
        expect(answer.body.meta.page).to.deep.equal({
          currentPage: 1,
          perPage: 3,
          from: 1,
          to: 3,
          total: 7,
          lastPage: 3,
        })
        expect(pagesOf(answer).last).to.equal('number=3&size=3')
      })
      expect(statements.map(({ sql }) => /count\(/.test(sql))).to.deep.equal([false, true])
    })

    it('out of range lead back to the last page', async () => {
      await start(page({ size: 3, withCount: true }))
      const answer = await client.get('/books?page[number]=9')
      expect(answer.body.links).to.have.keys('self', 'first', 'prev', 'last')
      expect(pagesOf(answer).prev).to.equal('number=3&size=3')
    })

    it('tell the real total of a size of zero, and no last page', async () => {
      await start(page({ withCount: true }))
      const { body } = await client.get('/books?page[size]=0')
      expect(body.links).to.have.keys('self')
      expect(body.meta.page).to.deep.include({ perPage: 0, total: 7, lastPage: 0 })
    })

    it('count related rows and linkage alike', async () => {
      await start({ paginate: offset({ size: 3, withCount: true }) })
      for (const query of ['', 'page[offset]=30', 'page[limit]=0']) {
        const { body } = await client.get(`/shelves/1/books?${query}`)
        expect(body.meta.total, query).to.equal(7)
      }
      const linkage = await client.get('/shelves/1/relationships/books?page[offset]=3')
      expect(linkage.body.meta).to.deep.equal({ total: 7 })
      expect(pagesOf(linkage).last).to.equal('offset=6&limit=3')
    })
  })

  describe('of a fixed size', () => {
    it('read the number only, and never tell the size', async () => {
      await start(fixedPage({ size: 2 }))
      const answer = await client.get('/books?page[number]=2&page[size]=50')
      expect(idsOf(answer)).to.deep.equal(['3', '4'])
      expect(answer.body.meta).to.deep.equal({ page: { currentPage: 2 } })
      expect(pagesOf(answer)).to.deep.equal({ self: 'number=2', first: 'number=1', prev: 'number=1', next: 'number=3' })
    })

    it('have no cap, and 15 items when nobody says otherwise', async () => {
      await start(fixedPage())
      expect(idsOf(await client.get('/books'))).to.have.length(7)
      const statements = await statementsOf(() => client.get('/books'))
      expect(statements[0]?.parameters).to.deep.equal([16])
      await start(fixedPage({ size: 300 }))
      expect((await statementsOf(() => client.get('/books')))[0]?.parameters).to.deep.equal([301])
    })

    it('tell total and last page when they are counted', async () => {
      await start(fixedPage({ size: 3, withCount: true }))
      const answer = await client.get('/books')
      expect(answer.body.meta).to.deep.equal({ total: 7, page: { currentPage: 1, total: 7, lastPage: 3 } })
      expect(pagesOf(answer).last).to.equal('number=3')
    })
  })

  describe('of a menu', () => {
    const offered = () => menu(page({ size: 2 }), offset({ size: 3 }), cursor({ size: 4 }), fixedPage({ size: 5 }))

    it('are those of the first strategy, unless another is the default', async () => {
      await start(offered())
      expect(idsOf(await client.get('/books'))).to.have.length(2)
      expect((await client.get('/books')).body.meta.page).to.include({ currentPage: 1, perPage: 2 })
      await start(offered().defaultKind('offset'))
      expect((await client.get('/books')).body.meta.page).to.include({ offset: 0, limit: 3 })
    })

    it('are of the kind that is asked for, and their links keep it', async () => {
      await start(offered())
      const answer = await client.get('/books?page[kind]=fixed&page[number]=2')
      expect(idsOf(answer)).to.deep.equal(['6', '7'])
      expect(pagesOf(answer).first).to.equal('kind=fixed&number=1')
      expect((await client.get('/books?page[kind]=offset')).body.meta.page.limit).to.equal(3)
      expect((await client.get('/books?page[kind]=page&page[size]=1')).body.meta.page.perPage).to.equal(1)
    })

    it('are of the strategy that alone reads a key which was sent', async () => {
      await start(offered())
      expect((await client.get('/books?page[offset]=1')).body.meta.page).to.include({ offset: 1, limit: 3 })
      expect((await client.get('/books?page[limit]=1')).body.meta.page).to.include({ offset: 0, limit: 1 })
      const first = await client.get('/books?page[kind]=cursor&page[size]=2')
      const after = new URL(first.body.links.next).searchParams.get('page[after]')
      const next = await client.get(`/books?page[after]=${after}&page[size]=2`)
      expect(idsOf(next)).to.deep.equal(['3', '4'])
      expect(next.body.meta.page).to.have.property('hasMore')
    })

    it('take the default for a key that several strategies read', async () => {
      await start(offered().defaultKind('cursor'))
      expect((await client.get('/books?page[number]=2')).body.meta.page).to.have.property('hasMore')
      expect((await client.get('/books?page[size]=1')).body.meta.page).to.include({ perPage: 1, hasMore: true })
    })

    it('take the first declared of two strategies whose own keys were sent, and the kind before both', async () => {
      await start(offered())
      const { body } = await client.get('/books?page[after]=nonsense&page[offset]=1')
      expect(body.meta.page).to.include({ offset: 1 })
      expect((await client.get('/books?page[kind]=page&page[offset]=1')).body.meta.page.currentPage).to.equal(1)
    })

    it('announce the cursor profile when the cursor is chosen, and only then', async () => {
      await start(offered())
      const chosen = await client.get('/books?page[kind]=cursor')
      expect(chosen.body.jsonapi.profile).to.deep.equal([cursorProfileUri])
      expect((await client.get('/books')).body.jsonapi).not.to.have.property('profile')
    })

    it('answer 400 to an unknown kind, and list those on offer', async () => {
      await start(offered())
      const { status, body } = await client.get('/books?page[kind]=pages')
      expect(status).to.equal(400)
      expect(body.errors).to.have.length(1)
      const { code, source, detail } = body.errors[0]
      expect({ code, source }).to.deep.equal({
        code: 'PAGINATION_KIND_UNKNOWN',
        source: { parameter: 'page[kind]' },
      })
      expect(detail).to.include("'page', 'offset', 'cursor', 'fixed'")
    })

    it('ignore a kind where there is no menu, and one that is no text', async () => {
      await start(page({ size: 2 }))
      expect((await client.get('/books?page[kind]=nonsense')).status).to.equal(200)
      await start(offered())
      expect((await client.get('/books?page[kind][]=offset')).body.meta.page.perPage).to.equal(2)
    })

    it('offer a strategy twice under another name', async () => {
      await start(menu(page({ size: 2 }), page({ size: 4 }).named('large'), cursor({ size: 3 }).named('walk')))
      expect((await client.get('/books?page[kind]=large')).body.meta.page.perPage).to.equal(4)
      const walk = await client.get('/books?page[kind]=walk')
      expect(walk.body.jsonapi.profile).to.deep.equal([cursorProfileUri])
    })

    it('page related rows and linkage as well', async () => {
      await start({ paginate: offered() })
      expect((await client.get('/shelves/1/books?page[offset]=1')).body.meta.page.offset).to.equal(1)
      const linkage = await client.get('/shelves/1/relationships/books?page[kind]=cursor&page[size]=2')
      expect(linkage.body.data).to.have.length(2)
      expect(linkage.body.links.next).to.include('page%5Bkind%5D=cursor')
      expect(linkage.body.jsonapi.profile).to.deep.equal([cursorProfileUri])
    })

    it('window an include when the default is a cursor', async () => {
      await start({ paginate: menu(cursor({ size: 2 }), page()) })
      const { body } = await client.get('/shelves/1?include=books')
      expect(body.included).to.have.length(2)
      expect(body.jsonapi.profile).to.deep.equal([cursorProfileUri])
      await start({ paginate: menu(page({ size: 2 }), cursor()) })
      expect((await client.get('/shelves/1?include=books')).body.included).to.have.length(7)
    })

    it('do not offer the cursor when its plugin is off', async () => {
      await start(menu(cursor({ size: 2 }), page({ size: 3 })), { disabled: ['cursor-profile'] })
      expect((await client.get('/books')).body.meta.page.perPage).to.equal(3)
      expect((await client.get('/books?page[kind]=cursor')).status).to.equal(400)
    })

    it('end the start when two have one kind, the default is none of them, or there are none', async () => {
      const faults = await faultsOf({ pagination: () => menu(page(), page(), offset(), offset()) })
      expect(faults).to.deep.equal([
        "books.pagination (books.ts): A menu offers 'page' twice: give one another name with named().",
        "books.pagination (books.ts): A menu offers 'offset' twice: give one another name with named().",
      ])
      expect(await faultsOf({ paginate: menu(page()).defaultKind('cursor') })).to.deep.equal([
        "shelves.books (shelves.ts): The default kind 'cursor' of a menu is none of its paginators.",
      ])
      expect(await faultsOf({ pagination: () => menu() })).to.deep.equal([
        'books.pagination (books.ts): A menu of paginators offers at least one.',
      ])
      expect(await faultsOf({ pagination: () => menu(menu(page()) as never) })).to.deep.equal([
        'books.pagination (books.ts): A menu of paginators cannot stand in another.',
      ])
    })
  })

  describe('by the short words of a type', () => {
    it('have the size and the cap it says', async () => {
      await start({ perPage: 2, maxPerPage: 3 })
      expect((await client.get('/books')).body.meta.page.perPage).to.equal(2)
      expect((await client.get('/books?page[size]=50')).body.meta.page.perPage).to.equal(3)
      await start({ perPage: 2 })
      expect((await client.get('/books?page[size]=500')).body.meta.page.perPage).to.equal(100)
      await start({ maxPerPage: 4 })
      expect((await client.get('/books')).body.meta.page.perPage).to.equal(4)
    })

    it('end the start beside a paginator', async () => {
      expect(await faultsOf({ perPage: 2, pagination: () => page() })).to.deep.equal([
        "books.pagination (books.ts): Say either 'pagination' or 'perPage' and 'maxPerPage'.",
      ])
    })
  })
})

type Words = Partial<ResourceDeclaration<Book>> & { readonly paginate?: Paginator }

function declare({ paginate = page(), ...words }: Words): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo }) => [id(), string('title').sortable(), belongsTo('shelf', 'shelves')],
    ...words,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books').paginate(paginate)],
  })
  return [books, shelves].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

async function faultsOf(words: Words): Promise<readonly string[]> {
  try {
    const options = { resources: declare(words), servers: { default: {} }, database: await libraryDatabase() }
    await (await buildApp(options)).close()
    return []
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    return error.message.split('\n')
  }
}

function idsOf({ status, body }: Answer): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ id }: { id: string }) => id)
}

/** The page each link leads to: `offset=2&limit=3`. Links without a page are left out. */
function pagesOf({ body }: Answer): Record<string, string> {
  const pages = Object.entries(body.links as Record<string, string>).map(([name, link]) => {
    const params = [...new URL(link).searchParams].filter(([key]) => key.startsWith('page['))
    return [name, params.map(([key, value]) => `${key.slice(5, -1)}=${value}`).join('&')]
  })
  return Object.fromEntries(pages.filter(([, params]) => params !== ''))
}
