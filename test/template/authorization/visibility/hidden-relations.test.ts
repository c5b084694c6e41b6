import { expect } from 'chai'
import { type Caller, defineResource } from '#kernel'
import { httpHeaders } from '#plugins/http-headers/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { blueTag, fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { atomicMediaType, expectError, readIds } from '#test/template/specification/support.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

const profile = 'https://haddowg.github.io/json-api/profiles/relationship-queries/'
const queries = { accept: `application/vnd.api+json;profile="${profile}"` }
const isRoot = (caller: Caller | null) => caller?.principal?.identifier === 'root'

// The relations of shelf 1 and book 1 are hidden from every requester except root; all other relations are visible.
const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name'),
    hasMany('books', 'books')
      .hidden((shelf, request) => shelf.name === 'Fiction' && !isRoot(request))
      .countable()
      .withUriFieldName('volumes'),
    hasOne('label', 'labels').hidden((shelf, request) => shelf.name === 'Fiction' && !isRoot(request)),
  ],
})
const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo, belongsToMany }) => [
    id(),
    string('title'),
    belongsTo('shelf', 'shelves').hidden((book, request) => book.title === 'Emma' && !isRoot(request)),
    belongsToMany('tags', 'tags')
      .withData()
      .hidden((book, request) => book.title === 'Emma' && !isRoot(request)),
    belongsToMany('allTags', 'tags')
      .storedAs('tags')
      .hidden(throwing as never),
    belongsToMany('oddTags', 'tags')
      .storedAs('tags')
      .hidden(() => undefined as never),
  ],
  defaultIncludes: ['shelf'],
})

function throwing(): never {
  throw new Error('This function always fails.')
}

const cacheHeaders = { public: true, max_age: 60 }
const plugins = pluginsWithTokens('root', 'ann').map((plugin) =>
  plugin.name === 'http-headers' ? httpHeaders({ cacheHeaders }) : plugin,
)

