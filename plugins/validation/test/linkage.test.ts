import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'

const path = '/lists/1/relationships/books'

describe('Validation of pivot fields', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary({
      resources: declare(({ id, string, belongsToMany }) => [
        id(),
        string('name'),
        belongsToMany('books', 'books')
          .through(ListEntry)
          .fields(({ integer, string: text, dateTime }) => [
            integer('place').required().min(1),
            text('note').nullable().maxLength(5),
            dateTime('addedAt').readOnlyOnUpdate(),
          ]),
      ]),
    })
    client = library.client
  })
  beforeEach(fillLists)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('returns 422 with a pointer to the deepest sent object when a new row lacks a required field', async () => {
    const data = [
      { type: 'books', id: '3' },
      { type: 'books', id: '4', meta: { other: 1 } },
      { type: 'books', id: '5', meta: { pivot: { note: 'x' } } },
    ]
    for (const method of ['POST', 'PATCH']) {
      const pointers = readPointers(await client.send(method, path, { body: { data } }))
      expect(pointers).to.deep.equal(['/data/0', '/data/1/meta', '/data/2/meta/pivot'])
    }
    expect(await rows()).to.deep.equal(['1 at 1 old', '2 at 2 null'])
  })

  it('returns 422 with a pointer to every invalid value, in linkage and in a resource', async () => {
    const data = [book('1', { place: 0, note: 'too long' }), book('3', { place: '1' }), book('4', { place: null })]
    expect(readPointers(await client.post(path, { data }))).to.deep.equal([
      '/data/0/meta/pivot/place',
      '/data/0/meta/pivot/note',
      '/data/1/meta/pivot/place',
      '/data/2/meta/pivot/place',
    ])
    const embedded = { data: { type: 'lists', id: '1', relationships: { books: { data } } } }
    expect(readPointers(await client.patch('/lists/1', embedded))[0]).to.equal(
      '/data/relationships/books/data/0/meta/pivot/place',
    )
  })

  it('returns 200 when a linked row is sent in part, and keeps its other values', async () => {
    const { status, body } = await client.post(path, { data: [book('1', { note: 'new' }), { type: 'books', id: '2' }] })
    expect(status).to.equal(200)
    expect(body.data[0].meta.pivot).to.deep.equal({ place: 1, note: 'new', addedAt: null })
    expect(await rows()).to.deep.equal(['1 at 1 new', '2 at 2 null'])
  })

  it('returns 422 when meta.pivot is not an object', async () => {
    for (const pivot of [null, 'x', []]) {
      const data = [{ type: 'books', id: '1', meta: { pivot } }]
      expect(readPointers(await client.post(path, { data }))).to.deep.equal(['/data/0/meta/pivot'])
    }
  })

  it('uses the last values when a member is sent twice', async () => {
    const data = [book('3', { place: 0 }), book('3', { place: 7, note: 'last' }), { type: 'books', id: '3' }]
    expect((await client.post(path, { data })).status).to.equal(200)
    expect(await rows()).to.include('3 at 7 last')
  })

  it('ignores invalid pivot values in a DELETE', async () => {
    expect((await client.delete(path, { data: [book('1', { place: 'x' })] })).status).to.equal(200)
    expect(await rows()).to.deep.equal(['2 at 2 null'])
  })

  it('ignores a readOnlyOnUpdate() field of a linked row, and stores it for a new row', async () => {
    const addedAt = '2024-01-01T00:00:00+00:00'
    const { body } = await client.post(path, { data: [book('1', { addedAt }), book('3', { place: 3, addedAt })] })
    expect(body.data.map(({ meta }: Json) => meta.pivot.addedAt)).to.deep.equal([null, null, addedAt])
    const wrong = await client.post(path, { data: [book('1', { addedAt: 'never' })] })
    expect(wrong.status).to.equal(200)
  })

  it('returns 422 when a created resource links a row without a required field', async () => {
    const create = (pivot: object) =>
      client.post('/lists', {
        data: { type: 'lists', attributes: { name: 'x' }, relationships: { books: { data: [book('1', pivot)] } } },
      })
    expect(readPointers(await create({}))).to.deep.equal(['/data/relationships/books/data/0/meta/pivot'])
    expect((await create({ place: 1 })).status).to.equal(201)
  })
})

