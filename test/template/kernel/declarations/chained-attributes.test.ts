import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { compare, defineResource } from '#kernel'
import type { DeclaredResource, Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Label, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Loan } from '#test/template/support/library/loans.ts'
import { scopeSteps } from '#test/template/support/type-steps.ts'

const file = 'test/template/kernel/declarations/chained-attributes.test.ts'
const resources: DeclaredResource[] = [
  defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo }) => [
      id(),
      string('title').required(),
      string('name').on('shelf').maxLength(20).nullable(),
      belongsTo('shelf', 'shelves').hidden(),
    ],
  }),
  defineResource(Label, {
    type: 'labels',
    fields: ({ id, string, belongsTo }) => [
      id(),
      string('text'),
      string('name').on('shelf'),
      belongsTo('shelf', 'shelves'),
    ],
  }),
  defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasOne }) => [
      id(),
      string('name'),
      string('text').on('label').nullable(),
      string('again').on('label.shelf').storedAs('name').nullable(),
      hasOne('label', 'labels').hidden(),
    ],
  }),
  defineResource(Loan, {
    type: 'loans',
    fields: ({ id, string, integer, belongsTo }) => [
      id(),
      string('reader'),
      string('title').on('book'),
      integer('position').on('book'),
      belongsTo('book', 'books'),
    ],
  }),
].map((resource) => ({ file, resource }))

describe('A chained attribute', () => {
  let library: TestApp
  const start = async (...hooks: Plugin[]) => {
    library = await startLibrary({ resources, plugins: [...plugins, ...hooks] })
    return library.client
  }

  beforeEach(async () => {
    await emptyLibrary()
    const em = (await libraryDatabase()).orm.em.fork()
    await em.insertMany(Shelf, [
      { id: 1, name: 'North' },
      { id: 2, name: 'South' },
    ])
    await em.insertMany(Book, [
      { id: 1, title: 'One', shelf: 1 },
      { id: 2, title: 'Two' },
    ])
    await em.insertMany(Label, [{ id: 1, text: 'A', shelf: 2 }])
    await em.insertMany(Loan, [{ reader: 'Ada', book: 1 }])
  })
  afterEach(() => library.close())

  const patch = (attributes: object, id = '1') => ({ data: { type: 'books', id, attributes } })

  it('is read by the statement of the row, and is null when a relation is empty', async () => {
    const client = await start()
    const statements = await statementsOf(async () => {
      const { body } = await client.get('/books')
      const names = body.data.map((book: { attributes: { name: string | null } }) => book.attributes.name)
      expect(names).to.deep.equal(['North', null])
      expect(body.data[0]).not.to.have.property('relationships')
    })
    expect(statements).to.have.length(1)
  })

  it('is null when the requester may not see its owner', async () => {
    const client = await start({
      name: 'narrow',
      ...scopeSteps('addressed', () => compare('name', '=', 'South'), ['shelves']),
    })
    expect((await client.get('/books/1')).body.data.attributes.name).to.equal(null)
    expect((await client.patch('/books/1', patch({ name: 'East' }))).status).to.equal(422)
  })

  it('is written to its owner', async () => {
    const client = await start()
    const { status, body } = await client.patch('/books/1', patch({ name: 'East' }))
    expect(status).to.equal(200)
    expect(body.data.attributes.name).to.equal('East')
    expect((await client.get('/shelves/1')).body.data.attributes.name).to.equal('East')
  })

  it('is written to the owner that the same request sets', async () => {
    const client = await start()
    const relationships = { shelf: { data: { type: 'shelves', id: '1' } } }
    const data = { type: 'labels', id: '1', attributes: { name: 'West' }, relationships }
    expect((await client.patch('/labels/1', { data })).status).to.equal(200)
    const names = (await client.get('/shelves')).body.data.map((shelf: { attributes: object }) => shelf.attributes)
    expect(names).to.deep.equal([
      { name: 'West', text: 'A', again: 'West' },
      { name: 'South', text: null, again: null },
    ])
  })

  it('is written to the owner at the other end of a has-one', async () => {
    const client = await start()
    const write = (id: string) =>
      client.patch(`/shelves/${id}`, { data: { type: 'shelves', id, attributes: { text: 'B' } } })
    expect((await write('2')).body.data.attributes.text).to.equal('B')
    expect((await client.get('/labels/1')).body.data.attributes.text).to.equal('B')
    expect((await write('1')).status).to.equal(422)
  })

  it('is written together with other attributes of the same owner, which is locked once', async () => {
    const client = await start()
    const attributes = { title: 'Three', position: 3 }
    const statements = await statementsOf(async () => {
      const { body } = await client.patch('/loans/1', { data: { type: 'loans', id: '1', attributes } })
      expect(body.data.attributes).to.deep.equal({ reader: 'Ada', ...attributes })
    })
    expect(statements.filter(({ sql }) => /from "books".* for no key update/.test(sql))).to.have.length(1)
  })

  it('keeps the value of each operation when a batch writes attributes of the same owner', async () => {
    const client = await start()
    const book = { data: { type: 'books', id: '1' } }
    const add = (attributes: object) => ({
      op: 'add',
      data: { type: 'loans', attributes: { reader: 'Bob', ...attributes }, relationships: { book } },
    })
    expect((await sendBatch(client, [add({ title: 'Three' }), add({ position: 3 })])).status).to.equal(200)
    expect((await client.get('/loans/1')).body.data.attributes).to.deep.include({ title: 'Three', position: 3 })
  })

  it('is written to the resource itself when its relations lead back to it', async () => {
    const client = await start()
    const data = { type: 'shelves', id: '2', attributes: { text: 'B', again: 'West' } }
    const { body } = await client.patch('/shelves/2', { data })
    expect(body.data.attributes).to.deep.equal({ name: 'West', text: 'B', again: 'West' })
  })

  it('returns 422 with the pointer of the attribute when the owner is missing, and changes nothing', async () => {
    const client = await start()
    const { status, body } = await client.patch('/books/2', patch({ title: 'New', name: 'East' }, '2'))
    expect(status).to.equal(422)
    expect(body.errors[0]).to.deep.include({
      code: 'RELATED_ATTRIBUTE_OWNER_MISSING',
      source: { pointer: '/data/attributes/name' },
    })
    expect((await client.get('/books/2')).body.data.attributes.title).to.equal('Two')
  })

  it('is validated like other attributes', async () => {
    const client = await start()
    const { body } = await client.patch('/books/1', patch({ name: 'x'.repeat(21) }))
    expect(body.errors[0].source).to.deep.equal({ pointer: '/data/attributes/name' })
  })

  it('returns 422 with the pointer of the attribute when the column of its owner cannot hold the value', async () => {
    const client = await start()
    const data = { type: 'loans', id: '1', attributes: { position: 3_000_000_000 } }
    const { status, body } = await client.patch('/loans/1', { data })
    expect(status).to.equal(422)
    expect(body.errors[0]).to.deep.include({
      source: { pointer: '/data/attributes/position' },
      detail: "'position' must be an integer from -2147483648 to 2147483647.",
    })
  })
})
