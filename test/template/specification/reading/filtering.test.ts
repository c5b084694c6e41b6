import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { libraryWith } from '../library-app.ts'
import { fillLibrary } from '../library-rows.ts'
import { expectError, readFaults, readIds } from '../support.ts'

// https://jsonapi.org/format/1.1/#fetching-filtering and https://jsonapi.org/recommendations/#filtering

describe('Filtering', () => {
  let library: TestApp
  const get = (path: string) => library.client.get(path)
  const ids = async (path: string) => {
    const { status, body, text } = await get(path)
    expect(status, text).to.equal(200)
    return readIds(body.data)
  }

  before(async () => {
    await fillLibrary()
    library = await startLibrary({ resources: libraryWith(books) })
  })

  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  describe('collections', () => {
    it('FIL-01 returns the resources related to the id in the filter', async () => {
      expect(await ids('/books?filter[shelf]=1')).to.deep.equal(['1', '2', '3'])
      expect(await ids('/books?filter[shelf]=2')).to.deep.equal([])
    })

    it('FIL-01 accepts values as a comma-separated list or as a list of members', async () => {
      expect(await ids('/books?filter[title]=Emma,Sanditon')).to.deep.equal(['1', '3'])
      expect(await ids('/books?filter[title][]=Emma&filter[title][]=Lady%20Susan')).to.deep.equal(['1', '4'])
      expect(await ids('/books?filter[id]=2,4,4711')).to.deep.equal(['2', '4'])
    })

    it('FIL-01 returns a resource once when several of its related rows match', async () => {
      expect(await ids('/books?filter[tags]')).to.deep.equal(['1'])
    })

    it('FIL-01 combines several filters with AND', async () => {
      expect(await ids('/books?filter[shelf]=1&filter[position][min]=2')).to.deep.equal(['1', '2'])
      expect(await ids('/books?filter[shelf]=1&filter[title]=Lady+Susan')).to.deep.equal([])
    })

    it('FIL-01 combines with sort, page and include, and stays in the page links', async () => {
      const { body } = await get('/books?filter[shelf]=1&sort=-title&page[size]=2&include=shelf')
      expect(readIds(body.data)).to.deep.equal(['3', '2'])
      expect(readIds(body.included)).to.deep.equal(['1'])
      expect(new URL(body.links.next).searchParams.get('filter[shelf]')).to.equal('1')
      expect(await ids(body.links.next)).to.deep.equal(['1'])
    })

    it('FIL-01 runs one statement with bound values', async () => {
      const hostile = `x' or '1'='1`
      const statements = await statementsOf(async () => {
        expect(await ids(`/books?filter[title]=${encodeURIComponent(hostile)}&filter[shelf]=1`)).to.deep.equal([])
      })
      expect(statements).to.have.length(1)
      expect(statements[0]?.sql).not.to.include('or ')
      expect(statements[0]?.parameters.flat()).to.include(hostile)
    })
  })

  describe('related resources', () => {
    it('FIL-01 filters a related collection and its linkage', async () => {
      expect(await ids('/shelves/1/books?filter[position][min]=2')).to.deep.equal(['1', '2'])
      const { body } = await get('/shelves/1/relationships/books?filter[position][min]=2')
      expect(body.data).to.deep.equal([
        { type: 'books', id: '1' },
        { type: 'books', id: '2' },
      ])
    })

    it('FIL-01 returns null when the filter excludes the resource of a to-one relationship', async () => {
      const { client } = await catalogue()
      for (const path of ['/albums/1/artist', '/albums/1/relationships/artist']) {
        expect((await client.get(`${path}?filter[name]=Radiohead`)).body.data, path).to.include({ id: '1' })
        const { status, body } = await client.get(`${path}?filter[name]=Portishead`)
        expect(status, path).to.equal(200)
        expect(body.data, path).to.equal(null)
      }
    })
  })

  describe('catalogue', () => {
    const found: readonly [path: string, ids: readonly string[]][] = [
      ['/albums?filter[title]=comp', ['1']],
      ['/albums?filter[artist.name]=Portishead', ['2']],
      ['/albums?filter[rating][min]=9.5', ['1']],
      ['/albums?filter[rating][max]=9.5', ['2']],
      ['/albums?filter[releasedAt][min]=1995-01-01', ['1']],
      ['/albums?filter[q]=dummy', ['2']],
      ['/albums?filter[title]=100%25', []],
      ['/tracks?filter[genres]=trip-hop,progressive', ['4']],
      ['/tracks?filter[genres]=trip-hop,progressive&filter[explicit]=', ['2', '4']],
      ['/albums/1/tracks?filter[longerThan]=280', ['1']],
    ]
    for (const [path, expected] of found) {
      it(`FIL-01 returns ${expected.length} resources for ${path}`, async () => {
        const { status, body, text } = await (await catalogue()).client.get(path)
        expect(status, text).to.equal(200)
        expect(readIds(body.data)).to.deep.equal(expected)
      })
    }

    it('FIL-01 returns one resource or null for a singular filter', async () => {
      const { client } = await catalogue()
      expect((await client.get('/artists?filter[slug]=portishead')).body.data).to.include({ id: '2' })
      expect((await client.get('/artists?filter[slug]=unknown')).body.data).to.equal(null)
    })
  })

  describe('invalid filters', () => {
    it('FIL-01 QRY-01 QRY-04 returns 400 naming each unknown key', async () => {
      const response = await get('/books?filter[nope]=1&filter[_]=2&filter[shelf.nope]=3')
      expect(response.status).to.equal(400)
      expect(readFaults(response)).to.deep.equal(
        ['nope', '_', 'shelf.nope'].map((key) => ({
          code: 'FILTERING_UNRECOGNIZED',
          source: { parameter: `filter[${key}]` },
        })),
      )
    })

    it('FIL-01 returns 400 for a value that the column cannot hold', async () => {
      for (const [key, value] of [
        ['shelf', 'first'],
        ['shelf', '99999999999999'],
        ['title', '%00'],
      ]) {
        const response = await get(`/books?filter[${key}]=${value}`)
        expectError(response, 400, 'FILTER_VALUE_INVALID', { parameter: `filter[${key}]` })
      }
      const range = await get('/books?filter[position][min]=low')
      expectError(range, 400, 'FILTER_VALUE_INVALID', { parameter: 'filter[position]' })
    })

    it('FIL-01 returns 400 for a filter without a key', async () => {
      expectError(await get('/books?filter=Emma'), 400, 'QUERY_PARAM_MALFORMED', { parameter: 'filter' })
    })

    it('FIL-01 returns 400 at the URL of a single resource', async () => {
      const response = await get('/books/1?filter[title]=Emma')
      expectError(response, 400, 'FILTERING_UNRECOGNIZED', { parameter: 'filter[title]' })
    })
  })
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo, belongsToMany }) => [
    id(),
    string('title').sortable(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags'),
  ],
  filters: ({ whereIdIn, whereIn, whereThrough, whereHas, range }) => [
    whereIdIn('id'),
    whereIn('title'),
    whereThrough('shelf', 'shelf.id'),
    whereHas('tags'),
    range('position'),
  ],
})
