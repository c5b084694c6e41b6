import { expect } from 'chai'
import { defineType } from '#kernel'
import { memoryProvider } from '#memory'
import { readTables, sendBatch } from '#test/support/batch.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { configWith, fillShelves, withLimits } from '#test/template/support/document-limits.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

interface Case {
  readonly title: string
  readonly path: string
  /** The part of the document that the error names. */
  readonly part: string
  /** What the error says would be accepted. */
  readonly accepted: string
  readonly parameter?: string
}

interface Identifier {
  readonly type: string
  readonly id: string
}

const cases: readonly Case[] = [
  { title: 'one resource', path: '/shelves/1', part: 'its primary data', accepted: 'fewer fields (fields)' },
  {
    title: 'a collection with pages',
    path: '/books',
    part: 'its primary data',
    accepted: 'fewer fields (fields) or a smaller page (page[size])',
  },
  {
    title: 'a collection without pages',
    path: '/shelves',
    part: 'its primary data',
    accepted: 'fewer fields (fields) or a filter that selects fewer resources',
  },
  {
    title: 'a related collection',
    path: '/shelves/1/pagedBooks',
    part: 'its primary data',
    accepted: 'fewer fields (fields) or a smaller page (page[size])',
  },
  {
    title: 'an include',
    path: '/shelves?include=books.tags',
    part: 'its included data',
    accepted: 'a shorter include or fewer fields (fields)',
    parameter: 'include',
  },
  {
    title: 'a default include',
    path: '/volumes',
    part: 'its included data',
    accepted: 'a shorter include, fewer fields (fields) or a smaller page (page[size])',
  },
  {
    title: 'a relationship',
    path: '/shelves/1/relationships/books',
    part: "the relationship 'books'",
    accepted: 'a page (page[size]) or a filter of it',
    parameter: 'page',
  },
  {
    title: 'a relationship with pivot values',
    path: '/lists/1/relationships/books',
    part: "the relationship 'books'",
    accepted: 'a page of its related URL',
  },
]

