import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import type { TestApp } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { cursor } from '../index.ts'

describe('Cursor pagination', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary()
    client = library.client
  })

  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  describe('of nine rows', () => {
    before(fillLibrary)

    describe('on GET /{type}', () => {
      it('CUR-14 returns the first page with first and next links when no cursor is sent', async () => {
        const answer = await client.get('/books')
        expect(readIds(answer)).to.deep.equal(['1', '2', '3', '4', '5'])
        expect(answer.body.links).to.have.keys('self', 'first', 'next')
        expect(answer.body.links.self).to.equal(`${client.url}/books`)
        expect(answer.body.meta).to.deep.equal({ page: { perPage: 5, from: '1', to: '5', hasMore: true } })
        expect(linkParameters(answer.body.links.first)).to.deep.equal({ 'page[size]': '5' })
        expect(linkParameters(answer.body.links.next)).to.have.keys('page[size]', 'page[after]')
      })

      it('returns no next link and hasMore false on the last page', async () => {
        const second = await follow(client, '/books', 'next')
        expect(readIds(second)).to.deep.equal(['6', '7', '8', '9'])
        expect(second.body.links).to.have.keys('self', 'first', 'prev')
        expect(second.body.meta.page).to.deep.equal({ perPage: 5, from: '6', to: '9', hasMore: false })
      })

      it('CUR-13 returns the previous pages in list order by prev links', async () => {
        const third = await follow(client, '/books?page[size]=3', 'next', 'next')
        expect(readIds(third)).to.deep.equal(['7', '8', '9'])
        const second = await client.get(third.body.links.prev)
        expect(readIds(second)).to.deep.equal(['4', '5', '6'])
        expect(second.body.meta.page).to.deep.equal({ perPage: 3, from: '4', to: '6', hasMore: true })
        expect(second.body.links).to.have.keys('self', 'first', 'prev', 'next')
        const first = await client.get(second.body.links.prev)
        expect(readIds(first)).to.deep.equal(['1', '2', '3'])
        expect(first.body.links).to.have.keys('self', 'first', 'next')
      })

      it('CUR-12 returns an empty page without next and prev after the last and before the first row', async () => {
        const last = await tokenAt(client, '/books', '9')
        const beyond = await client.get(`/books?page[after]=${last}`)
        expect(beyond.status).to.equal(200)
        expect(beyond.body.data).to.deep.equal([])
        expect(beyond.body.links).to.have.keys('self', 'first')
        expect(beyond.body.meta.page).to.deep.equal({ perPage: 5, hasMore: false })
        const first = await tokenAt(client, '/books', '1')
        const before = await client.get(`/books?page[before]=${first}`)
        expect(before.body.data).to.deep.equal([])
        expect(before.body.links).to.have.keys('self', 'first')
      })

      it('CUR-06 continues at the same position when the row of the cursor was deleted', async () => {
        const token = await tokenAt(client, '/books', '4')
        await execute('update books set deleted_at = now() where id = 4')
        expect(readIds(await client.get(`/books?page[after]=${token}&page[size]=2`))).to.deep.equal(['5', '6'])
        expect(readIds(await client.get(`/books?page[before]=${token}&page[size]=2`))).to.deep.equal(['2', '3'])
        await execute('update books set deleted_at = null where id = 4')
      })

      it('keeps the other query parameters in page links, and the request URL in self', async () => {
        const { body } = await client.get('/books?sort=-title&fields[books]=title&page[size]=2&page[number]=7')
        expect(linkParameters(body.links.next)).to.have.keys('sort', 'fields[books]', 'page[size]', 'page[after]')
        expect(linkParameters(body.links.next)).to.include({
          sort: '-title',
          'fields[books]': 'title',
          'page[size]': '2',
        })
        expect(body.links.self).to.include('page[number]=7')
      })

      it('limits page[size] to the maximum, and returns an empty page without links for a size of zero or less', async () => {
        expect((await client.get('/books?page[size]=1000')).body.meta.page.perPage).to.equal(100)
        expect((await client.get('/books?page[size]=abc')).body.meta.page.perPage).to.equal(5)
        const token = await tokenAt(client, '/books', '4')
        for (const query of ['page[size]=0', 'page[size]=-3', `page[size]=0&page[before]=${token}`]) {
          const { status, body } = await client.get(`/books?${query}`)
          expect(status).to.equal(200)
          expect(body.data).to.deep.equal([])
          expect(body.links).to.have.keys('self')
          expect(body.meta.page).to.deep.equal({ perPage: 0, hasMore: false })
        }
      })

      it('runs one statement without COUNT that reads one row more than the page', async () => {
        const statements = await statementsOf(() => client.get('/books?sort=-rating'))
        expect(statements).to.have.length(1)
        expect(statements[0]?.sql).not.to.match(/count/i)
        expect(statements[0]?.parameters.at(-1)).to.equal(6)
      })
    })

    describe('with page[after] and page[before]', () => {
      const range = async (after: string, before: string, query = '') => {
        const from = await tokenAt(client, '/books', after)
        const to = await tokenAt(client, '/books', before)
        return client.get(`/books?page[after]=${from}&page[before]=${to}${query}`)
      }

      it('CUR-16 returns the rows strictly between both cursors, without prev and next', async () => {
        const answer = await range('1', '9')
        expect(readIds(answer)).to.deep.equal(['2', '3', '4', '5', '6', '7', '8'])
        expect(answer.body.links).to.have.keys('self', 'first')
        expect(answer.body.meta.page).to.deep.equal({ perPage: 100, from: '2', to: '8', hasMore: false })
      })

      it('CUR-17 returns rangeTruncated and a next link to the rest when the range exceeds the page', async () => {
        const cut = await range('2', '8', '&page[size]=3')
        expect(readIds(cut)).to.deep.equal(['3', '4', '5'])
        expect(cut.body.meta.page).to.deep.equal({
          perPage: 3,
          from: '3',
          to: '5',
          hasMore: true,
          rangeTruncated: true,
        })
        expect(cut.body.links).to.have.keys('self', 'first', 'next')
        expect(linkParameters(cut.body.links.next)).to.have.keys('page[size]', 'page[after]', 'page[before]')
        const rest = await client.get(cut.body.links.next)
        expect(readIds(rest)).to.deep.equal(['6', '7'])
        expect(rest.body.meta.page).not.to.have.property('rangeTruncated')
        expect(rest.body.links).not.to.have.property('next')
      })

      it('omits rangeTruncated when the range fits the page exactly', async () => {
        const answer = await range('2', '6', '&page[size]=3')
        expect(readIds(answer)).to.deep.equal(['3', '4', '5'])
        expect(answer.body.meta.page).not.to.have.property('rangeTruncated')
        expect(answer.body.meta.page.hasMore).to.equal(false)
      })

      it('returns an empty page when the cursors are adjacent, equal or reversed', async () => {
        for (const answer of [await range('4', '5'), await range('6', '3'), await range('5', '5')]) {
          expect(answer.body.data).to.deep.equal([])
          expect(answer.body.links).to.have.keys('self', 'first')
          expect(answer.body.meta.page).to.include({ hasMore: false })
        }
      })
    })

    describe('with sort', () => {
      const sorts: readonly [sort: string, expected: readonly string[]][] = [
        ['title', ['5', '7', '8', '1', '4', '2', '6', '3', '9']],
        ['-title', ['9', '3', '6', '2', '4', '1', '8', '7', '5']],
        ['rating', ['4', '2', '3', '1', '9', '5', '6', '7', '8']],
        ['-rating', ['8', '7', '6', '5', '9', '1', '3', '2', '4']],
        ['printedAt', ['3', '2', '1', '6', '4', '5', '7', '8', '9']],
        ['-printedAt', ['9', '8', '7', '5', '4', '6', '1', '2', '3']],
        ['size', ['2', '1', '4', '3', '5', '6', '7', '8', '9']],
        ['-size', ['9', '8', '7', '6', '5', '3', '4', '1', '2']],
        ['position,-rating', ['5', '1', '3', '2', '4', '8', '7', '6', '9']],
        ['-position,printedAt', ['6', '7', '8', '9', '3', '2', '1', '4', '5']],
      ]

      for (const [sort, expected] of sorts) {
        it(`CUR-02 returns every row once in both directions by ${sort}, with ties and NULLs`, async () => {
          for (const size of [1, 4]) {
            const forwards = await walk(client, `/books?sort=${sort}&page[size]=${size}`, 'next')
            expect(forwards.pages.flat(), `by ${size}`).to.deep.equal(expected)
            const backwards = await walk(client, forwards.last, 'prev')
            expect(backwards.pages.toReversed().flat(), `back by ${size}`).to.deep.equal(expected)
          }
        })
      }

      it('keeps microseconds, decimals and 64-bit integers exact in the cursor', async () => {
        const valuesAt = async (sort: string, id: string) => decode(await tokenAt(client, '/books', id, sort)).v
        expect(await valuesAt('printedAt', '1')).to.deep.equal(['2024-01-01T00:00:00.000003Z', 1])
        expect(await valuesAt('rating', '1')).to.deep.equal(['4.50', 1])
        expect(await valuesAt('size', '5')).to.deep.equal(['9223372036854775807', 5])
        expect(await valuesAt('-size', '6')).to.deep.equal([null, 6])
      })
    })

    describe('on related and relationship URLs', () => {
      it('pages a related collection with the paginator of the relation', async () => {
        const answer = await client.get('/shelves/1/books')
        expect(readIds(answer)).to.deep.equal(['1', '2'])
        expect(answer.body.meta.page).to.deep.equal({ perPage: 2, from: '1', to: '2', hasMore: true })
        expect(answer.body.links.next).to.match(/\/shelves\/1\/books\?/)
        const { pages, last } = await walk(client, '/shelves/1/books', 'next')
        expect(pages).to.deep.equal([['1', '2'], ['3', '4'], ['5']])
        expect((await walk(client, last, 'prev')).pages.toReversed().flat()).to.deep.equal(['1', '2', '3', '4', '5'])
      })

      it('pages linkage, as identifiers only, when page or sort is sent', async () => {
        for (const [query, expected] of [
          ['page[size]=2', [['1', '2'], ['3', '4'], ['5']]],
          ['sort=-title', [['3', '2'], ['4', '1'], ['5']]],
        ] as const) {
          const path = `/shelves/1/relationships/books?${query}`
          const { body } = await client.get(path)
          expect(body.data[0]).to.have.keys('type', 'id')
          expect(body).not.to.have.property('meta')
          expect(body.links).to.have.keys('self', 'related', 'first', 'next')
          expect(body.links.next).to.match(/\/shelves\/1\/relationships\/books\?.*page%5Bafter%5D=/)
          const { pages, last } = await walk(client, path, 'next')
          expect(pages).to.deep.equal(expected)
          expect((await walk(client, last, 'prev')).pages.toReversed().flat()).to.deep.equal(expected.flat())
        }
      })

      it('returns all linkage when neither page nor sort is sent', async () => {
        const answer = await client.get('/shelves/1/relationships/books')
        expect(readIds(answer)).to.have.members(['1', '2', '3', '4', '5'])
        expect(answer.body.links).to.have.keys('self', 'related')
      })

      it('pages a many-to-many, also between two cursors', async () => {
        const path = `/tags/${red}/books`
        const { pages } = await walk(client, `${path}?page[size]=2&sort=-rating`, 'next')
        expect(pages).to.deep.equal([
          ['8', '6'],
          ['2', '4'],
        ])
        const from = await tokenAt(client, path, '2')
        const to = await tokenAt(client, path, '8')
        const answer = await client.get(`${path}?page[after]=${from}&page[before]=${to}&page[size]=1`)
        expect(readIds(answer)).to.deep.equal(['4'])
        expect(answer.body.meta.page.rangeTruncated).to.equal(true)
        expect(readIds(await client.get(answer.body.links.next))).to.deep.equal(['6'])
      })

      it('returns only members of the parent when the cursor is forged', async () => {
        const forged = encode({ k: ['id'], v: [0], d: 'after' })
        const answer = await client.get(`/shelves/2/books?page[after]=${forged}&page[size]=50`)
        expect(readIds(answer)).to.deep.equal(['6', '7'])
      })
    })

    describe('of an included collection', () => {
      it('includes the first page of members of each parent', async () => {
        const { body } = await client.get('/shelves?include=books')
        expect(body.data.map((shelf: Resource) => linkageIds(shelf, 'books'))).to.deep.equal([
          ['1', '2'],
          ['6', '7'],
          [],
        ])
        expect(body.included.map(({ id }: Resource) => id)).to.have.members(['1', '2', '6', '7'])
        const [first, second, third] = body.data.map((shelf: Resource) => shelf.relationships.books)
        expect(first.links).to.have.keys('self', 'related', 'first', 'next')
        expect(second.links).to.have.keys('self', 'related', 'first')
        expect(third.links).to.have.keys('self', 'related', 'first')
        expect(first).not.to.have.property('meta')
        expect(linkParameters(first.links.next)).to.have.keys('page[size]', 'page[after]')
      })

      it('links to the next page at the relationship URL of the parent', async () => {
        const { body } = await client.get('/shelves/1?include=books')
        const { links } = body.data.relationships.books
        expect(links.next).to.match(/\/shelves\/1\/relationships\/books\?/)
        const { pages } = await walk(client, links.next, 'next')
        expect(pages).to.deep.equal([['3', '4'], ['5']])
        expect(readIds(await client.get(links.first))).to.deep.equal(['1', '2'])
      })

      it('runs one statement for the relation for any number of parents', async () => {
        const statements = await statementsOf(() => client.get('/shelves?include=books'))
        expect(statements).to.have.length(2)
        const one = await statementsOf(() => client.get('/shelves/1?include=books'))
        expect(one).to.have.length(2)
      })

      it('limits a many-to-many, and the last relation of a longer path, to a page', async () => {
        const tags = await client.get('/tags?include=books')
        expect(tags.body.data.map((tag: Resource) => linkageIds(tag, 'books'))).to.deep.equal([
          ['2', '4', '6', '8'],
          ['1', '2', '3', '4', '5'],
        ])
        expect(tags.body.data[1].relationships.books.links).to.have.property('next')
        const nested = await client.get('/books/9?include=tags.books')
        expect(linkageIds(nested.body.included[0], 'books')).to.deep.equal(['1', '2', '3', '4', '5'])
      })

      it('includes all members of a relation without pagination', async () => {
        const { body } = await client.get('/shelves/1?include=allBooks')
        expect(linkageIds(body.data, 'allBooks')).to.have.length(5)
        expect(body.data.relationships.allBooks.links).to.have.keys('self', 'related')
      })
    })
  })

  describe('with a default sort', () => {
    let sorted: TestApp
    const expected = ['5', '1', '3', '2', '4']

    before(async () => {
      await fillLibrary()
      sorted = await startLibrary({ resources })
    })

    after(() => sorted.close())

    it('returns pages in the default order when sort is not sent', async () => {
      expect((await walk(sorted.client, '/shelves/1/books', 'next')).pages.flat()).to.deep.equal(expected)
      const linkage = '/shelves/1/relationships/books?page[size]=2'
      expect((await walk(sorted.client, linkage, 'next')).pages.flat()).to.deep.equal(expected)
    })

    it('includes the first page in the default order, and links to the next page in it', async () => {
      const { body } = await sorted.client.get('/shelves/1?include=books')
      expect(linkageIds(body.data, 'books')).to.deep.equal(['5', '1'])
      const { next } = body.data.relationships.books.links
      expect((await walk(sorted.client, next, 'next')).pages).to.deep.equal([['3', '2'], ['4']])
    })

    it('returns 400 CURSOR_STALE for a cursor of another order', async () => {
      const token = await tokenAt(sorted.client, '/books', '3', 'title')
      expectCursorError(await sorted.client.get(`/books?page[after]=${token}`), 'CURSOR_STALE', 'after')
    })
  })

  describe('with an invalid cursor', () => {
    before(fillLibrary)

    const malformed: readonly [name: string, token: string][] = [
      ['an empty text', ''],
      ['text that is not base64url', 'a+b/c='],
      ['padded base64url', `${encode({ k: ['id'], v: [1], d: 'after' })}==`],
      ['text that is not JSON', Buffer.from('{"k":["id"').toString('base64url')],
      ['10 kB of letters', 'A'.repeat(10_000)],
      ['10 kB of JSON', encode({ k: ['id'], v: [1], d: 'after', pad: 'x'.repeat(10_000) })],
      ...[null, [], 'id', 7, {}, { v: [1], d: 'after' }, { k: ['id'], d: 'after' }, { k: ['id'], v: [1] }].map(
        (value): [string, string] => [JSON.stringify(value), encode(value)],
      ),
      ['a token with an unknown direction', encode({ k: ['id'], v: [1], d: 'sideways' })],
      ['a token whose values are not a list', encode({ k: ['id'], v: { 0: 1 }, d: 'after' })],
      ['a token whose columns are not a list', encode({ k: 'id', v: [1], d: 'after' })],
    ]
    for (const [name, token] of malformed) {
      it(`returns 400 CURSOR_MALFORMED for ${name}`, async () => {
        expectCursorError(
          await client.get(`/books?page[after]=${encodeURIComponent(token)}`),
          'CURSOR_MALFORMED',
          'after',
        )
      })
    }

    const invalidValues: readonly [sort: string, column: string, values: readonly unknown[]][] = [
      ['', 'id', ['1', 1.5, 2_147_483_648, true, {}, [1], null]],
      ['position', 'position', ['1', null, -2_147_483_649]],
      ['title', 'title', [null, 7, 'a\0b', '\ud800', ['x']]],
      ['rating', 'rating', [4.5, 'nan', 'inf', '1e3', '', '--1', false]],
      ['size', 'pages', [5, '1.5', '9223372036854775808', '-9223372036854775809', '99999999999999999999', 'x']],
      [
        'printedAt',
        'printedAt',
        [
          0,
          'yesterday',
          '2024-01-01',
          '2024-01-01T00:00:00',
          '2024-02-30T00:00:00Z',
          '2023-02-29T00:00:00Z',
          '2024-13-01T00:00:00Z',
          '2024-01-01T25:00:00Z',
          '2024-01-01T00:00:00+23:00',
          '0000-01-01T00:00:00Z',
          '2024-01-01T00:00:00.1234567Z',
        ],
      ],
    ]
    for (const [sort, column, values] of invalidValues) {
      it(`returns 400 CURSOR_MALFORMED for a value that the column ${column} cannot hold`, async () => {
        for (const value of values) {
          const token = encode(
            column === 'id' ? { k: ['id'], v: [value], d: 'after' } : { k: [column, 'id'], v: [value, 1], d: 'after' },
          )
          const answer = await client.get(`/books?sort=${sort}&page[before]=${token}`)
          expectCursorError(answer, 'CURSOR_MALFORMED', 'before', JSON.stringify(value))
        }
      })
    }

    it('returns 400 CURSOR_MALFORMED for too few or too many values', async () => {
      for (const v of [[], [1, 2]]) {
        const token = encode({ k: ['id'], v, d: 'after' })
        expectCursorError(await client.get(`/books?page[after]=${token}`), 'CURSOR_MALFORMED', 'after')
      }
    })

    it('returns 400 CURSOR_STALE for a cursor of other sort columns, another column order or other directions', async () => {
      const byTitle = await tokenAt(client, '/books', '3', 'title')
      const byTwo = await tokenAt(client, '/books', '3', 'title,position')
      for (const [sort, token] of [
        ['-title', byTitle],
        ['position', byTitle],
        ['title,position', byTitle],
        ['position,title', byTwo],
        ['title,-position', byTwo],
        ['title', byTwo],
      ]) {
        expectCursorError(await client.get(`/books?sort=${sort}&page[after]=${token}`), 'CURSOR_STALE', 'after')
      }
      expectCursorError(await client.get(`/books?page[before]=${byTitle}`), 'CURSOR_STALE', 'before')
    })

    it('returns 400 CURSOR_STALE for the first sort columns only, and for one column more', async () => {
      for (const k of [['title'], ['title', 'id', 'position']]) {
        const token = encode({ k, v: ['Emma', 1], d: 'after' })
        expectCursorError(await client.get(`/books?sort=title&page[after]=${token}`), 'CURSOR_STALE', 'after')
      }
    })

    it('returns 400 CURSOR_STALE for unknown column names, without using them in SQL', async () => {
      for (const name of ['secret', 'id; drop table books', '"id"', 'constructor']) {
        const token = encode({ k: [name], v: [1], d: 'after' })
        expectCursorError(await client.get(`/books?page[after]=${token}`), 'CURSOR_STALE', 'after')
      }
      expect(readIds(await client.get('/books'))).to.have.length(5)
    })

    it('returns one error per parameter when both cursors are malformed', async () => {
      const { status, body } = await client.get('/books?page[after]=x&page[before]=y')
      expect(status).to.equal(400)
      expect(body.errors.map(({ source }: { source: object }) => source)).to.deep.equal([
        { parameter: 'page[after]' },
        { parameter: 'page[before]' },
      ])
    })

    it('returns 400 on related and relationship URLs without an SQL statement', async () => {
      const statements = await statementsOf(async () => {
        for (const path of ['/shelves/1/books', '/shelves/1/relationships/books', '/shelves/999/books']) {
          expectCursorError(await client.get(`${path}?page[after]=nonsense`), 'CURSOR_MALFORMED', 'after')
          const stale = encode({ k: ['title', 'id'], v: ['x', 1], d: 'after' })
          expectCursorError(await client.get(`${path}?page[after]=${stale}`), 'CURSOR_STALE', 'after')
        }
      })
      expect(statements).to.deep.equal([])
    })

    it('binds cursor values as SQL parameters', async () => {
      const value = `z'; drop table books; --"\\`
      const token = encode({ k: ['title', 'id'], v: [value, 1], d: 'after' })
      const statements = await statementsOf(async () => {
        expect((await client.get(`/books?sort=title&page[after]=${token}`)).status).to.equal(200)
      })
      expect(statements[0]?.sql).not.to.include('drop')
      expect(statements[0]?.parameters).to.include(value)
      expect(readIds(await client.get('/books'))).to.have.length(5)
    })

    it('returns no soft-deleted row when the cursor is forged', async () => {
      await execute('update books set deleted_at = now() where id in (2, 3)')
      const token = encode({ k: ['id'], v: [1], d: 'after' })
      expect(readIds(await client.get(`/books?page[after]=${token}&page[size]=2`))).to.deep.equal(['4', '5'])
      await execute('update books set deleted_at = null')
    })

    it('returns 200, 400 CURSOR_MALFORMED or 400 CURSOR_STALE when any character is changed', async () => {
      const token = await tokenAt(client, '/books', '3', '-printedAt')
      const outcomes = new Set<string>()
      for (let index = 0; index < token.length; index++) {
        const flipped = String.fromCharCode(token.charCodeAt(index) ^ (1 << (index % 6)))
        const changed = encodeURIComponent(token.slice(0, index) + flipped + token.slice(index + 1))
        const { status, body } = await client.get(`/books?sort=-printedAt&page[size]=1&page[after]=${changed}`)
        outcomes.add(status === 200 ? '200' : `${status} ${body.errors[0].code}`)
      }
      expect([...outcomes]).to.have.members(['200', '400 CURSOR_MALFORMED', '400 CURSOR_STALE'])
    })
  })

  describe('of 200 random rows', () => {
    const seed = 20_260_101
    const random = createRandomSource(seed)
    const rows = Array.from({ length: 200 }, (_, index) => randomRow(index + 1, random))

    before(async () => {
      await emptyLibrary()
      await execute("insert into shelves (id, name) values (1, 'one'), (2, 'two')")
      await execute(
        `insert into books (id, title, position, rating, pages, printed_at, shelf_id) values ${rows.map(toSql).join(', ')}`,
      )
    })

    for (let round = 1; round <= 12; round++) {
      const terms = randomTerms(random)
      const sort = terms.map(({ key, descending }) => (descending ? `-${key}` : key)).join()
      const size = 7 + random.below(40)
      const path = random.pick(['/books', '/shelves/1/books'])
      it(`returns every row once in both directions: ${path} by ${sort || 'id'} in pages of ${size}`, async () => {
        const mine = path === '/books' ? rows : rows.filter(({ shelf }) => shelf === 1)
        const expected = mine.toSorted((a, b) => compareBy(terms, a, b)).map(({ id }) => String(id))
        const query = `${sort ? `sort=${sort}&` : ''}fields[books]=&page[size]=${size}`
        const forwards = await walk(client, `${path}?${query}`, 'next')
        expect(forwards.pages.flat(), `seed ${seed}`).to.deep.equal(expected)
        expect(forwards.pages.slice(0, -1).every((page) => page.length === size)).to.equal(true)
        const backwards = await walk(client, forwards.last, 'prev')
        expect(backwards.pages.toReversed().flat(), `seed ${seed}`).to.deep.equal(expected)
      })
    }
  })
})

