import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import { accepted } from '#plugins/async-writes/index.ts'
import { relationshipQueriesProfileUri } from '#plugins/relationship-queries/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { created, metaResult, noContent, ok } from './index.ts'

// What is wrong with declared answers is told by test/template/kernel/declarations/registry.test.ts.

describe('The plugin responses', () => {
  let library: TestApp
  let client: Client
  const start = async (overrides: Overrides = {}, disabled: readonly string[] = []) => {
    library = await startLibrary({ resources: declare(overrides), disabled })
    client = library.client
  }
  beforeEach(async () => {
    await emptyLibrary()
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute(`insert into shelves (name) values ('Fiction'), ('Poetry')`)
    await connection.execute(`insert into books (title, position, shelf_id) values ('Emma', 2, 1), ('Ulysses', 1, 1)`)
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  const statusOf = async (write: 'create' | 'update' | 'delete') => {
    if (write === 'create') return (await client.post('/shelves', shelf('Prose'))).status
    if (write === 'update') return (await client.patch('/shelves/1', shelf('Prose', '1'))).status
    return (await client.delete('/shelves/2')).status
  }

  it('returns 204 with Location and without a body for create: noContent()', async () => {
    await start({ create: noContent() })
    const { status, headers, text } = await client.post('/shelves', shelf('Prose'))
    expect([status, text]).to.deep.equal([204, ''])
    const location = headers.get('location') ?? ''
    expect(location).to.equal(`${client.url}/shelves/3`)
    expect((await client.get(location)).body.data.attributes).to.deep.equal({ name: 'Prose' })
  })

  it('returns 204 without a body for update: noContent()', async () => {
    await start({ update: [noContent()] })
    const { status, headers, text } = await client.patch('/shelves/1', shelf('Prose', '1'))
    expect([status, text]).to.deep.equal([204, ''])
    expect(headers.get('location')).to.equal(null)
    expect((await client.get('/shelves/1')).body.data.attributes).to.deep.equal({ name: 'Prose' })
  })

  it('returns 200 with meta only for delete: metaResult()', async () => {
    await start({ delete: metaResult() })
    const { status, body } = await client.delete('/shelves/2')
    expect(status).to.equal(200)
    expect(body).to.deep.equal({
      links: { self: `${client.url}/shelves/2` },
      meta: {},
      jsonapi: { version: '1.1' },
    })
  })

  const lists: readonly (readonly [Overrides, 'create' | 'update' | 'delete', number])[] = [
    [{ create: [created(), noContent()] }, 'create', 201],
    [{ create: [noContent(), created()] }, 'create', 204],
    [{ create: [accepted('shelves'), noContent()], accept: () => undefined }, 'create', 204],
    [{ update: [ok(), noContent()] }, 'update', 200],
    [{ update: [noContent(), ok()] }, 'update', 204],
    [{ delete: [noContent(), metaResult()] }, 'delete', 204],
    [{ delete: [metaResult(), noContent()] }, 'delete', 200],
  ]
  for (const [overrides, write, status] of lists) {
    const named = [overrides[write] ?? []].flat().map(({ response }) => response)
    it(`returns ${status} for a ${write}, the first synchronous response of ${named.join(' and ')}`, async () => {
      await start(overrides)
      expect(await statusOf(write)).to.equal(status)
    })
  }

  it('sends the response of a hook instead', async () => {
    await start({
      create: [noContent(), created()],
      update: [ok(), noContent()],
      delete: [noContent(), metaResult()],
      afterCreate: ({ name }, { response }) => (name === 'Shown' ? { ...response, status: 201 } : undefined),
      afterUpdate: ({ name }, { response }) => (name === 'Hidden' ? { ...response, status: 204 } : undefined),
      afterDelete: ({ id }) => (id === 2 ? { kind: 'meta', status: 200, meta: { cancelled: true } } : undefined),
    })
    expect((await client.post('/shelves', shelf('Prose'))).status).to.equal(204)
    const shown = await client.post('/shelves', shelf('Shown'))
    expect(shown.status).to.equal(201)
    expect(shown.body.data.attributes).to.deep.equal({ name: 'Shown' })
    expect(shown.headers.get('location')).to.equal(`${client.url}/shelves/4`)
    expect((await client.patch('/shelves/1', shelf('Prose', '1'))).status).to.equal(200)
    expect((await client.patch('/shelves/1', shelf('Hidden', '1'))).status).to.equal(204)
    expect((await client.delete('/shelves/3')).status).to.equal(204)
    expect((await client.delete('/shelves/2')).body.meta).to.deep.equal({ cancelled: true })
  })

  it('keeps a response that another plugin returned instead of the write', async () => {
    const early: Plugin = {
      name: 'early',
      plan: addSteps({ check: () => ({ kind: 'none', status: 303, headers: { Location: '/elsewhere' } }) }),
    }
    const overrides = { create: noContent(), update: noContent(), delete: metaResult() }
    library = await startLibrary({ resources: declare(overrides), plugins: [...plugins, early] })
    client = library.client
    for (const write of ['create', 'update', 'delete'] as const) expect(await statusOf(write)).to.equal(303)
  })

  it('returns an empty result in a batch for noContent()', async () => {
    await start({ create: noContent() })
    const send = (...operations: object[]) =>
      client.post('/operations', { 'atomic:operations': operations }, { accept: atomic, 'content-type': atomic })
    const add = (data: object) => ({ op: 'add', data })
    const mixed = await send(add(shelf('Prose').data), add(book('1').data))
    expect(mixed.status).to.equal(200)
    expect(mixed.body['atomic:results'][0]).to.deep.equal({})
    expect(mixed.body['atomic:results'][1].data.attributes.title).to.equal('Howl')
    expect((await send(add(shelf('Prose').data))).status).to.equal(204)
  })

  it('changes nothing when the plugin is disabled', async () => {
    await start({ create: noContent(), update: noContent(), delete: metaResult() }, ['responses', 'async-writes'])
    expect(await statusOf('create')).to.equal(201)
    expect(await statusOf('update')).to.equal(200)
    expect(await statusOf('delete')).to.equal(204)
  })

  describe('The response to a write', () => {
    const accept = { accept: `${mediaType}; profile="${relationshipQueriesProfileUri}"` }
    const create = (query: string, headers = {}) => client.post(`/books?${query}`, book('1'), headers)
    const update = (query: string, headers = {}) => client.patch(`/shelves/1?${query}`, shelf('Prose', '1'), headers)
    beforeEach(() => start())

    it('applies include, fields and withCount to a create', async () => {
      const { status, body } = await create(
        'include=shelf&fields[books]=shelf,tags&fields[shelves]=name&withCount=tags',
      )
      expect(status).to.equal(201)
      expect(body.data).not.to.have.property('attributes')
      expect(body.data.relationships.shelf.data).to.deep.equal({ type: 'shelves', id: '1' })
      expect(body.data.relationships.tags.meta).to.deep.equal({ total: 0 })
      expect(body.included.map(printIdentifier)).to.deep.equal(['shelves 1'])
      expect(body.included[0].attributes).to.deep.equal({ name: 'Fiction' })
      expect(body.included[0]).not.to.have.property('relationships')
    })

    it('applies include, fields and withCount to an update', async () => {
      const { status, body } = await update('include=books&fields[books]=title&fields[shelves]=books&withCount=books')
      expect(status).to.equal(200)
      expect(body.data).not.to.have.property('attributes')
      expect(body.data.relationships.books.meta).to.deep.equal({ total: 2 })
      expect(body.included.map(printIdentifier)).to.deep.equal(['books 1', 'books 2'])
      expect(body.included[1].attributes).to.deep.equal({ title: 'Ulysses' })
    })

    it('applies relatedQuery', async () => {
      const updated = await update('include=books&relatedQuery[books][sort]=-title', accept)
      expect(updated.body.data.relationships.books.data.map(printIdentifier)).to.deep.equal(['books 2', 'books 1'])
      const others = await create('include=shelf&relatedQuery[shelf][filter][name]=Poetry', accept)
      expect(others.body.data.relationships.shelf.data).to.equal(null)
      expect(others.body.included).to.deep.equal([])
    })

    it('returns 400 for an invalid query and writes nothing', async () => {
      expect((await create('include=nothing')).status).to.equal(400)
      expect((await client.get('/books')).body.data).to.have.length(2)
    })
  })
})

type Overrides = Partial<ResourceDeclaration<Shelf>>

const atomic = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`

function shelf(name: string, id?: string) {
  return { data: { type: 'shelves', ...(id && { id }), attributes: { name } } }
}

function book(shelfId: string) {
  const relationships = { shelf: { data: { type: 'shelves', id: shelfId } } }
  return { data: { type: 'books', attributes: { title: 'Howl' }, relationships } }
}

function printIdentifier({ type, id }: { type: string; id: string }): string {
  return `${type} ${id}`
}

function declare(overrides: Overrides) {
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books').countable()],
    ...overrides,
  })
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id(),
      string('title').sortable(),
      belongsTo('shelf', 'shelves').withFilters(({ where }) => [where('name')]),
      belongsToMany('tags', 'tags').countable(),
    ],
  })
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id }) => [id()] })
  return [shelves, books, tags].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}