describe('Pivot fields whose rules are the same for stored rows', () => {
  beforeEach(fillLists)
  after(emptyLibrary)

  /** Adds books, one of them linked already. Returns the response and the number of statements. */
  const add = async (requiresPlace: boolean, pivot: object) => {
    const { client, close } = await startLibrary({
      resources: declare(({ id, string, belongsToMany }) => [
        id(),
        string('name'),
        belongsToMany('books', 'books')
          .through(ListEntry)
          .fields(({ integer }) => [
            requiresPlace ? integer('place').requiredOnCreate().min(1) : integer('place').min(1),
          ]),
      ]),
    })
    let response = {} as ClientResponse
    const statements = await statementsOf(async () => {
      response = await client.post(path, { data: [book('1', pivot), book('3', pivot)] })
    })
    await close()
    return { response, count: statements.length }
  }

  it('are checked without a read of the members', async () => {
    const { response, count } = await add(false, { place: 7 })
    expect(response.status).to.equal(200)
    expect(await rows()).to.deep.equal(['1 at 7 old', '2 at 2 null', '3 at 7 null'])
    await fillLists()
    expect((await add(true, { place: 7 })).count).to.equal(count + 1)
  })

  it('are checked for every member', async () => {
    const { response } = await add(false, { place: 0 })
    expect(readPointers(response)).to.deep.equal(['/data/0/meta/pivot/place', '/data/1/meta/pivot/place'])
  })
})

describe('minItems() and maxItems() of a relation', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary({
      resources: declare(({ id, string, belongsToMany }) => [
        id(),
        string('name'),
        belongsToMany('books', 'books')
          .through(ListEntry)
          .fields(({ integer }) => [integer('place')])
          .minItems(1)
          .maxItems(3),
      ]),
    })
    client = library.client
  })
  beforeEach(fillLists)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const placed = (...ids: readonly string[]) => ({ data: ids.map((id) => book(id, { place: Number(id) })) })

  it('returns 422 when POST, PATCH or DELETE of linkage would leave too few or too many members', async () => {
    expect(readPointers(await client.patch(path, placed()))).to.deep.equal(['/data'])
    expect(readPointers(await client.patch(path, placed('1', '2', '3', '4')))).to.deep.equal(['/data'])
    expect(readPointers(await client.post(path, placed('3', '4')))).to.deep.equal(['/data'])
    expect(readPointers(await client.delete(path, placed('1', '2')))).to.deep.equal(['/data'])
    expect(await rows()).to.have.length(2)
  })

  it('counts the members after the write, each once', async () => {
    expect((await client.post(path, placed('1', '2', '3', '3'))).status).to.equal(200)
    expect((await client.patch(path, placed('1', '2', '1', '2'))).status).to.equal(200)
    expect((await client.delete(path, placed('1', '4'))).status).to.equal(200)
    expect(await rows()).to.deep.equal(['2 at 2 null'])
  })

  it('returns 422 with a pointer to the linkage when a resource is written with too few members', async () => {
    const relationships = { books: placed() }
    const pointer = '/data/relationships/books/data'
    const created = await client.post('/lists', { data: { type: 'lists', relationships } })
    expect(readPointers(created)).to.deep.equal([pointer])
    const changed = await client.patch('/lists/1', { data: { type: 'lists', id: '1', relationships } })
    expect(readPointers(changed)).to.deep.equal([pointer])
    expect((await client.post('/lists', { data: { type: 'lists', attributes: { name: 'x' } } })).status).to.equal(201)
  })
})