const red = '11111111-1111-4111-8111-111111111111'
const odd = '22222222-2222-4222-8222-222222222222'

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, hasMany }) => [id(), hasMany('books', 'books')],
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, decimal }) => [id(), string('title').sortable(), decimal('rating').nullable().sortable()],
  defaultSort: ['-rating'],
  pagination: () => cursor({ size: 2 }),
})

const resources: readonly DeclaredResource[] = [shelves, books].map((resource) => ({
  file: 'plugins/pagination/test/cursor.test.ts',
  resource,
}))

/** Inserts nine books with ties and NULLs; 1 to 5 belong to shelf 1, 6 and 7 to shelf 2. */
async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const { orm } = await libraryDatabase()
  const em = orm.em.fork()
  await em.insertMany(Shelf, [
    { id: 1, name: 'one' },
    { id: 2, name: 'two' },
    { id: 3, name: 'three' },
  ])
  const books: readonly [string, number, string | null, string | null, number | null][] = [
    ['emma', 1, '4.50', '100', 3],
    ['howl', 1, '4.10', '9', 2],
    ['walden', 1, '4.25', '9007199254740993', 1],
    ['emma', 1, '-2.00', '9007199254740992', 5],
    ['clarissa', 1, null, '9223372036854775807', 5],
    ['ulysses', 2, null, null, 4],
    ['dracula', 2, null, null, null],
    ['dracula', 2, null, null, null],
    ['zadig', 2, '10.00', null, null],
  ]
  const values = books.map(([title, position, rating, pages, microsecond], index) => {
    const printed = microsecond === null ? 'null' : `'2024-01-01T00:00:00.00000${microsecond}Z'`
    const shelf = index < 5 ? 1 : index < 7 ? 2 : 'null'
    return `(${index + 1}, '${title}', ${position}, ${rating}, ${pages}, ${printed}, ${shelf})`
  })
  await execute(
    `insert into books (id, title, position, rating, pages, printed_at, shelf_id) values ${values.join(', ')}`,
  )
  await em.insertMany(Tag, [
    { id: red, name: 'even' },
    { id: odd, name: 'all' },
  ])
  await execute(`insert into book_tags (book_id, tag_id) select id, '${red}' from books where id % 2 = 0`)
  await execute(`insert into book_tags (book_id, tag_id) select id, '${odd}' from books`)
  expect(await em.count(Book)).to.equal(9)
}