describe('A relation with hidden(fn)', () => {
  let library: TestApp
  let client: TestApp['client']

  before(async () => {
    library = await startLibrary({ resources: libraryWith(shelves, books), plugins })
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('is omitted from a parent when the function returns true', async () => {
    const { body } = await client.get('/books?include=')
    expect(body.data[0].relationships).to.equal(undefined)
    expect(body.data[1].relationships).to.have.all.keys('shelf', 'tags')
  })

  it('is rendered when the function returns false for the requester', async () => {
    const { body } = await client.get('/books/1?include=', as('root'))
    expect(body.data.relationships).to.have.all.keys('shelf', 'tags')
  })

  it('adds nothing to an include, also if a fieldset omits the properties that the function reads', async () => {
    for (const query of [
      'include=shelf,tags',
      'include=shelf,tags&fields[books]=id',
      'include=shelf&fields[books]=shelf',
    ]) {
      expect((await client.get(`/books/1?${query}`)).body.included, query).to.deep.equal([])
    }
    expect((await client.get('/books/2?include=shelf&fields[books]=id')).body.included).to.have.length(1)
    expect((await client.get('/books/1?include=shelf,tags', as('root'))).body.included).to.have.length(3)
  })

  it('adds nothing to a longer include path', async () => {
    const { body } = await client.get('/labels/1?include=shelf.books')
    expect(readIds(body.included)).to.deep.equal(['1'])
    expect((await client.get('/labels/1?include=shelf.books', as('root'))).body.included).to.have.length(4)
  })

  it('adds nothing to default includes', async () => {
    expect((await client.get('/books/1')).body.included).to.equal(undefined)
    expect((await client.get('/books/2')).body.included).to.have.length(1)
  })

  it('returns 404 RELATIONSHIP_NOT_EXISTS at its URLs for every method', async () => {
    const one = { data: null }
    const many = { data: [{ type: 'tags', id: redTag }] }
    for (const answer of [
      await client.get('/books/1/shelf'),
      await client.get('/books/1/relationships/shelf'),
      await client.patch('/books/1/relationships/shelf', one),
      await client.get('/books/1/tags'),
      await client.get('/books/1/relationships/tags'),
      await client.post('/books/1/relationships/tags', many),
      await client.patch('/books/1/relationships/tags', many),
      await client.delete('/books/1/relationships/tags', many),
      await client.get('/shelves/1/volumes?withCount=_self_'),
      await client.get('/shelves/1/label'),
      await client.get('/shelves/1/relationships/label'),
    ]) {
      expectError(answer, 404, 'RELATIONSHIP_NOT_EXISTS')
    }
    const { orm } = await libraryDatabase()
    expect(await orm.em.fork().getConnection().execute('select * from book_tags')).to.have.length(2)
  })

  it('returns 200 at its URLs when the function returns false', async () => {
    expect((await client.get('/books/2/shelf')).status).to.equal(200)
    expect((await client.get('/books/1/relationships/tags', as('root'))).body.data).to.have.length(2)
    const added = await client.post('/books/2/relationships/tags', { data: [{ type: 'tags', id: redTag }] })
    expect(added.status, added.text).to.equal(200)
    expect(readIds(added.body.data)).to.deep.equal([redTag])
    expect((await client.patch('/books/2/relationships/shelf', { data: null })).body.data).to.equal(null)
  })

  it('returns 404 for a batch operation at its URL', async () => {
    const operations = [{ op: 'update', ref: { type: 'books', id: '1', relationship: 'shelf' }, data: null }]
    const answer = await client.send('POST', '/operations', {
      body: { 'atomic:operations': operations },
      headers: { accept: atomicMediaType, 'content-type': atomicMediaType },
    })
    expect(answer.status, answer.text).to.equal(404)
    expect(answer.body.errors[0].code).to.equal('RELATIONSHIP_NOT_EXISTS')
  })

  it('is not counted when the function returns true', async () => {
    const { body } = await client.get('/shelves?withCount=books')
    expect(body.data[0].relationships).to.equal(undefined)
    expect(body.data[1].relationships.books.meta.total).to.equal(0)
  })

  it('adds nothing to relationship queries', async () => {
    const path = `/shelves/1?include=books&relatedQuery[books][sort]=title`
    const { status, body } = await client.get(path, queries)
    expect(status).to.equal(400) // books has no sorts in this test
    expect(body.errors[0].source.parameter).to.equal('relatedQuery[books][sort]')
    const shown = await client.get('/shelves/1?include=books', queries)
    expect(shown.body.included).to.deep.equal([])
    expect(shown.body.data.relationships).to.equal(undefined)
  })

  it('accepts writes in resource documents', async () => {
    const relationships = { tags: { data: [{ type: 'tags', id: blueTag }] } }
    const answer = await client.patch('/books/1', { data: { type: 'books', id: '1', relationships } })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.data.relationships).to.equal(undefined)
    const { body } = await client.get('/books/1/relationships/tags', as('root'))
    expect(readIds(body.data)).to.deep.equal([blueTag])
  })

  it('is hidden when the function throws or returns no boolean', async () => {
    for (const name of ['allTags', 'oddTags']) {
      expectError(await client.get(`/books/2/${name}`), 404, 'RELATIONSHIP_NOT_EXISTS')
      expect((await client.get(`/books/2?include=${name}`)).body.included).to.deep.equal([])
    }
  })

  it('makes the response private with Vary: Authorization when the function reads the principal', async () => {
    for (const [path, isPrivate] of [
      ['/books/1', true],
      ['/books/4', false],
      ['/labels/1', false],
    ] as const) {
      const { headers } = await client.get(path)
      expect(headers.get('cache-control'), path).to.equal(isPrivate ? 'private, max-age=60' : 'public, max-age=60')
      expect(/Authorization/.test(headers.get('vary') ?? ''), path).to.equal(isPrivate)
    }
  })

  it('is returned by app.dispatch without a principal', async () => {
    const { app } = library
    const found = await app.dispatch({ kind: 'FetchRelated', type: 'books', id: '1', relation: 'shelf' })
    expect(found).to.include({ kind: 'related', status: 200 })
    const refused = await app
      .dispatch({ kind: 'FetchRelated', type: 'books', id: '1', relation: 'shelf', principal: null })
      .catch((thrown) => thrown)
    expect(refused.toObject()).to.include({ code: 'RELATIONSHIP_NOT_EXISTS' })
  })
})