describe('Documents with characters', () => {
  beforeEach(fillShelves)
  after(emptyLibrary)

  for (const { title, path, part, accepted, parameter } of cases) {
    it(`return 200 for ${title} with exactly this number, and 400 with one more`, async () => {
      const size = await withLimits({ characters: 0 }, async ({ client }) => countCharacters(await client.get(path)))
      await withLimits({ characters: size }, async ({ client }) => {
        expect(countCharacters(await client.get(path))).to.equal(size)
      })
      await withLimits({ characters: size - 1 }, async ({ client }) => {
        const { status, body, text } = await client.get(path)
        expect(status, text).to.equal(400)
        expect(body.errors).to.have.length(1)
        expect(body.errors[0].code).to.equal('DOCUMENT_TOO_LARGE')
        expect(body.errors[0].source).to.deep.equal(parameter && { parameter })
        expect(body.errors[0].detail).to.equal(
          `The document would have more than ${size - 1} characters; ${part} exceeds the limit. Accepted instead: ${accepted}.`,
        )
      })
    })
  }

  it('return 400 by default for five books with titles of 5,000,000 characters, and 200 for their ids', async () => {
    const { orm } = await libraryDatabase()
    await orm.em.fork().execute("update books set title = repeat('x', 5000000), shelf_id = 1 where id <= 5")
    await withLimits({}, async ({ client }) => {
      const { status, body } = await client.get('/shelves/1?include=books')
      expect(status).to.equal(400)
      expect(body.errors[0].detail).to.include('more than 20000000 characters')
      expect((await client.get('/shelves/1?include=books&fields[books]=shelf')).status).to.equal(200)
    })
  })

  it('are not rendered beyond the limit', async () => {
    const rendered: string[] = []
    const rows = Array.from({ length: 50 }, (_, index) => ({ id: String(index + 10) }))
    const pages = defineType<{ id: string }>({
      type: 'pages',
      operations: ['FetchCollection'],
      fields: ({ id, string }) => [
        id(),
        string('text')
          .computed()
          .serializeUsing((page) => {
            rendered.push((page as { id: string }).id)
            return 'x'.repeat(1000)
          }),
      ],
      pagination: () => null,
      provider: memoryProvider(rows),
    })
    const library = await startLibrary({ resources: declared(pages), config: configWith({ characters: 3000 }) })
    try {
      expect((await library.client.get('/pages')).status).to.equal(400)
      expect(rendered).to.deep.equal(['10', '11', '12'])
    } finally {
      await library.close()
    }
  })

  describe('of a write, whose commit cannot be undone', () => {
    it('show type and id of the included resources that do not fit', async () => {
      const update = { data: { type: 'shelves', id: '1', attributes: { name: 'Changed' } } }
      const path = '/shelves/1?include=books'
      const whole = await withLimits({}, ({ client }) => client.patch(path, update))
      const [first, ...others] = whole.body.included
      const characters = JSON.stringify(whole.body.data).length + JSON.stringify(first).length
      await withLimits({ characters }, async ({ client }) => {
        const { status, body, text } = await client.patch(path, update)
        expect(status, text).to.equal(200)
        expect(body.data.attributes).to.deep.equal({ name: 'Changed' })
        expect(body.data.relationships.books.data).to.have.length(3)
        expect(body.included[0].attributes).to.deep.equal(first.attributes)
        expect(others).to.have.length(2)
        expect(body.included.slice(1)).to.deep.equal(others.map(({ type, id }: Identifier) => ({ type, id })))
      })
    })

    it('show type and id of a new resource that does not fit', async () => {
      await withLimits({ characters: 10 }, async ({ client }) => {
        const created = await client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'New' } } })
        expect(created.status, created.text).to.equal(201)
        expect(created.body.data).to.have.all.keys('type', 'id')
        expect(created.headers.get('location')).to.match(new RegExp(`/shelves/${created.body.data.id}$`))
      })
      expect(JSON.stringify(await readTables(await libraryDatabase()))).to.include('"New"')
    })

    it('show identifiers without meta if linkage does not fit', async () => {
      const data = [1, 2].map((id) => ({ type: 'books', id: String(id), meta: { pivot: { place: id } } }))
      await withLimits({ characters: 60 }, async ({ client }) => {
        const { status, body, text } = await client.patch('/lists/1/relationships/books', { data })
        expect(status, text).to.equal(200)
        expect(body.data).to.deep.equal(data.map(({ type, id }) => ({ type, id })))
      })
    })

    it('count the results of a batch together', async () => {
      const rename = (id: string) => ({ op: 'update', data: { type: 'shelves', id, attributes: { name: 'Changed' } } })
      const batch = ['1', '2', '3'].map(rename)
      const whole = await withLimits({}, ({ client }) => sendBatch(client, batch))
      const [first, second] = whole.body['atomic:results']
      const characters = JSON.stringify(first.data).length + JSON.stringify(second.data).length
      await withLimits({ characters }, async ({ client }) => {
        const { status, body, text } = await sendBatch(client, batch)
        expect(status, text).to.equal(200)
        const results = body['atomic:results']
        for (const { data } of results.slice(0, 2)) expect(data.attributes).to.deep.equal({ name: 'Changed' })
        expect(results[2]).to.deep.equal({ data: { type: 'shelves', id: '3' } })
      })
    })
  })
})

/** The characters of all resources, or of the linkage, in a successful response. */
function countCharacters({ status, body, text }: ClientResponse): number {
  expect(status, text).to.equal(200)
  if (!body.links.self.includes('/relationships/')) {
    const resources = [body.data, body.included ?? []].flat()
    return resources.reduce((size, resource) => size + JSON.stringify(resource).length, 0)
  }
  return JSON.stringify(body.data).length
}