async function execute(sql: string): Promise<void> {
  const { orm } = await libraryDatabase()
  await orm.em.getConnection().execute(sql)
}

interface Resource {
  readonly id: string
  readonly relationships: Record<string, { readonly data: readonly { readonly id: string }[] }>
}

function linkageIds({ relationships }: Resource, name: string): string[] {
  return (relationships[name]?.data ?? []).map(({ id }) => id)
}

function readIds({ status, body }: ClientResponse): string[] {
  expect(status, JSON.stringify(body)).to.equal(200)
  return body.data.map(({ id }: { id: string }) => id)
}

function linkParameters(link: string): Record<string, string> {
  return Object.fromEntries(new URL(link).searchParams)
}

async function follow(client: Client, path: string, ...links: readonly string[]): Promise<ClientResponse> {
  let answer = await client.get(path)
  for (const link of links) answer = await client.get(answer.body.links[link])
  return answer
}

async function walk(client: Client, start: string, direction: 'next' | 'prev') {
  const pages: string[][] = []
  let last = start
  for (let path: string | undefined = start; path && pages.length < 1000; ) {
    const answer = await client.get(path)
    pages.push(readIds(answer))
    last = path
    path = answer.body.links[direction]
  }
  return { pages, last }
}

/** Returns the cursor of a row, taken from a pagination link. */
async function tokenAt(client: Client, path: string, id: string, sort = ''): Promise<string> {
  let link: string | undefined = `${path}?page[size]=1${sort && `&sort=${sort}`}`
  while (link) {
    const answer: ClientResponse = await client.get(link)
    if (answer.body.data[0]?.id === id) return readCursor(answer)
    link = answer.body.links.next
  }
  throw new Error(`No row ${id} in ${path}.`)
}

