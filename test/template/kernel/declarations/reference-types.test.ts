import { expect } from 'chai'
import { defineResource, defineType, type Resource } from '#kernel'
import { memoryStore } from '#memory'
import type { TestApp } from '#test/support/app.ts'
import { statementsOf } from '#test/support/statements.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { expectError, printIdentifiers, readIds } from '#test/template/specification/support.ts'
import { Box } from '#test/template/support/library/boxes.ts'
import { Book, Label, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// Types that are rendered as relation targets and have no operations of their own.

/** A view of the books that is declared with its entity. */
const entityView = defineResource(Book, {
  type: 'cards',
  operations: 'none',
  emitsSelfLink: false,
  fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'places')],
})

/** The same view, which takes its entity from the relations that lead to it. */
const serializedView = defineType<Book>({
  type: 'cards',
  emitsSelfLink: false,
  serializer: { attributes: { title: ({ title }) => title } },
  relations: ({ belongsTo }) => [belongsTo('shelf', 'places')],
})

const places = defineType<Shelf>()({
  type: 'places',
  emitsSelfLink: false,
  serializer: { attributes: { name: ({ name }) => name.toUpperCase() } },
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'cards').countable()],
})

const labels = defineResource(Label, {
  type: 'labels',
  server: null,
  fields: ({ id, string }) => [id(), string('text')],
})

const boxes = defineResource(Box, {
  type: 'boxes',
  fields: ({ id, morphToMany }) => [id(), morphToMany('contents', ['cards', 'labels']).throughProperty('thing')],
})

