import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

describe('Sparse fieldsets', () => {
  let library: TestApp
  let client: Client
  const tagId = '11111111-1111-4111-8111-111111111111'

  before(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    const em = orm.em.fork()
    await em.insertMany(Shelf, [{ id: 1, name: 'Fiction' }])
    await em.insertMany(Book, [
      { id: 1, title: 'Ulysses', position: 3, rating: 4.5, secret: 'hush', shelf: 1 },
      { id: 2, title: 'Emma', position: 1, shelf: 1 },
    ])
    await em.insertMany(Label, [{ id: 1, text: 'A to M', shelf: 1 }])
    await em.insertMany(Tag, [{ id: tagId, name: 'even' }])
    await orm.em.getConnection().execute(`insert into book_tags (book_id, tag_id) values (1, '${tagId}')`)
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

  it('SFS-03 returns only the named attributes and relationships', async () => {
    const { body } = await client.get('/books/1?fields[books]=title,shelf')
    expect(memberNames(body.data)).to.deep.equal({ attributes: ['code', 'title'], relationships: ['shelf'] })
    expect(body.data).to.include({ type: 'books', id: '1' })
  })

  it('returns a notSparseField() field even if the fieldset omits it', async () => {
    const some = await client.get('/books/1?fields[books]=position')
    expect(memberNames(some.body.data).attributes).to.deep.equal(['code', 'position'])
    const none = await client.get('/books/1?fields[books]=')
    expect(memberNames(none.body.data)).to.deep.equal({ attributes: ['code'], relationships: [] })
  })

  it('omits a sparseByDefault() field without a fieldset, and does not compute it', async () => {
    const { body } = await client.get('/books')
    for (const book of body.data) {
      expect(memberNames(book)).to.deep.equal({
        attributes: ['code', 'position', 'rating', 'title'],
        relationships: ['shelf'],
      })
    }
    expect(counted).to.equal(0)
  })

  describe('with a sparseByDefault() relation', () => {
    const even = { type: 'tags', id: tagId }
    const shelf = { type: 'shelves', id: '1' }
    const relationshipsOf = (resource: Resource) => Object.keys(resource.relationships ?? {}).sort()

    it('DOC-29 returns its linkage when it is included', async () => {
      const { body } = await client.get('/books/1?include=tags')
      expect(body.included.map(({ id }: Resource) => id)).to.deep.equal([even.id])
      expect(body.data.relationships.tags.data).to.deep.equal([even])
      expect(body.data.relationships.tags.links).to.have.keys('self', 'related')
      const untagged = await client.get('/books/2?include=tags')
      expect(untagged.body.data.relationships.tags.data).to.deep.equal([])
    })

    it('DOC-29 returns its linkage at every level of the path, and for to-one relationships', async () => {
      const { body } = await client.get('/shelves/1?include=books.tags')
      const books = body.included.filter(({ type }: Resource) => type === 'books')
      expect(books.map((book: Resource) => relationshipsOf(book))).to.deep.equal([
        ['shelf', 'tags'],
        ['shelf', 'tags'],
      ])
      const labelled = await client.get('/shelves/1?include=label.shelf')
      expect(labelled.body.included[0].relationships.shelf.data).to.deep.equal(shelf)
    })

    it('DOC-29 returns its linkage when it is included by default', async () => {
      const { body } = await client.get('/labels')
      expect(body.included).to.have.length(1)
      expect(body.data[0].relationships.shelf.data).to.deep.equal(shelf)
      expect((await client.get('/labels/1')).body.data.relationships.shelf.data).to.deep.equal(shelf)
      expect((await client.get('/labels/1?include=')).body.data).not.to.have.property('relationships')
    })

    it('DOC-30 omits it when a fieldset does not name it, even if the fieldset is that of the default', async () => {
      for (const fields of ['title', 'title,position,rating,code,shelf', '']) {
        const { body } = await client.get(`/books/1?include=tags&fields[books]=${fields}`)
        expect(relationshipsOf(body.data)).not.to.include('tags')
        expect(body.included).to.have.length(1)
      }
      expect(relationshipsOf((await client.get('/books/1')).body.data)).to.deep.equal(['shelf'])
    })

    it('returns its total when it is included and counted', async () => {
      const { body } = await client.get('/books/1?include=tags&withCount=tags')
      expect(body.data.relationships.tags.meta).to.deep.equal({ total: 1 })
      expect(relationshipsOf((await client.get('/books/1?withCount=tags')).body.data)).to.deep.equal(['shelf'])
    })
  })

  it('returns and computes a sparseByDefault() field when the fieldset names it', async () => {
    const { body } = await client.get('/books?fields[books]=letters,tags')
    for (const book of body.data) {
      expect(memberNames(book)).to.deep.equal({ attributes: ['code', 'letters'], relationships: ['tags'] })
    }
    expect(body.data.map((book: Resource) => book.attributes?.letters)).to.deep.equal([7, 4])
    expect(counted).to.equal(2)
  })

  it('omits hidden and write-only fields even if the fieldset names them', async () => {
    const { status, body, text } = await client.get('/books/1?fields[books]=title,secret,note,id')
    expect(status).to.equal(200)
    expect(memberNames(body.data).attributes).to.deep.equal(['code', 'title'])
    expect(text).not.to.include('hush')
    const whole = await client.get('/books/1')
    expect(whole.text).not.to.match(/hush|secret|note/)
  })

  it('SFS-01 applies the fieldset of each type to included resources', async () => {
    const { body } = await client.get('/books/1?include=shelf&fields[shelves]=name&fields[books]=title,shelf')
    expect(memberNames(body.included[0])).to.deep.equal({ attributes: ['name'], relationships: [] })
    expect(memberNames(body.data)).to.deep.equal({ attributes: ['code', 'title'], relationships: ['shelf'] })
  })

  it('returns included resources when the fieldset omits the relationship that includes them', async () => {
    const { body } = await client.get('/books/1?include=shelf&fields[books]=title')
    expect(body.data).not.to.have.property('relationships')
    expect(body.included.map(({ type, id }: Resource) => `${type} ${id}`)).to.deep.equal(['shelves 1'])
  })

  it('selects only the columns of the named fields', async () => {
    const [statement] = await statementsOf(() => client.get('/books?fields[books]=title'))
    expect(statement?.sql).to.match(/"title"/)
    expect(statement?.sql).not.to.match(/"position"|"rating"|"secret"|"shelf_id"/)
  })

  it('returns 400 with the available fields when a fieldset names an unknown field', async () => {
    const { status, body } = await client.get('/books?fields[books]=title,nope,never&fields[shelves]=color,name')
    expect(status).to.equal(400)
    expect(body.errors.map(({ code, source }: ErrorObject) => [code, source])).to.deep.equal([
      ['FIELDSET_MEMBER_UNRECOGNIZED', { parameter: 'fields[books]' }],
      ['FIELDSET_MEMBER_UNRECOGNIZED', { parameter: 'fields[shelves]' }],
    ])
    expect(body.errors[0].detail).to.equal(
      "Resources of type 'books' do not have these fields: nope, never. Available: title, position, rating, code, letters, shelf, tags.",
    )
    expect(body.errors[0].title).to.equal('Fieldset member is unrecognized')
  })

  it('returns 400 for an unknown field before any statement is sent', async () => {
    const book = { data: { type: 'books', attributes: { title: 'Persuasion' } } }
    const statements = await statementsOf(async () => {
      expect((await client.get('/books/999?fields[books]=nope')).status).to.equal(400)
      expect((await client.post('/books?fields[books]=nope', book)).status).to.equal(400)
    })
    expect(statements).to.deep.equal([])
  })

  it('returns 400 for names of Object.prototype and for names in another case', async () => {
    for (const name of ['constructor', '__proto__', 'Title', 'title.x']) {
      const { status } = await client.get(`/books?fields[books]=${name}`)
      expect(status, name).to.equal(400)
    }
  })

  it('ignores unknown types, blanks and a trailing comma', async () => {
    const unknown = await client.get('/books?fields[unknown]=a,b&fields[__proto__]=x')
    expect(unknown.status).to.equal(200)
    expect(memberNames(unknown.body.data[0]).attributes).to.include('title')
    const { status, body } = await client.get('/books?fields[books]=%20title%20,,rating,')
    expect(status).to.equal(200)
    expect(memberNames(body.data[0]).attributes).to.deep.equal(['code', 'rating', 'title'])
  })

  it('ignores a fieldset that is not a string', async () => {
    const whole = await client.get('/books')
    for (const query of ['fields=title', 'fields[]=title', 'fields[books][]=title', 'fields[books][a]=title']) {
      const { status, body } = await client.get(`/books?${query}`)
      expect(status, query).to.equal(200)
      expect(body.data, query).to.deep.equal(whole.body.data)
    }
  })

  it('SFS-05 applies to the response of a write', async () => {
    const patch = { data: { type: 'books', id: '2', attributes: { rating: 4 } } }
    const { status, body } = await client.patch('/books/2?fields[books]=rating', patch)
    expect(status).to.equal(200)
    expect(body.data.attributes).to.deep.equal({ code: 'B2', rating: 4 })
  })

  it('returns 200 for linkage, which has no fields', async () => {
    const { status, body } = await client.get('/books/1/relationships/shelf?fields[books]=title')
    expect(status).to.equal(200)
    expect(body.data).to.deep.equal({ type: 'shelves', id: '1' })
  })

  it('ignores unknown fields when strictQueryParameters is false', async () => {
    const lenient = await startLibrary({ resources, config: { strictQueryParameters: false } })
    const { status, body } = await lenient.client.get('/books?fields[books]=title,nope')
    expect(status).to.equal(200)
    expect(memberNames(body.data[0]).attributes).to.deep.equal(['code', 'title'])
    await lenient.close()
  })

  it('describes the fields that are returned by default in OpenAPI', async () => {
    const { paths } = JSON.parse((await client.get('/docs.json')).text)
    const describedAt = (path: string, type: string) =>
      paths[path].get.parameters.find(({ name }: { name?: string }) => name === `fields[${type}]`).description
    expect(describedAt('/shelves', 'shelves')).to.equal('The fields of shelves to return; all by default.')
    expect(describedAt('/books', 'books')).to.equal(
      'The fields of books to return; by default all but letters, tags (returned where it is included).',
    )
  })

  it('returns 400 for fields, and sparseByDefault() fields, when the plugin is disabled', async () => {
    const disabled = await startLibrary({ resources, disabled: ['sparse-fieldsets'] })
    const refused = await disabled.client.get('/books?fields[books]=title')
    expect(refused.status).to.equal(400)
    expect(refused.body.errors[0]).to.deep.include({
      code: 'QUERY_PARAM_UNRECOGNIZED',
      source: { parameter: 'fields' },
    })
    const { body } = await disabled.client.get('/books/1')
    expect(memberNames(body.data).attributes).to.include('letters')
    await disabled.close()
  })
})

/** The number of times the sparseByDefault() field was computed. */
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
    belongsToMany('tags', 'tags').countable().sparseByDefault(),
  ],
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name'),
    hasMany('books', 'books'),
    hasOne('label', 'labels'),
  ],
})

const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves').sparseByDefault()],
  defaultIncludes: ['shelf'],
})

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

function memberNames({ attributes = {}, relationships = {} }: Resource) {
  return { attributes: Object.keys(attributes).sort(), relationships: Object.keys(relationships).sort() }
}