describe('maxItems() of a many-to-many without pivot fields', () => {
  let library: TestApp
  before(async () => {
    const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
    const books = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsToMany }) => [id(), string('title'), belongsToMany('tags', 'tags').maxItems(2)],
    })
    const file = 'plugins/validation/test/linkage.test.ts'
    library = await startLibrary({ resources: [tags, books].map((resource) => ({ file, resource })) })
    const { em } = (await libraryDatabase()).orm
    await em.fork().insert(Shelf, { id: 1, name: 'Novels' })
    await em.fork().insert(Book, { id: 1, title: 'Emma', shelf: 1 })
    await em.fork().insertMany(
      Tag,
      tagIds.map((id, index) => ({ id, name: `Tag ${index}` })),
    )
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const tagIds = ['a', 'b', 'c'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`)
  const add = (id: string | undefined) =>
    library.client.post('/books/1/relationships/tags', { data: [{ type: 'tags', id }] })

  it('returns 422 when POST adds a member to a relationship that has the most', async () => {
    const [first, second, third] = tagIds
    expect((await add(first)).status).to.be.oneOf([200, 204])
    expect((await add(second)).status).to.be.oneOf([200, 204])
    expect(readPointers(await add(third))).to.deep.equal(['/data'])
    expect((await library.client.get('/books/1/relationships/tags')).body.data).to.have.length(2)
  })
})

describe('required() of a to-one relation', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })
    const books = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('title').required(),
        belongsTo('shelf', 'shelves').required(),
      ],
    })
    const file = 'plugins/validation/test/linkage.test.ts'
    library = await startLibrary({ resources: [shelves, books].map((resource) => ({ file, resource })) })
    client = library.client
  })
  beforeEach(async () => {
    await emptyLibrary()
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute(`insert into shelves (name) values ('Novels')`)
    await connection.execute(`insert into books (title, shelf_id) values ('Emma', 1)`)
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const attributes = { title: 'Emma' }
  const create = (data: object) => client.post('/books', { data: { type: 'books', ...data } })
  const shelved = (data: object | null) => ({ relationships: { shelf: { data } } })

  it('returns 422 when POST omits the relation or sends null', async () => {
    expect(readPointers(await create({}))).to.deep.equal(['/data', '/data'])
    expect(readPointers(await create({ attributes }))).to.deep.equal(['/data'])
    expect(readPointers(await create({ attributes, ...shelved(null) }))).to.deep.equal([
      '/data/relationships/shelf/data',
    ])
    expect((await create({ attributes, ...shelved({ type: 'shelves', id: '1' }) })).status).to.equal(201)
  })

  it('returns 200 when PATCH omits the relation, and 422 when it sends null', async () => {
    const update = (data: object) => client.patch('/books/1', { data: { type: 'books', id: '1', ...data } })
    expect((await update({ attributes })).status).to.equal(200)
    expect(readPointers(await update(shelved(null)))).to.deep.equal(['/data/relationships/shelf/data'])
    expect(readPointers(await client.patch('/books/1/relationships/shelf', { data: null }))).to.deep.equal(['/data'])
  })

  it('is required and not nullable in the OpenAPI document', async () => {
    const { components, paths } = JSON.parse((await client.get('/docs.json')).text)
    const shelf = { $ref: '#/components/schemas/ShelvesResourceIdentifier' }
    const [created, updated] = ['BooksCreateRequest', 'BooksUpdateRequest'].map(
      (name) => components.schemas[name].properties.data,
    )
    expect(created.required).to.deep.equal(['type', 'attributes', 'relationships'])
    expect(created.properties.relationships.required).to.deep.equal(['shelf'])
    expect(updated.properties.relationships.required).to.equal(undefined)
    for (const { properties } of [created, updated]) {
      expect(properties.relationships.properties.shelf.properties.data).to.deep.equal(shelf)
    }
    const change = paths['/books/{id}/relationships/shelf'].patch.requestBody.content
    expect(Object.values<Json>(change)[0].schema.properties.data).to.deep.equal(shelf)
  })
})

describe('A to-one relation without required() whose column is not null', () => {
  let library: TestApp

  before(async () => {
    const entries = defineResource(ListEntry, {
      type: 'entries',
      fields: ({ id, integer, belongsTo }) => [id(), integer('place'), belongsTo('book', 'books')],
    })
    const file = 'plugins/validation/test/linkage.test.ts'
    const [books] = declare(({ id }) => [id()])
    library = await startLibrary({ resources: [books as DeclaredResource, { file, resource: entries }] })
    await fillLists()
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('returns 422 with a pointer when null is sent', async () => {
    const { client } = library
    const data = { type: 'entries', id: '1', relationships: { book: { data: null } } }
    expect(readPointers(await client.patch('/entries/1', { data }))).to.deep.equal(['/data/relationships/book/data'])
    expect(readPointers(await client.patch('/entries/1/relationships/book', { data: null }))).to.deep.equal(['/data'])
  })

  it('is not nullable and not required in the OpenAPI document', async () => {
    const { components } = JSON.parse((await library.client.get('/docs.json')).text)
    const { relationships } = components.schemas.EntriesCreateRequest.properties.data.properties
    expect(relationships.required).to.equal(undefined)
    expect(relationships.properties.book.properties.data).to.deep.equal({
      $ref: '#/components/schemas/BooksResourceIdentifier',
    })
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a document as a client parses it
type Json = any

function book(id: string, pivot: object) {
  return { type: 'books', id, meta: { pivot } }
}

function readPointers({ status, body }: ClientResponse): string[] {
  expect(status).to.equal(422)
  return body.errors.map(({ code, source }: Json) => {
    expect(code).to.equal('VALIDATION_FAILED')
    return source.pointer
  })
}

function declare(fields: ResourceDeclaration<ReadingList>['fields']): readonly DeclaredResource[] {
  const books = defineResource(Book, { type: 'books', fields: ({ id, string }) => [id(), string('title')] })
  const lists = defineResource(ReadingList, { type: 'lists', fields })
  return [books, lists].map((resource) => ({ file: 'plugins/validation/test/linkage.test.ts', resource }))
}

async function fillLists(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute(`insert into books (title) select 'Book ' || n from generate_series(1, 5) n`)
  await connection.execute(`insert into reading_lists (name) values ('Summer')`)
  await connection.execute(
    `insert into list_entries (list_id, book_id, place, note) values (1, 1, 1, 'old'), (1, 2, 2, null)`,
  )
}

/** `book at place note`, in the order of insertion. */
async function rows(): Promise<string[]> {
  const connection = (await libraryDatabase()).orm.em.getConnection()
  const found = await connection.execute<ListEntryRow[]>(`select * from list_entries where list_id = 1 order by id`)
  return found.map(({ book_id, place, note }) => `${book_id} at ${place} ${note}`)
}

interface ListEntryRow {
  readonly book_id: number
  readonly place: number
  readonly note: string | null
}