/** Reads the prev link for the last row, which has no next; both hold the same position. */
function readCursor({ body }: ClientResponse): string {
  const { next, prev } = body.links
  return (next ? linkParameters(next)['page[after]'] : linkParameters(prev)['page[before]']) as string
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(token: string): { readonly v: unknown[] } {
  return JSON.parse(Buffer.from(token, 'base64url').toString())
}

function expectCursorError({ status, body }: ClientResponse, code: string, member: string, hint = ''): void {
  expect(status, hint).to.equal(400)
  expect(body.errors, hint).to.have.length(1)
  expect(body.errors[0], hint).to.deep.include({ status: '400', code, source: { parameter: `page[${member}]` } })
}

interface Row {
  readonly id: number
  readonly title: string
  readonly position: number
  readonly rating: string | null
  readonly size: string | null
  readonly printedAt: string | null
  readonly shelf: number | null
}

interface Term {
  readonly key: 'title' | 'position' | 'rating' | 'size' | 'printedAt'
  readonly descending: boolean
}

function randomRow(id: number, { below, pick }: RandomSource): Row {
  const sizes = ['1', '2', '10', '-5', '9007199254740992', '9007199254740993', '9223372036854775807', null]
  const digit = below(10)
  return {
    id,
    title: pick(['ada', 'bob', 'cleo', 'dora', 'emil', 'fritz', '']),
    position: pick([-3, 0, 1, 2, 3, 2_147_483_647]),
    rating: pick(['0.00', '1.50', '1.49', '-7.25', '10.00', '9.99', null, null]),
    size: pick(sizes),
    printedAt: pick([`2024-05-01T12:00:00.12345${digit}Z`, `1999-12-31T23:59:59.99999${digit}Z`, null]),
    shelf: pick([1, 1, 2, null]),
  }
}

function toSql({ id, title, position, rating, size, printedAt, shelf }: Row): string {
  return `(${id}, '${title}', ${position}, ${rating}, ${size}, ${printedAt && `'${printedAt}'`}, ${shelf})`
}

function randomTerms({ below, chance }: RandomSource): readonly Term[] {
  const keys: readonly Term['key'][] = ['title', 'position', 'rating', 'size', 'printedAt']
  return keys
    .map((key) => ({ key, descending: chance(50), rank: below(1_000_000) }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, below(4))
}

/** Computes the expected order without the database: NULL is the largest value, ties are ordered by id. */
function compareBy(terms: readonly Term[], a: Row, b: Row): number {
  for (const { key, descending } of terms) {
    const difference = compareValues(key, a[key], b[key])
    if (difference !== 0) return descending ? -difference : difference
  }
  return terms.at(-1)?.descending ? b.id - a.id : a.id - b.id
}

function compareValues(key: Term['key'], a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  const [left, right] = key === 'size' ? [BigInt(a), BigInt(b)] : key === 'rating' ? [Number(a), Number(b)] : [a, b]
  return left < right ? -1 : left > right ? 1 : 0
}
