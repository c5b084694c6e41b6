import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { expectError, readIds } from '#test/template/specification/support.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

const lover = { 'x-reader': 'lover' }

describe('The scope of a resource', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary({ resources: libraryWith(books) })
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('filters collections and their totals', async () => {
    expect(readIds((await client.get('/books')).body.data)).to.deep.equal(['1', '2'])
    expect(readIds((await client.get('/books?sort=-title')).body.data)).to.deep.equal(['2', '1'])
    const { body } = await client.get('/books?withCount=_self_&page[size]=1')
    expect(body.meta.total).to.equal(2)
  })

  it('returns 404 for reads and writes of a row out of scope', async () => {
    const data = { type: 'books', id: '3', attributes: { title: 'Found' } }
    for (const answer of [
      await client.get('/books/3'),
      await client.get('/books/3/shelf'),
      await client.get('/books/3/relationships/shelf'),
      await client.patch('/books/3', { data }),
      await client.delete('/books/3'),
    ]) {
      expectError(answer, 404, 'RESOURCE_NOT_FOUND')
    }
  })

  it('filters related collections, includes and linkage', async () => {
    expect(readIds((await client.get('/shelves/1/books')).body.data)).to.deep.equal(['1', '2'])
    expect(readIds((await client.get('/shelves/1/relationships/books')).body.data)).to.deep.equal(['1', '2'])
    expect(readIds((await client.get('/shelves/1?include=allBooks')).body.included)).to.deep.equal(['1', '2'])
    const linkage = { data: [{ type: 'books', id: '3' }] }
    const refused = await client.post('/shelves/2/relationships/books', linkage)
    expectError(refused, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data/0' })
  })

  for (const answer of [undefined, null, false, {}, { title: undefined }]) {
    it(`shows no row when it returns ${JSON.stringify(answer) ?? 'undefined'}`, async () => {
      const closed = defineResource(Book, {
        type: 'books',
        fields: ({ id, string, belongsTo }) => [id(), string('title').sortable(), belongsTo('shelf', 'shelves')],
        scope: () => answer as boolean,
      })
      const app = await startLibrary({ resources: libraryWith(closed) })
      expect((await app.client.get('/books')).body.data).to.deep.equal([])
      expectError(await app.client.get('/books/1'), 404, 'RESOURCE_NOT_FOUND')
      expect((await app.client.get('/shelves/1/relationships/books')).body.data).to.deep.equal([])
      await app.close()
    })
  }

  it('shows no row when null is declared instead of a function', async () => {
    const closed = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo }) => [id(), string('title').sortable(), belongsTo('shelf', 'shelves')],
      scope: null as unknown as () => boolean,
    })
    const app = await startLibrary({ resources: libraryWith(closed) })
    expect((await app.client.get('/books')).body.data).to.deep.equal([])
    expectError(await app.client.get('/books/1'), 404, 'RESOURCE_NOT_FOUND')
    await app.close()
  })

  it('may depend on the request', async () => {
    expect(readIds((await client.get('/books', lover)).body.data)).to.deep.equal(['1', '2', '3', '4'])
    expect((await client.get('/books/3', lover)).status).to.equal(200)
    expect(readIds((await client.get('/shelves/1/books', lover)).body.data)).to.have.length(2)
  })

  it('needs no additional statement', async () => {
    const narrow = await statementsOf(() => client.get('/books'))
    const wide = await statementsOf(() => client.get('/books', lover))
    expect(narrow).to.have.length(wide.length)
  })

  it('applies to operations that the program dispatches', async () => {
    const error = await library.app.dispatch({ kind: 'FetchOne', type: 'books', id: '3' }).catch((thrown) => thrown)
    expect(error.toObject()).to.include({ code: 'RESOURCE_NOT_FOUND' })
  })
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo }) => [id(), string('title').sortable(), belongsTo('shelf', 'shelves')],
  countable: true,
  pagination: (serverDefault) => serverDefault,
  scope: (caller) => (caller?.header('x-reader') === 'lover' ? true : { position: { $gte: 2 } }),
})