for (const [title, cards] of [
  ["operations: 'none' and an entity", entityView],
  ['a serializer alone', serializedView],
] as const) {
  describe(`A view of an entity, declared with ${title}`, () => {
    let library: TestApp

    before(async () => {
      library = await startLibrary({ resources: declared(shelves, cards as Resource, places, labels, boxes) })
    })
    beforeEach(fillLibrary)
    after(async () => {
      await library.close()
      await emptyLibrary()
    })

    it('is rendered at related URLs, in linkage and in included', async () => {
      const { client } = library
      const related = await client.get('/shelves/1/books')
      expect(printIdentifiers(related.body.data)).to.have.members(['cards 1', 'cards 2', 'cards 3'])
      expect(related.body.data[0]).not.to.have.property('links')
      const linkage = await client.get('/shelves/1/relationships/books')
      expect(printIdentifiers(linkage.body.data)).to.have.members(['cards 1', 'cards 2', 'cards 3'])
      const { body } = await client.get('/shelves/1?include=books.shelf&withCount=books')
      expect(printIdentifiers(body.included)).to.have.members(['cards 1', 'cards 2', 'cards 3', 'places 1'])
      const card = body.included.find(({ type, id }: { type: string; id: string }) => type === 'cards' && id === '1')
      expect(card.attributes).to.deep.equal({ title: 'Emma' })
      expect(card.relationships.shelf.data).to.deep.equal({ type: 'places', id: '1' })
      const place = body.included.find(({ type }: { type: string }) => type === 'places')
      expect(place.attributes).to.deep.equal({ name: 'FICTION' })
      expect(body.data.relationships.books.meta).to.deep.equal({ total: 3 })
    })

    it('is included by as many statements for all shelves as for one', async () => {
      const one = await statementsOf(() => library.client.get('/shelves/1?include=books.shelf'))
      const all = await statementsOf(() => library.client.get('/shelves?include=books.shelf'))
      expect(all).to.have.length(one.length)
    })

    it('is accepted in linkage of writes, and returns 404 at an identifier without a row', async () => {
      const { client } = library
      const added = await client.post('/shelves/2/relationships/books', { data: [{ type: 'cards', id: '4' }] })
      expect(printIdentifiers(added.body.data)).to.deep.equal(['cards 4'])
      const missing = await client.post('/shelves/2/relationships/books', { data: [{ type: 'cards', id: '99' }] })
      expectError(missing, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data/0' })
    })

    it('is rendered among the members of a polymorphic relation', async () => {
      const { orm } = await libraryDatabase()
      const rows = `insert into boxes (id, name) values (1, 'Box');
        insert into box_items (box_id, thing_type, thing_id, position) values (1, 'books', 2, 1), (1, 'labels', 1, 2)`
      for (const statement of rows.split(';')) await orm.em.getConnection().execute(statement)
      const { body } = await library.client.get('/boxes/1?include=contents')
      expect(printIdentifiers(body.data.relationships.contents.data)).to.deep.equal(['cards 2', 'labels 1'])
      expect(printIdentifiers(body.included)).to.deep.equal(['cards 2', 'labels 1'])
    })

    it('returns 405 at its own URLs, which have no operation', async () => {
      for (const path of ['/cards', '/cards/1', '/cards/1/shelf']) {
        expect((await library.client.get(path)).status, path).to.equal(405)
      }
    })
  })
}

describe('A type without a provider that rows in memory refer to', () => {
  const seals = defineType<Seal>({
    type: 'seals',
    emitsSelfLink: false,
    serializer: { attributes: { name: ({ name }) => name.toUpperCase() } },
    relations: ({ hasMany }) => [hasMany('makers', 'seals')],
  })
  const letters = () =>
    defineType<Letter>({
      type: 'letters',
      fields: ({ id, string, belongsTo, hasMany }) => [
        id(),
        string('text'),
        belongsTo('seal', 'seals'),
        hasMany('copies', 'seals').countable().withData(),
      ],
      ...memoryStore([
        { id: '1', seal: 'x', copies: ['x', 'y'] },
        {
          id: '2',
          seal: { id: 'r', name: 'red' },
          copies: [{ id: 's', name: 'silver' }, { id: 'r', name: 'red' }, 'x'],
        },
      ]),
      operations: ['FetchCollection', 'FetchOne', 'Update'],
    })
  let library: TestApp

  beforeEach(async () => {
    library = await startLibrary({ resources: declared(letters(), seals) })
  })
  afterEach(() => library.close())

  it('renders the key of a to-one as linkage, and no related resource because there is no row', async () => {
    const { client } = library
    const { body } = await client.get('/letters/1')
    expect(body.data.relationships.seal.data).to.deep.equal({ type: 'seals', id: 'x' })
    expect((await client.get('/letters/1/seal')).body.data).to.equal(null)
    expect((await client.get('/letters/1/copies')).body.data).to.deep.equal([])
    const included = await client.get('/letters/1?include=seal,copies.makers&withCount=copies')
    expect(included.status).to.equal(200)
    expect(included.body.included).to.deep.equal([])
  })

  it('renders the rows that the parent holds', async () => {
    const { client } = library
    expect((await client.get('/letters/2/seal')).body.data).to.deep.include({
      type: 'seals',
      id: 'r',
      attributes: { name: 'RED' },
    })
    expect(readIds((await client.get('/letters/2/copies')).body.data)).to.have.members(['r', 's'])
    expect((await client.get('/letters/2/relationships/seal')).body.data).to.deep.equal({ type: 'seals', id: 'r' })
    const { body } = await client.get('/letters?include=seal,copies.makers&withCount=copies')
    expect(readIds(body.included)).to.have.members(['r', 's'])
    expect(body.data[1].relationships.copies.meta).to.deep.equal({ total: 2 })
  })

  it('returns 404 for a write that names a resource without a row, and keeps held rows on removal', async () => {
    const { client } = library
    const missing = await client.patch('/letters/2/relationships/seal', { data: { type: 'seals', id: 'q' } })
    expectError(missing, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data' })
    expect((await client.patch('/letters/2/relationships/seal', { data: null })).body.data).to.equal(null)
    expect((await client.patch('/letters/2/relationships/copies', { data: [] })).status).to.equal(200)
  })
})

interface Seal {
  readonly id: string
  readonly name: string
  readonly makers?: readonly string[]
}

interface Letter {
  readonly id: string
  readonly text?: string
  readonly seal: string | Seal | null
  readonly copies: readonly (string | Seal)[]
}
