import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import type { ErrorObject } from '#kernel/errors'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import type { Paginator } from '#kernel/queries'
import { buildApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { cursor, cursorProfileUri, fixedPage, menu, offset, page } from '../index.ts'

describe('Pagination strategies', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (paginator: Paginator | Overrides, options: TestAppOptions = {}) => {
    const overrides = 'window' in paginator ? { pagination: () => paginator } : paginator
    const library = await startLibrary({ resources: declare(overrides), ...options })
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

  describe('offset()', () => {
    it('returns the rows from page[offset] on, with the links prev and next', async () => {
      await start(offset({ size: 3 }))
      const answer = await client.get('/books?page[offset]=2&page[limit]=2')
      expect(readIds(answer)).to.deep.equal(['3', '4'])
      expect(pageParameters(answer)).to.deep.equal({
        self: 'offset=2&limit=2',
        first: 'offset=0&limit=2',
        prev: 'offset=0&limit=2',
        next: 'offset=4&limit=2',
      })
      expect(answer.body.meta).to.deep.equal({ page: { offset: 2, limit: 2, from: 3, to: 4 } })
    })

    it('uses the declared size, and limits page[limit] to the maximum', async () => {
      await start(offset({ size: 3, max: 4 }))
      expect((await client.get('/books')).body.meta.page).to.deep.equal({ offset: 0, limit: 3, from: 1, to: 3 })
      expect((await client.get('/books?page[limit]=50')).body.meta.page.limit).to.equal(4)
      await start(offset())
      expect((await client.get('/books')).body.meta.page.limit).to.equal(15)
      expect((await client.get('/books?page[limit]=999')).body.meta.page.limit).to.equal(100)
    })

    it('never links to an offset below 0', async () => {
      await start(offset({ size: 3 }))
      const answer = await client.get('/books?page[offset]=1')
      expect(pageParameters(answer).prev).to.equal('offset=0&limit=3')
      expect((await client.get('/books?page[offset]=-5')).body.meta.page.offset).to.equal(0)
      expect(pageParameters(await client.get('/books'))).not.to.have.property('prev')
    })

    it('uses the defaults for values that are not integers, and ignores other keys', async () => {
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

    it('returns an empty page without page links for page[limit]=0', async () => {
      await start(offset({ withCount: true }))
      const { body } = await client.get('/books?page[limit]=0')
      expect(body.data).to.deep.equal([])
      expect(body.links).to.have.keys('self')
      expect(body.meta).to.deep.equal({ total: 7, page: { offset: 0, limit: 0, from: null, to: null, total: 7 } })
    })

    it('links prev to the page before, or to the last page if counted, when the offset is beyond the end', async () => {
      await start(offset({ size: 3 }))
      const uncounted = await client.get('/books?page[offset]=20')
      expect(uncounted.body.links).to.have.keys('self', 'first', 'prev')
      expect(pageParameters(uncounted).prev).to.equal('offset=17&limit=3')
      await start(offset({ size: 3, withCount: true }))
      const counted = await client.get('/books?page[offset]=20')
      expect(counted.body.links).to.have.keys('self', 'first', 'prev', 'last')
      expect(counted.body.links.self).to.equal(`${client.url}/books?page[offset]=20`)
      expect(pageParameters(counted)).to.include({ prev: 'offset=6&limit=3', last: 'offset=6&limit=3' })
    })
  })

  describe('withCount', () => {
    it('returns meta.total, meta.page.total and the link last, with one COUNT', async () => {
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
        expect(pageParameters(answer).last).to.equal('number=3&size=3')
      })
      expect(statements.map(({ sql }) => /count\(/.test(sql))).to.deep.equal([false, true])
    })

    it('links prev to the last page when the number is beyond the end', async () => {
      await start(page({ size: 3, withCount: true }))
      const answer = await client.get('/books?page[number]=9')
      expect(answer.body.links).to.have.keys('self', 'first', 'prev', 'last')
      expect(pageParameters(answer).prev).to.equal('number=3&size=3')
    })

    it('returns the total, and lastPage 0, for a size of zero', async () => {
      await start(page({ withCount: true }))
      const { body } = await client.get('/books?page[size]=0')
      expect(body.links).to.have.keys('self')
      expect(body.meta.page).to.deep.include({ perPage: 0, total: 7, lastPage: 0 })
    })

    it('counts related collections and linkage', async () => {
      await start({ paginate: offset({ size: 3, withCount: true }) })
      for (const query of ['', 'page[offset]=30', 'page[limit]=0']) {
        const { body } = await client.get(`/shelves/1/books?${query}`)
        expect(body.meta.total, query).to.equal(7)
      }
      const linkage = await client.get('/shelves/1/relationships/books?page[offset]=3')
      expect(linkage.body.meta).to.deep.equal({ total: 7 })
      expect(pageParameters(linkage).last).to.equal('offset=6&limit=3')
    })
  })

  describe('fixedPage()', () => {
    it('reads page[number] only, and does not return the size', async () => {
      await start(fixedPage({ size: 2 }))
      const answer = await client.get('/books?page[number]=2&page[size]=50')
      expect(readIds(answer)).to.deep.equal(['3', '4'])
      expect(answer.body.meta).to.deep.equal({ page: { currentPage: 2 } })
      expect(pageParameters(answer)).to.deep.equal({
        self: 'number=2',
        first: 'number=1',
        prev: 'number=1',
        next: 'number=3',
      })
    })

    it('has 15 items by default, and no maximum', async () => {
      await start(fixedPage())
      expect(readIds(await client.get('/books'))).to.have.length(7)
      const statements = await statementsOf(() => client.get('/books'))
      expect(statements[0]?.parameters).to.deep.equal([16])
      await start(fixedPage({ size: 300 }))
      expect((await statementsOf(() => client.get('/books')))[0]?.parameters).to.deep.equal([301])
    })

    it('returns total and lastPage when it counts', async () => {
      await start(fixedPage({ size: 3, withCount: true }))
      const answer = await client.get('/books')
      expect(answer.body.meta).to.deep.equal({ total: 7, page: { currentPage: 1, total: 7, lastPage: 3 } })
      expect(pageParameters(answer).last).to.equal('number=3')
    })
  })

  describe('menu()', () => {
    const offered = () => menu(page({ size: 2 }), offset({ size: 3 }), cursor({ size: 4 }), fixedPage({ size: 5 }))

    it('uses the first strategy, unless defaultKind() names another', async () => {
      await start(offered())
      expect(readIds(await client.get('/books'))).to.have.length(2)
      expect((await client.get('/books')).body.meta.page).to.include({ currentPage: 1, perPage: 2 })
      await start(offered().defaultKind('offset'))
      expect((await client.get('/books')).body.meta.page).to.include({ offset: 0, limit: 3 })
    })

    it('uses the strategy of page[kind], and keeps page[kind] in its links', async () => {
      await start(offered())
      const answer = await client.get('/books?page[kind]=fixed&page[number]=2')
      expect(readIds(answer)).to.deep.equal(['6', '7'])
      expect(pageParameters(answer).first).to.equal('kind=fixed&number=1')
      expect((await client.get('/books?page[kind]=offset')).body.meta.page.limit).to.equal(3)
      expect((await client.get('/books?page[kind]=page&page[size]=1')).body.meta.page.perPage).to.equal(1)
    })

    it('uses the strategy that is the only one to read a sent key', async () => {
      await start(offered())
      expect((await client.get('/books?page[offset]=1')).body.meta.page).to.include({ offset: 1, limit: 3 })
      expect((await client.get('/books?page[limit]=1')).body.meta.page).to.include({ offset: 0, limit: 1 })
      const first = await client.get('/books?page[kind]=cursor&page[size]=2')
      const after = new URL(first.body.links.next).searchParams.get('page[after]')
      const next = await client.get(`/books?page[after]=${after}&page[size]=2`)
      expect(readIds(next)).to.deep.equal(['3', '4'])
      expect(next.body.meta.page).to.have.property('hasMore')
    })

    it('uses the default for a key that several strategies read', async () => {
      await start(offered().defaultKind('cursor'))
      expect((await client.get('/books?page[number]=2')).body.meta.page).to.have.property('hasMore')
      expect((await client.get('/books?page[size]=1')).body.meta.page).to.include({ perPage: 1, hasMore: true })
    })

    it('uses the first declared strategy when keys of two were sent, and prefers page[kind] to both', async () => {
      await start(offered())
      const { body } = await client.get('/books?page[after]=nonsense&page[offset]=1')
      expect(body.meta.page).to.include({ offset: 1 })
      expect((await client.get('/books?page[kind]=page&page[offset]=1')).body.meta.page.currentPage).to.equal(1)
    })

    it('returns the cursor profile only when the cursor is selected', async () => {
      await start(offered())
      const chosen = await client.get('/books?page[kind]=cursor')
      expect(chosen.body.jsonapi.profile).to.deep.equal([cursorProfileUri])
      expect((await client.get('/books')).body.jsonapi).not.to.have.property('profile')
    })

    it('returns 400 PAGINATION_KIND_UNKNOWN with the supported kinds for an unknown kind', async () => {
      await start(offered())
      const { status, body } = await client.get('/books?page[kind]=pages')
      expect(status).to.equal(400)
      expect(body.errors).to.have.length(1)
      const { code, source, detail } = body.errors[0]
      expect({ code, source }).to.deep.equal({
        code: 'PAGINATION_KIND_UNKNOWN',
        source: { parameter: 'page[kind]' },
      })
      expect(detail).to.equal(
        "Unknown pagination kind 'pages'. Supported here: page, offset, cursor, fixed. Did you mean 'page'?",
      )
    })

    it('ignores page[kind] without a menu, and a kind that is not a string', async () => {
      await start(page({ size: 2 }))
      expect((await client.get('/books?page[kind]=nonsense')).status).to.equal(200)
      await start(offered())
      expect((await client.get('/books?page[kind][]=offset')).body.meta.page.perPage).to.equal(2)
    })

    it('offers a strategy twice under another name by named()', async () => {
      await start(menu(page({ size: 2 }), page({ size: 4 }).named('large'), cursor({ size: 3 }).named('walk')))
      expect((await client.get('/books?page[kind]=large')).body.meta.page.perPage).to.equal(4)
      const walk = await client.get('/books?page[kind]=walk')
      expect(walk.body.jsonapi.profile).to.deep.equal([cursorProfileUri])
    })

    it('paginates related collections and linkage', async () => {
      await start({ paginate: offered() })
      expect((await client.get('/shelves/1/books?page[offset]=1')).body.meta.page.offset).to.equal(1)
      const linkage = await client.get('/shelves/1/relationships/books?page[kind]=cursor&page[size]=2')
      expect(linkage.body.data).to.have.length(2)
      expect(linkage.body.links.next).to.include('page%5Bkind%5D=cursor')
      expect(linkage.body.jsonapi.profile).to.deep.equal([cursorProfileUri])
    })

    it('returns one page of an include when the default is a cursor, and all of it otherwise', async () => {
      await start({ paginate: menu(cursor({ size: 2 }), page()) })
      const { body } = await client.get('/shelves/1?include=books')
      expect(body.included).to.have.length(2)
      expect(body.jsonapi.profile).to.deep.equal([cursorProfileUri])
      await start({ paginate: menu(page({ size: 2 }), cursor()) })
      expect((await client.get('/shelves/1?include=books')).body.included).to.have.length(7)
    })

    it('offers the cursor when the plugin cursor-profile is disabled', async () => {
      await start(menu(cursor({ size: 2 }), page({ size: 3 })), { disabled: ['cursor-profile'] })
      expect((await client.get('/books')).body.meta.page).to.deep.equal({
        perPage: 2,
        from: '1',
        to: '2',
        hasMore: true,
      })
      expect((await client.get('/books?page[kind]=cursor')).status).to.equal(200)
    })

    it('links to pages of the same strategy when a key selected it', async () => {
      await start(offered())
      const { next } = (await client.get('/books?page[kind]=cursor&page[size]=2')).body.links
      const after = new URL(next).searchParams.get('page[after]')
      const second = await client.get(`/books?page[after]=${after}&page[size]=2`)
      const first = await client.get(second.body.links.first)
      expect(first.body.meta.page).to.include({ perPage: 2, hasMore: true })
      expect(readIds(first)).to.deep.equal(['1', '2'])
      const walked = await client.get((await client.get(second.body.links.next)).body.links.prev)
      expect(readIds(walked)).to.deep.equal(['3', '4'])
      const offsets = await client.get('/books?page[limit]=1')
      expect((await client.get(offsets.body.links.next)).body.meta.page).to.include({ offset: 1, limit: 1 })
    })

    it('fails the boot for duplicate kinds, an unknown default, an empty menu or a nested menu', async () => {
      const faults = await listBootFaults({ pagination: () => menu(page(), page(), offset(), offset()) })
      expect(faults).to.deep.equal([
        "books.pagination (books.ts): A menu offers 'page' twice: rename one with named().",
        "books.pagination (books.ts): A menu offers 'offset' twice: rename one with named().",
      ])
      expect(await listBootFaults({ paginate: menu(page()).defaultKind('cursor') })).to.deep.equal([
        "shelves.books (shelves.ts): The default kind 'cursor' is not one of the paginators of the menu.",
      ])
      expect(await listBootFaults({ pagination: () => menu() })).to.deep.equal([
        'books.pagination (books.ts): A menu of paginators needs at least one paginator.',
      ])
      expect(await listBootFaults({ pagination: () => menu(menu(page()) as never) })).to.deep.equal([
        'books.pagination (books.ts): A menu of paginators cannot contain another menu.',
      ])
    })
  })

  describe('members of page that the strategy does not have', () => {
    const strict: TestAppOptions = { config: { variables: { STRICT_PAGE_PARAMETERS: true } } }
    const expectRefused = async (path: string, names: readonly string[], accepted: string) => {
      const { status, body } = await client.get(path)
      expect(status, path).to.equal(400)
      const refused = body.errors.map(({ code, source }: ErrorObject) => ({ code, source }))
      expect(refused).to.deep.equal(
        names.map((name) => ({ code: 'QUERY_PARAM_UNRECOGNIZED', source: { parameter: `page[${name}]` } })),
      )
      expect(body.errors[0].detail).to.include(accepted)
    }

    it('are ignored by default', async () => {
      await start(cursor({ size: 2 }))
      const { status, body } = await client.get('/books?page[number]=9&page[toString]=1')
      expect(status).to.equal(200)
      expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1', '2'])
    })

    it('are a 400 with the accepted names when STRICT_PAGE_PARAMETERS is true', async () => {
      await start(cursor({ size: 2 }), strict)
      await expectRefused('/books?page[number]=9', ['number'], 'Accepted: size, after, before.')
      await expectRefused('/books?page[sise]=9&page[offset]=1', ['sise', 'offset'], "Did you mean 'size'?")
      await expectRefused('/books?page[toString]=1', ['toString'], 'Accepted: size, after, before.')
      expect((await client.get('/books?page[size]=1')).status).to.equal(200)
      await start({ paginate: offset({ size: 2 }) }, strict)
      await expectRefused('/shelves/1/books?page[number]=1', ['number'], 'Accepted: offset, limit.')
      await expectRefused('/shelves/1/relationships/books?page[number]=1', ['number'], 'Accepted: offset, limit.')
    })

    it('are those of the selected strategy and kind when a menu offers several', async () => {
      await start(menu(page({ size: 2 }), cursor()), strict)
      await expectRefused('/books?page[kind]=cursor&page[number]=2', ['number'], 'Accepted: kind, size, after, before.')
      await expectRefused('/books?page[offset]=2', ['offset'], 'Accepted: kind, number, size.')
      expect((await client.get('/books?page[kind]=page&page[number]=2')).status).to.equal(200)
    })

    it('are all of them when the collection is not paginated', async () => {
      await start({ pagination: () => null }, strict)
      await expectRefused('/books?page[number]=2', ['number'], 'Accepted: none.')
    })

    it('are none when a paginator of the author does not describe its members', async () => {
      const { description, ...undescribed } = page({ size: 2 })
      await start(undescribed, strict)
      expect((await client.get('/books?page[anything]=2')).status).to.equal(200)
    })
  })

  describe('perPage and maxPerPage of a type', () => {
    it('set the default and the maximum size', async () => {
      await start({ perPage: 2, maxPerPage: 3 })
      expect((await client.get('/books')).body.meta.page.perPage).to.equal(2)
      expect((await client.get('/books?page[size]=50')).body.meta.page.perPage).to.equal(3)
      await start({ perPage: 2 })
      expect((await client.get('/books?page[size]=500')).body.meta.page.perPage).to.equal(100)
      await start({ maxPerPage: 4 })
      expect((await client.get('/books')).body.meta.page.perPage).to.equal(4)
    })

    it('fail the boot when pagination is declared as well', async () => {
      expect(await listBootFaults({ perPage: 2, pagination: () => page() })).to.deep.equal([
        "books.pagination (books.ts): Declare either 'pagination', or 'perPage' and 'maxPerPage'.",
      ])
    })
  })
})

type Overrides = Partial<ResourceDeclaration<Book>> & { readonly paginate?: Paginator }

function declare({ paginate = page(), ...overrides }: Overrides): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo }) => [id(), string('title').sortable(), belongsTo('shelf', 'shelves')],
    ...overrides,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books').paginate(paginate)],
  })
  return [books, shelves].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

async function listBootFaults(overrides: Overrides): Promise<readonly string[]> {
  try {
    const options = { resources: declare(overrides), servers: { default: {} }, database: await libraryDatabase() }
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

/** The page parameters of each link: `offset=2&limit=3`. Omits links without any. */
function pageParameters({ body }: ClientResponse): Record<string, string> {
  const pages = Object.entries(body.links as Record<string, string>).map(([name, link]) => {
    const params = [...new URL(link).searchParams].filter(([key]) => key.startsWith('page['))
    return [name, params.map(([key, value]) => `${key.slice(5, -1)}=${value}`).join('&')]
  })
  return Object.fromEntries(pages.filter(([, params]) => params !== ''))
}
