import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { Book, Label, Shelf, Tag } from '#test/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/support/library/index.ts'
import { statementsOf } from '#test/support/statements.ts'

describe('The plugin sparse-fieldsets', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    const em = orm.em.fork()
    await em.insertMany(Shelf, [{ id: 1, name: 'Fiction' }])
    await em.insertMany(Book, [
      { id: 1, title: 'Ulysses', position: 3, rating: 4.5, secret: 'hush', shelf: 1 },
      { id: 2, title: 'Emma', position: 1, shelf: 1 },
    ])
    library = await startLibrary({ resources })
    client = library.client
  })

  beforeEach(() => {
    counted = 0
  })

  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('SFS-03 shows only the members named, attributes and relationships alike', async () => {
    const { body } = await client.get('/books/1?fields[books]=title,shelf')
    expect(membersOf(body.data)).to.deep.equal({ attributes: ['code', 'title'], relationships: ['shelf'] })
    expect(body.data).to.include({ type: 'books', id: '1' })
  })

  it('shows a member that is not sparse whatever the fieldset', async () => {
    const some = await client.get('/books/1?fields[books]=position')
    expect(membersOf(some.body.data).attributes).to.deep.equal(['code', 'position'])
    const none = await client.get('/books/1?fields[books]=')
    expect(membersOf(none.body.data)).to.deep.equal({ attributes: ['code'], relationships: [] })
  })

  it('leaves a sparse member out unless a fieldset names it, and does not compute it', async () => {
    const { body } = await client.get('/books')
    for (const book of body.data) {
      expect(membersOf(book)).to.deep.equal({
        attributes: ['code', 'position', 'rating', 'title'],
        relationships: ['shelf'],
      })
    }
    expect(counted).to.equal(0)
  })

  it('shows and computes a sparse member when a fieldset names it', async () => {
    const { body } = await client.get('/books?fields[books]=letters,tags')
    for (const book of body.data) {
      expect(membersOf(book)).to.deep.equal({ attributes: ['code', 'letters'], relationships: ['tags'] })
    }
    expect(body.data.map((book: Resource) => book.attributes?.letters)).to.deep.equal([7, 4])
    expect(counted).to.equal(2)
  })

  it('never shows a hidden or write-only member, not even when it is named', async () => {
    const { status, body, text } = await client.get('/books/1?fields[books]=title,secret,note,id')
    expect(status).to.equal(200)
    expect(membersOf(body.data).attributes).to.deep.equal(['code', 'title'])
    expect(text).not.to.include('hush')
    const whole = await client.get('/books/1')
    expect(whole.text).not.to.match(/hush|secret|note/)
  })

  it('SFS-01 applies to included resources by their own type', async () => {
    const { body } = await client.get('/books/1?include=shelf&fields[shelves]=name&fields[books]=title,shelf')
    expect(membersOf(body.included[0])).to.deep.equal({ attributes: ['name'], relationships: [] })
    expect(membersOf(body.data)).to.deep.equal({ attributes: ['code', 'title'], relationships: ['shelf'] })
  })

  it('keeps included resources when a fieldset takes the relationship away that leads to them', async () => {
    const { body } = await client.get('/books/1?include=shelf&fields[books]=title')
    expect(body.data).not.to.have.property('relationships')
    expect(body.included.map(({ type, id }: Resource) => `${type} ${id}`)).to.deep.equal(['shelves 1'])
  })

  it('reaches the columns that are selected', async () => {
    const [statement] = await statementsOf(() => client.get('/books?fields[books]=title'))
    expect(statement?.sql).to.match(/"title"/)
    expect(statement?.sql).not.to.match(/"position"|"rating"|"secret"|"shelf_id"/)
  })

  it('answers 400 and names the type when a member is unknown', async () => {
    const { status, body } = await client.get('/books?fields[books]=title,nope,never&fields[shelves]=color,name')
    expect(status).to.equal(400)
    expect(body.errors.map(({ code, source }: ErrorObject) => [code, source])).to.deep.equal([
      ['FIELDSET_MEMBER_UNRECOGNIZED', { parameter: 'fields[books]' }],
      ['FIELDSET_MEMBER_UNRECOGNIZED', { parameter: 'fields[shelves]' }],
    ])
    expect(body.errors[0].detail).to.include('nope, never')
    expect(body.errors[0].title).to.equal('Fieldset member is unrecognized')
  })

  it('answers 400 for an unknown member before anything is read or written', async () => {
    const book = { data: { type: 'books', attributes: { title: 'Persuasion' } } }
    const statements = await statementsOf(async () => {
      expect((await client.get('/books/999?fields[books]=nope')).status).to.equal(400)
      expect((await client.post('/books?fields[books]=nope', book)).status).to.equal(400)
    })
    expect(statements).to.deep.equal([])
  })

  it('knows neither names of the prototype nor names in another case as members', async () => {
    for (const name of ['constructor', '__proto__', 'Title', 'title.x']) {
      const { status } = await client.get(`/books?fields[books]=${name}`)
      expect(status, name).to.equal(400)
    }
  })

  it('tolerates a type it does not know, blanks and a trailing comma', async () => {
    const unknown = await client.get('/books?fields[nobody]=a,b&fields[__proto__]=x')
    expect(unknown.status).to.equal(200)
    expect(membersOf(unknown.body.data[0]).attributes).to.include('title')
    const { status, body } = await client.get('/books?fields[books]=%20title%20,,rating,')
    expect(status).to.equal(200)
    expect(membersOf(body.data[0]).attributes).to.deep.equal(['code', 'rating', 'title'])
  })

  it('passes over a fieldset of the wrong shape, as if it was not sent', async () => {
    const plain = await client.get('/books')
    for (const query of ['fields=title', 'fields[]=title', 'fields[books][]=title', 'fields[books][a]=title']) {
      const { status, body } = await client.get(`/books?${query}`)
      expect(status, query).to.equal(200)
      expect(body.data, query).to.deep.equal(plain.body.data)
    }
  })

  it('SFS-05 holds for the answer to a write', async () => {
    const patch = { data: { type: 'books', id: '2', attributes: { rating: 4 } } }
    const { status, body } = await client.patch('/books/2?fields[books]=rating', patch)
    expect(status).to.equal(200)
    expect(body.data.attributes).to.deep.equal({ code: 'B2', rating: 4 })
  })

  it('is accepted where no resource is shown', async () => {
    const { status, body } = await client.get('/books/1/relationships/shelf?fields[books]=title')
    expect(status).to.equal(200)
    expect(body.data).to.deep.equal({ type: 'shelves', id: '1' })
  })

  it('passes over unknown members when query parameters are not strict', async () => {
    const lenient = await startLibrary({ resources, config: { strictQueryParameters: false } })
    const { status, body } = await lenient.client.get('/books?fields[books]=title,nope')
    expect(status).to.equal(200)
    expect(membersOf(body.data[0]).attributes).to.deep.equal(['code', 'title'])
    await lenient.close()
  })

  it('answers 400 to the parameter and shows sparse members like any other when it is off', async () => {
    const plain = await startLibrary({ resources, disabled: ['sparse-fieldsets'] })
    const refused = await plain.client.get('/books?fields[books]=title')
    expect(refused.status).to.equal(400)
    expect(refused.body.errors[0]).to.deep.include({
      code: 'QUERY_PARAM_UNRECOGNIZED',
      source: { parameter: 'fields' },
    })
    const { body } = await plain.client.get('/books/1')
    expect(membersOf(body.data).attributes).to.include('letters')
    await plain.close()
  })
})

/** How often the sparse member was computed. */
let counted = 0

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, decimal, belongsTo, belongsToMany }) => [
    id(),
    string('title'),
    integer('position'),
    decimal('rating').nullable(),
    string('code')
      .computedUsing(({ id: key }) => `B${key}`)
      .needs('id')
      .notSparseField(),
    integer('letters')
      .computedUsing(({ title }) => {
        counted++
        return title.length
      })
      .needs('title')
      .sparseByDefault(),
    string('secret').nullable().hidden(),
    string('note').storedAs('secret').nullable().writeOnly(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags').sparseByDefault(),
  ],
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
})

const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })

const resources: readonly DeclaredResource[] = [books, shelves, tags, labels].map((resource) => ({
  file: 'plugins/sparse-fieldsets/sparse-fieldsets.test.ts',
  resource,
}))

interface Resource {
  readonly type: string
  readonly id: string
  readonly attributes?: Record<string, unknown>
  readonly relationships?: Record<string, unknown>
}

interface ErrorObject {
  readonly code: string
  readonly source: object
}

function membersOf({ attributes = {}, relationships = {} }: Resource) {
  return { attributes: Object.keys(attributes).sort(), relationships: Object.keys(relationships).sort() }
}
