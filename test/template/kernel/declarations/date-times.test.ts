import { expect } from 'chai'
import { defineResource, defineType } from '#kernel'
import { memoryStore } from '#memory'
import { declared, inLibrary } from '#test/template/specification/library-app.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'

describe('dateTime()', () => {
  after(emptyLibrary)

  for (const [sent, shown] of [
    ['2024-02-29T12:30:05.369Z', '2024-02-29T12:30:05.369+00:00'],
    ['2024-02-29T12:30:05.5+01:00', '2024-02-29T11:30:05.500+00:00'],
    ['2024-02-29T12:30:05.007Z', '2024-02-29T12:30:05.007+00:00'],
    ['2024-02-29T12:30:05.000Z', '2024-02-29T12:30:05+00:00'],
    ['2024-02-29T12:30:05Z', '2024-02-29T12:30:05+00:00'],
    ['0999-12-31T23:59:59.999Z', '0999-12-31T23:59:59.999+00:00'],
    ['0999-12-31T23:59:59Z', '0999-12-31T23:59:59+00:00'],
  ] as const) {
    it(`renders ${sent} as ${shown}`, () =>
      inLibrary({ resources: declared(books()) }, async ({ client }) => {
        const attributes = { title: 'Emma', printedAt: sent }
        const created = await client.post('/books', { data: { type: 'books', attributes } })
        expect(created.body.data.attributes.printedAt).to.equal(shown)
        const { body } = await client.get(`/books/${created.body.data.id}`)
        expect(body.data.attributes.printedAt).to.equal(shown)
      }))
  }

  it('keeps the stored milliseconds when a client sends back what it has read', () =>
    inLibrary({ resources: declared(books()) }, async ({ client }) => {
      const { orm } = await libraryDatabase()
      const stored = () => orm.em.execute(`select printed_at::text as text from books where id = 77`)
      await orm.em.execute(`insert into books (id, title, printed_at) values (77, 'Emma', '2024-01-02 03:04:05.678Z')`)
      const before = await stored()
      const { data } = (await client.get('/books/77')).body
      expect((await client.patch('/books/77', { data })).status).to.equal(200)
      expect(await stored()).to.deep.equal(before)
    }))
})

describe('dateTime().format()', () => {
  it('replaces the tokens by parts of the time in UTC, and keeps all other text', () =>
    inLibrary({ resources: declared(events()) }, async ({ client }) => {
      const { body } = await client.get('/events')
      expect(body.data.map(({ attributes }: { attributes: object }) => attributes)).to.deep.equal([
        { full: '2024-01-02 03:04:05.006', day: '02.01.2024', clock: '"03:04"', fixed: 'soon', year: '2024' },
        { full: '0007-01-02 03:04:05.060', day: '02.01.0007', clock: '"03:04"', fixed: 'soon', year: '0007' },
      ])
    }))
})

function books() {
  return defineResource(Book, {
    type: 'books',
    fields: ({ id, string, dateTime }) => [id(), string('title'), dateTime('printedAt').nullable()],
  })
}

function events() {
  const times = ['2024-01-02T03:04:05.006Z', '0007-01-02T03:04:05.060Z'].map((text) => new Date(text))
  return defineType<{ id: string; at: Date }>({
    type: 'events',
    fields: ({ id, dateTime }) => [
      id(),
      dateTime('full').storedAs('at').format('YYYY-MM-DD HH:mm:ss.SSS'),
      dateTime('day').storedAs('at').format('DD.MM.YYYY'),
      dateTime('clock').storedAs('at').format('"HH:mm"'),
      dateTime('fixed').storedAs('at').format('soon'),
      dateTime('year').storedAs('at').format('YYYY'),
    ],
    ...memoryStore(times.map((at, index) => ({ id: String(index), at }))),
    operations: ['FetchCollection', 'FetchOne'],
  })
}
