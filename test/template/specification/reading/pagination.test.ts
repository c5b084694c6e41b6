import { expect } from 'chai'
import { plugins as listed } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import { page, pagination } from '#plugins/pagination/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { declared, inLibrary } from '../library-app.ts'
import { fillShelves } from '../library-rows.ts'
import { expectError, readIds } from '../support.ts'

// https://jsonapi.org/format/1.1/#fetching-pagination

describe('Pagination', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    await fillShelves(60)
    library = await startLibrary()
    client = library.client
  })

  after(() => library.close())

  const pageAt = async (query: string) => {
    const { status, body, text } = await client.get(`/shelves${query && `?${query}`}`)
    expect(status, text).to.equal(200)
    return body
  }
  const url = (number: number, size: number) =>
    `${client.url}/shelves?page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`

  it('PAG-01 returns the first 15 rows when page is absent', async () => {
    const { data, meta } = await pageAt('')
    expect(readIds(data)).to.deep.equal(numbers(1, 15))
    expect(meta).to.deep.equal({ page: { currentPage: 1, perPage: 15, from: 1, to: 15 } })
  })

  it('PAG-01 reads one row more than the page and does not count', async () => {
    const statements = await statementsOf(() => pageAt('page[number]=2&page[size]=7'))
    expect(statements).to.have.length(1)
    expect(statements[0]?.sql).not.to.match(/count\(/i)
    expect(statements[0]?.parameters).to.include(8)
  })

  it('PAG-02 returns the page links of primary data at the top level', async () => {
    const { links } = await pageAt('page[number]=2&page[size]=20')
    expect(links).to.deep.equal({ self: url(2, 20), first: url(1, 20), prev: url(1, 20), next: url(3, 20) })
  })

  it('PAG-03 omits prev on the first page and next on the last, and has no last link', async () => {
    expect((await pageAt('')).links).to.deep.equal({ self: url(1, 15), first: url(1, 15), next: url(2, 15) })
    const last = await pageAt('page[number]=4')
    expect(readIds(last.data)).to.deep.equal(numbers(46, 60))
    expect(last.links).to.deep.equal({ self: url(4, 15), first: url(1, 15), prev: url(3, 15) })
  })

  it('PAG-03 describes a page that is not full', async () => {
    const { data, links, meta } = await pageAt('page[number]=2&page[size]=40')
    expect(data).to.have.length(20)
    expect(links).not.to.have.property('next')
    expect(meta.page).to.deep.equal({ currentPage: 2, perPage: 40, from: 41, to: 60 })
  })

  it('PAG-04 visits each row once in the requested order', async () => {
    const names: string[] = []
    let next: string | undefined = '/shelves?sort=-name&page[size]=25'
    while (next) {
      const { body } = await client.get(next)
      names.push(...body.data.map((shelf: { attributes: { name: string } }) => shelf.attributes.name))
      next = body.links.next
    }
    expect(names).to.deep.equal(
      numbers(1, 60)
        .map((number) => `Shelf ${number.padStart(2, '0')}`)
        .toReversed(),
    )
  })

  it('PAG-04 keeps the other parameters in the page links, with encoded brackets', async () => {
    const { links } = await pageAt('sort=-name&page[size]=10&fields[shelves]=name&include=label')
    expect(links.next).to.equal(
      `${client.url}/shelves?sort=-name&fields%5Bshelves%5D=name&include=label&page%5Bnumber%5D=2&page%5Bsize%5D=10`,
    )
  })

  it('PAG-05 replaces page parameters in the links with the effective values', async () => {
    const { links } = await pageAt('page[size]=999&page[number]=0&page[foo]=bar&page[kind]=page')
    expect(links.next).to.equal(`${client.url}/shelves?page%5Bkind%5D=page&page%5Bnumber%5D=2&page%5Bsize%5D=50`)
  })

  describe('page parameter values', () => {
    it('PAG-01 limits the size to the maximum and returns it in perPage', async () => {
      const { data, meta } = await pageAt('page[size]=100')
      expect(data).to.have.length(50)
      expect(meta.page).to.deep.equal({ currentPage: 1, perPage: 50, from: 1, to: 50 })
    })

    for (const value of ['abc', '1.5', '1e3', '', '%20', '0x10', '+1', '٣', '1;drop']) {
      it(`PAG-01 treats '${value}' as absent`, async () => {
        const query = value.replace('+', '%2B').replace(';', '%3B')
        const { data, meta } = await pageAt(`page[number]=${query}&page[size]=${query}`)
        expect(readIds(data)).to.deep.equal(numbers(1, 15))
        expect(meta.page).to.include({ currentPage: 1, perPage: 15 })
      })
    }

    for (const value of ['0', '-1', '-99999999999999999999']) {
      it(`PAG-01 treats the number ${value} as the first page`, async () => {
        expect((await pageAt(`page[number]=${value}`)).meta.page.currentPage).to.equal(1)
      })

      it(`PAG-01 returns an empty page without page links for the size ${value}`, async () => {
        const query = `page[size]=${value}`
        const { data, links, meta } = await pageAt(query)
        expect(data).to.deep.equal([])
        expect(links).to.deep.equal({ self: `${client.url}/shelves?${query}` })
        expect(meta.page).to.include({ perPage: 0, from: null, to: null })
      })
    }

    for (const query of [
      'page=3',
      'page[]=3',
      'page[number][]=3',
      'page[number][a]=3',
      'page[foo]=3',
      'page[offset]=3',
    ]) {
      it(`PAG-05 ignores ${query}`, async () => {
        expect(readIds((await pageAt(query)).data)).to.deep.equal(numbers(1, 15))
      })
    }

    it('PAG-05 uses the last of repeated parameters', async () => {
      expect((await pageAt('page[size]=3&page[size]=4')).data).to.have.length(4)
    })
  })

  describe('page numbers out of range', () => {
    it('PAG-03 returns an empty page with self, first and prev links after the last page', async () => {
      const { data, links, meta } = await pageAt('page[number]=9')
      expect(data).to.deep.equal([])
      expect(links).to.deep.equal({
        self: `${client.url}/shelves?page[number]=9`,
        first: url(1, 15),
        prev: url(8, 15),
      })
      expect(meta.page).to.deep.equal({ currentPage: 9, perPage: 15, from: null, to: null })
    })

    for (const number of ['9007199254740993', '99999999999999999999', '9'.repeat(400)]) {
      it(`PAG-03 returns 200 for a page number of ${number.length} digits`, async () => {
        for (const path of ['/shelves', '/shelves/1/allBooks', '/shelves/1/relationships/allBooks', '/tags']) {
          const { status, body } = await client.get(`${path}?page[number]=${number}`)
          expect(status, path).to.equal(200)
          expect(body.data).to.deep.equal([])
        }
      })
    }

    it('PAG-03 returns no page links when the collection is empty', async () => {
      const { body } = await client.get('/tags')
      expect(body.data).to.deep.equal([])
      expect(body.links).to.deep.equal({ self: `${client.url}/tags` })
      expect(body.meta.page).to.deep.equal({ currentPage: 1, perPage: 15, from: null, to: null })
    })
  })

  describe('related collections', () => {
    let music: Client

    before(async () => {
      music = (await catalogue()).client
    })

    it('PAG-02 returns page links and meta.page under the related URL', async () => {
      const { body } = await music.get('/albums/1/tracks?filter[explicit]=&page[number]=2')
      const base = `${music.url}/albums/1/tracks?filter%5Bexplicit%5D=&page%5Bnumber%5D=`
      expect(readIds(body.data)).to.deep.equal(['3'])
      expect(body.links).to.deep.equal({
        self: `${base}2&page%5Bsize%5D=2`,
        first: `${base}1&page%5Bsize%5D=2`,
        prev: `${base}1&page%5Bsize%5D=2`,
      })
      expect(body.meta.page).to.deep.equal({ currentPage: 2, perPage: 2, from: 3, to: 3 })
    })

    it('PAG-02 uses the paginator of the relation and its maximum', async () => {
      const { body } = await music.get('/albums/1/tracks?page[size]=500')
      expect(body.meta.page.perPage).to.equal(100)
    })

    it('PAG-02 uses the paginator of the related type when the relation has none', async () => {
      expect((await music.get('/artists/1/albums?page[size]=500')).body.meta.page.perPage).to.equal(50)
    })

    it('PAG-02 returns an empty page of a related collection for the size 0', async () => {
      const { body } = await music.get('/albums/1/tracks?page[size]=0')
      expect(body.data).to.deep.equal([])
      expect(body.meta.page.perPage).to.equal(0)
      expect(body.links).to.have.all.keys('self')
    })
  })

  describe('endpoints without pages', () => {
    it('PAG-05 ignores page when the response is a single resource', async () => {
      const { client: music } = await catalogue()
      const data = { type: 'artists', attributes: { name: 'Air' } }
      expect((await music.get('/artists/1?page[size]=1')).status).to.equal(200)
      expect((await music.post('/artists?page[size]=0', { data })).status).to.equal(201)
      expect((await music.patch('/artists/1?page[number]=7', { data: { ...data, id: '1' } })).status).to.equal(200)
      expect((await music.delete('/tracks/1?page[size]=1')).status).to.equal(204)
    })

    it('PAG-05 returns 400 for page when the relationship is to-one', async () => {
      const { client: music } = await catalogue()
      const responses = [
        await music.get('/albums/1/artist?page[size]=1'),
        await music.get('/albums/1/relationships/artist?page[size]=1'),
        await music.patch('/albums/1/relationships/artist?page[size]=1', { data: null }),
      ]
      for (const response of responses) expectError(response, 400, 'QUERY_PARAM_UNRECOGNIZED', { parameter: 'page' })
    })
  })

  describe('configuration', () => {
    it('PAG-01 returns whole collections with their total when maxPerPage is 0', async () => {
      const plugins = withPagination(pagination({ maxPerPage: 0 }))
      await inLibrary({ plugins }, async ({ client: reader }) => {
        const statements = await statementsOf(async () => {
          const { body } = await reader.get('/shelves?page[size]=5')
          expect(body.data).to.have.length(60)
          expect(body.meta).to.deep.equal({ total: 60 })
          expect(body.links).to.deep.equal({ self: `${reader.url}/shelves?page[size]=5` })
        })
        expect(statements).to.have.length(1)
        expect((await reader.get('/tags')).body.meta).to.deep.equal({ total: 0 })
      })
    })

    it('PAG-01 keeps the paginators of resources and relations when maxPerPage is 0', async () => {
      const plugins = withPagination(pagination({ maxPerPage: 0 }))
      await inLibrary({ plugins }, async ({ client: reader }) => {
        expect((await reader.get('/books')).body.meta.page).to.include({ perPage: 5 })
        expect((await reader.get('/shelves/1/books')).body.meta.page).to.include({ perPage: 2 })
      })
    })

    it('PAG-01 limits the default size to maxPerPage', async () => {
      await inLibrary({ plugins: withPagination(pagination({ maxPerPage: 5 })) }, async ({ client: reader }) => {
        expect((await reader.get('/shelves')).body.meta.page).to.include({ perPage: 5 })
      })
    })

    it('PAG-01 uses the paginator of a resource, without a limit when max is 0', async () => {
      const shelves = defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string }) => [id(), string('name')],
        pagination: () => page({ size: 4, max: 0 }),
      })
      await inLibrary({ resources: declared(shelves) }, async ({ client: reader }) => {
        expect((await reader.get('/shelves')).body.data).to.have.length(4)
        expect((await reader.get('/shelves?page[size]=5000')).body.meta.page).to.include({ perPage: 5000, to: 60 })
      })
    })

    it('PAG-01 returns the whole collection when the resource sets its paginator to null', async () => {
      const shelves = defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string }) => [id(), string('name')],
        pagination: () => null,
      })
      await inLibrary({ resources: declared(shelves) }, async ({ client: reader }) => {
        const { body } = await reader.get('/shelves')
        expect(body.data).to.have.length(60)
        expect(body.meta).to.deep.equal({ total: 60 })
      })
    })
  })
})

function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index))
}

function withPagination(plugin: Plugin): readonly Plugin[] {
  return listed.map((candidate) => (candidate.name === plugin.name ? plugin : candidate))
}
