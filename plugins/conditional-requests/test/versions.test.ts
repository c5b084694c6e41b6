import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource, defineType, type Provider } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { memoryStore } from '#memory'
import { Policy } from '#plugins/authorization/index.ts'
import { buildApp, startApp, type TestApp } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { Book, Label, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { neededBy } from '../needed-by.ts'

const tagOf = ({ headers }: ClientResponse) => headers.get('etag') ?? ''
const versionOf = (response: ClientResponse) => tagOf(response).slice(1).replace(/-.*/, '')
const declared = (...resources: readonly DeclaredResource['resource'][]) =>
  resources.map((resource) => ({ file: 'versions.ts', resource }))
const config = configFrom({ ETAG_SECRET: 'a secret of at least 32 characters' })
const patchOf = (type: string, attributes: object) => ({ data: { type, id: '1', attributes } })

const countedSchema = defineEntity({
  name: 'Counted',
  tableName: 'counted',
  properties: { id: p.integer().primary(), name: p.text(), version: p.integer().version() },
})
class Counted extends countedSchema.class {}
countedSchema.setClass(Counted)

const datedSchema = defineEntity({
  name: 'Dated',
  tableName: 'dated',
  properties: { id: p.integer().primary(), name: p.text(), changedAt: p.datetime(3).version() },
})
class Dated extends datedSchema.class {}
datedSchema.setClass(Dated)

const viewedSchema = defineEntity({
  name: 'Viewed',
  tableName: 'viewed',
  view: true,
  expression: `select id, name from counted`,
  properties: { id: p.integer().primary(), name: p.text() },
})
class Viewed extends viewedSchema.class {}
viewedSchema.setClass(Viewed)

const delegatingProvider: Provider = {
  one: (type, key, query, context, options) => context.app.store.provider.one(type, key, query, context, options),
  many: (type, keys, query, context, options) => context.app.store.provider.many(type, keys, query, context, options),
  collection: (type, query, context) => context.app.store.provider.collection(type, query, context),
  count: (type, query, context) => context.app.store.provider.count(type, query, context),
  related: (relation, parents, query, context) => context.app.store.provider.related(relation, parents, query, context),
}

class OpenPolicy extends Policy<Book> {
  static override needs = { view: [] }
  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create() {
    return true
  }
  override update() {
    return true
  }
  override delete() {
    return true
  }
}

describe('The version of a resource', () => {
  let database: TestDatabase
  let app: TestApp
  let client: Client
  before(async () => {
    database = await openTestDatabase({ entities: [Counted, Dated, Viewed], migrations: [] })
    await database.orm.schema.create()
    const connection = database.orm.em.getConnection()
    await connection.execute(`insert into counted (id, name, version) values (1, 'one', 1)`)
    await connection.execute(`insert into dated (id, name, changed_at) values (1, 'one', '2020-01-01T00:00:00.001Z')`)
    const notes = { ...memoryStore([{ id: '1', name: 'one' }]) }
    app = await startApp({
      database,
      config,
      onWrite: () => {},
      resources: declared(
        defineResource(Counted, { type: 'counted', fields: ({ id, string }) => [id(), string('name')] }),
        defineResource(Dated, { type: 'dated', fields: ({ id, string }) => [id(), string('name')] }),
        defineResource(Viewed, { type: 'viewed', fields: ({ id, string }) => [id(), string('name')] }),
        defineResource(Dated, {
          type: 'delegated',
          fields: ({ id, string }) => [id(), string('name')],
          provider: delegatingProvider,
        }),
        defineType<{ id: string; name: string }>({
          type: 'notes',
          operations: ['FetchCollection', 'FetchOne', 'Update'],
          fields: ({ id, string }) => [id(), string('name')],
          ...notes,
        }),
      ),
    })
    client = app.client
  })
  after(async () => {
    await app.close()
    await database.close()
  })

  it("is MikroORM's version property if the entity has one", async () => {
    expect(versionOf(await client.get('/counted/1'))).to.equal('1')
    const updated = await client.patch('/counted/1', patchOf('counted', { name: 'two' }), { 'if-match': '"1"' })
    expect(updated.status).to.equal(200)
    expect(versionOf(updated)).to.equal('2')
    const stale = await client.patch('/counted/1', patchOf('counted', { name: 'three' }), { 'if-match': '"1"' })
    expect(stale.status).to.equal(412)
  })

  it('is the time in microseconds if the version property is a date', async () => {
    const read = await client.get('/dated/1')
    expect(versionOf(read)).to.equal('1577836800001000')
    const updated = await client.patch('/dated/1', patchOf('dated', { name: 'two' }), { 'if-match': tagOf(read) })
    expect(updated.status).to.equal(200)
    expect(versionOf(updated)).not.to.equal(versionOf(read))
  })

  it('is a digest of the row for a view, compared under the lock of its row', async () => {
    const read = await client.get('/viewed/1?fields[viewed]=')
    expect(tagOf(read)).to.match(/^"[\w+/]{22}-/)
    expect(versionOf(await client.get('/viewed/1'))).to.equal(versionOf(read))
    const patch = () => client.patch('/viewed/1', patchOf('viewed', {}), { 'if-match': tagOf(read) })
    expect((await patch()).status).to.equal(200)
    await client.patch('/counted/1', patchOf('counted', { name: 'by table' }))
    expect((await patch()).status).to.equal(412)
  })

  it('is the version of the store for a type whose provider delegates to it', async () => {
    const read = await client.get('/delegated/1?fields[delegated]=')
    expect(versionOf(read)).to.equal(versionOf(await client.get('/dated/1')))
    expect(versionOf(await client.get('/delegated/1'))).to.equal(versionOf(read))
    const patch = (name: string) =>
      client.patch('/delegated/1', patchOf('delegated', { name }), { 'if-match': tagOf(read) })
    const updated = await patch('by its provider')
    expect(updated.status).to.equal(200)
    expect(versionOf(updated)).to.equal(versionOf(await client.get('/delegated/1')))
    expect((await patch('again')).status).to.equal(412)
  })

  it('is a digest of the row for a type in memory, which only If-Match: * may write', async () => {
    const read = await client.get('/notes/1')
    expect(versionOf(await client.get('/notes/1?fields[notes]='))).to.equal(versionOf(read))
    expect((await client.get('/notes/1', { 'if-none-match': tagOf(read) })).status).to.equal(304)
    const refused = await client.patch('/notes/1', patchOf('notes', { name: 'two' }), { 'if-match': tagOf(read) })
    expect(refused.status).to.equal(412)
    expect(refused.body.errors[0].detail).to.include('send If-Match: *')
    const updated = await client.patch('/notes/1', patchOf('notes', { name: 'two' }), { 'if-match': '*' })
    expect(updated.status).to.equal(200)
    expect(versionOf(updated)).not.to.equal(versionOf(read))
  })
})

describe('The version of a row in memory', () => {
  const row: Record<string, unknown> = { id: '1' }
  let library: TestApp
  before(async () => {
    const memos = defineType<{ id: string; size: number; about: string; answers: string[] }>({
      type: 'memos',
      fields: ({ id, integer, belongsTo, hasMany }) => [
        id(),
        integer('size'),
        belongsTo('about', 'memos'),
        hasMany('answers', 'memos'),
      ],
      provider: { ...delegatingProvider, one: async () => ({ ...row }) },
      operations: ['FetchOne'],
    })
    library = await startLibrary({ resources: declared(memos), config })
  })
  after(() => library.close())

  const versionWith = async (values: object) => {
    Object.assign(row, { size: 1, about: null, answers: [] }, values)
    const response = await library.client.get('/memos/1?fields[memos]=')
    expect(response.status, response.text).to.equal(200)
    return versionOf(response)
  }

  it('changes with its columns', async () => {
    const values = [1, 2, 1n, 2n, '1', null, { size: 1n }, { size: 2n }]
    const versions = new Set<string>()
    for (const size of values) versions.add(await versionWith({ size }))
    expect(versions.size).to.equal(values.length - 1) // 1n is '1'
  })

  it('changes with the keys of its to-one relations', async () => {
    const none = await versionWith({ about: null })
    const first = await versionWith({ about: 'a' })
    expect(new Set([none, first, await versionWith({ about: 'b' })]).size).to.equal(3)
    expect(await versionWith({ about: { key: 'a' } })).to.equal(first)
    expect(await versionWith({ about: 1 })).to.equal(await versionWith({ about: 1n }))
    expect(await versionWith({ about: 1 })).not.to.be.oneOf([none, first])
    for (const about of [undefined, {}, { key: {} }]) expect(await versionWith({ about })).to.equal(none)
    expect(await versionWith({ answers: 'a' })).to.equal(none)
  })
})

describe('The version of a resource with chained attributes', () => {
  let library: TestApp
  before(async () => {
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string, hasOne }) => [
        id(),
        string('name'),
        string('text').on('label').nullable(),
        hasOne('label', 'labels'),
      ],
    })
    const labels = defineResource(Label, {
      type: 'labels',
      fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
    })
    library = await startLibrary({ resources: declared(shelves, labels) })
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('is joined from the rows that an update writes, and zero for a missing one', async () => {
    expect(tagOf(await library.client.get('/shelves/1'))).to.match(/^"\d+\.\d+-/)
    expect(tagOf(await library.client.get('/shelves/2'))).to.match(/^"\d+\.0-/)
  })

  it('is stale after a write of the other row', async () => {
    const { client } = library
    const before = tagOf(await client.get('/shelves/1'))
    const change = (text: string, tag: string) =>
      client.patch('/shelves/1', patchOf('shelves', { text }), { 'if-match': tag })
    await client.patch('/labels/1', patchOf('labels', { text: 'G' }))
    expect((await change('H', before)).status).to.equal(412)
    const changed = await change('H', tagOf(await client.get('/shelves/1')))
    expect(changed.status).to.equal(200)
    expect((await change('I', tagOf(changed))).status).to.equal(200)
  })

  it('is selected on pages with an offset', async () => {
    const accept = 'application/vnd.api+json; profile="urn:jsonapi:profile:versions"'
    const { body } = await library.client.get('/shelves?page[number]=2&page[size]=1', { accept })
    expect(body.data[0].meta.version).to.match(/^\d+\.0$/)
  })
})

describe('If-Match', () => {
  let library: TestApp
  before(async () => {
    library = await startLibrary()
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const countOf = async (send: () => Promise<ClientResponse>, status: number) => {
    const statements = await statementsOf(async () => expect((await send()).status).to.equal(status))
    return statements.length
  }

  it('says why it refuses a write', async () => {
    const { client } = library
    const patch = (headers: Record<string, string>) =>
      client.patch('/books/1', patchOf('books', { title: 'x' }), headers)
    const create = { data: { type: 'shelves', attributes: { name: 'New' } } }
    for (const [response, reason] of [
      [
        await patch({ 'if-match': '"1"' }),
        'the resource has another version; read it again and send its new ETag in If-Match',
      ],
      [await patch({ 'if-match': ' "1" , W/"2" ' }), 'the resource has another version'],
      [await patch({ 'if-none-match': ' * ' }), 'If-None-Match matches the stored version'],
      [await client.post('/shelves', create, { 'if-match': '"1"' }), 'a new resource has no version'],
    ] as const) {
      expect(response.status).to.equal(412)
      expect(response.body.errors[0].detail).to.contain(`Nothing was changed: ${reason}`)
    }
  })

  it('is a condition of the statement that writes if the row is not read, and needs one statement for an entity', async () => {
    const hooked = defineResource(Book, {
      type: 'books',
      fields: ({ id, string }) => [id(), string('title')],
      hydrator: { hydrate() {} },
    })
    const reading = defineResource(Book, {
      type: 'books',
      fields: ({ id, string }) => [id(), string('title')],
      policy: OpenPolicy,
    })
    const entities = await startLibrary({ resources: declared(hooked) })
    const secured = await startLibrary({ resources: declared(reading) })
    // The policy of the first reads the row. A refused write reads the row, for the error. The last one writes entities, whose version is read by a statement of its own.
    for (const [client, plain, conditional, anyVersion, refused] of [
      [secured.client, 2, 2, 2, 1],
      [library.client, 1, 1, 1, 2],
      [entities.client, 3, 4, 3, 2],
    ] as const) {
      const patch = (title: string, headers = {}) => client.patch('/books/1', patchOf('books', { title }), headers)
      expect(await countOf(() => patch('a'), 200)).to.equal(plain)
      const current = { 'if-match': tagOf(await client.get('/books/1')) }
      expect(await countOf(() => patch('b', current), 200)).to.equal(conditional)
      expect(await countOf(() => patch('c', { 'if-match': '*' }), 200)).to.equal(anyVersion)
      expect(await countOf(() => patch('d', current), 412)).to.equal(refused)
    }
    await entities.close()
    await secured.close()
  })

  it('adds no statement to reads', async () => {
    const tag = tagOf(await library.client.get('/shelves/1'))
    expect(await countOf(() => library.client.get('/shelves/1'), 200)).to.equal(1)
    expect(await countOf(() => library.client.get('/shelves/1', { 'if-none-match': tag }), 304)).to.equal(1)
  })

  it('of a relationship detects changes of its members by another request', async () => {
    const { client } = library
    const path = '/books/1/relationships/tags'
    const before = tagOf(await client.get(path))
    const removed = await client.delete(path, { data: [{ type: 'tags', id: '00000000-0000-4000-8000-00000000000a' }] })
    expect(removed.headers.get('etag')).to.equal(tagOf(await client.get(path)))
    expect((await client.patch(path, { data: [] }, { 'if-match': before })).status).to.equal(412)
    expect((await client.patch(path, { data: [] }, { 'if-match': tagOf(removed) })).status).to.equal(200)
  })
})

describe('requireIfMatch', () => {
  const shelvesWith = (declaration: object) =>
    declared(
      defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string, hasOne }) => [id(), string('name'), hasOne('label', 'labels')],
        ...declaration,
      }),
      defineResource(Label, { type: 'labels', fields: ({ id, belongsTo }) => [id(), belongsTo('shelf', 'shelves')] }),
    )
  const refusal = async (resources: readonly DeclaredResource[], options: object = {}) => {
    const database = await libraryDatabase()
    const error = await buildApp({ resources, database, ...options }).catch((thrown: Error) => thrown)
    return (error as Error).message
  }
  before(fillLibrary)
  after(emptyLibrary)

  it('returns 428 to writes without If-Match, after all other checks', async () => {
    const { client, close } = await startLibrary({ resources: shelvesWith({ requireIfMatch: true }) })
    const tag = tagOf(await client.get('/shelves/1'))
    const patch = (headers = {}, name: unknown = 'x') =>
      client.patch('/shelves/1', patchOf('shelves', { name }), headers)
    for (const response of [
      await patch(),
      await patch({ 'if-none-match': '"1-a"' }),
      await client.delete('/shelves/1'),
      await client.patch('/shelves/1/relationships/label', { data: null }),
    ]) {
      expect(response.status).to.equal(428)
      expect(response.body.errors[0]).to.include({ code: 'PRECONDITION_REQUIRED', title: 'Precondition is required' })
      expect(response.body.errors[0].source).to.deep.equal({ header: 'If-Match' })
    }
    expect((await patch({}, 1)).status).to.equal(422)
    expect((await client.delete('/shelves/99')).status).to.equal(404)
    expect((await patch({ 'if-match': '"1-a"' })).status).to.equal(412)
    expect((await patch({ 'if-match': tag })).status).to.equal(200)
    expect((await patch({ 'if-match': '*' }, 'y')).status).to.equal(200)
    const created = await client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'new' } } })
    expect(created.status).to.equal(201)
    await close()
  })

  it('does not apply to operations of the program', async () => {
    const { app, close } = await startLibrary({ resources: shelvesWith({ requireIfMatch: true }) })
    const response = await app.dispatch({ kind: 'Update', type: 'shelves', id: '1', attributes: { name: 'z' } })
    expect(response.status).to.equal(200)
    await close()
  })

  it('prevents the start when the plugin is disabled or not listed', async () => {
    const resources = shelvesWith({ requireIfMatch: true })
    const others = plugins.filter(({ name }) => name !== 'conditional-requests')
    const unlisted = [{ name: 'conditional-requests', keys: { requireIfMatch: null }, neededBy }]
    for (const options of [{ disabled: ['conditional-requests'] }, { plugins: others, unlisted }]) {
      expect(await refusal(resources, options)).to.equal(
        "shelves.requireIfMatch (versions.ts): needs the plugin 'conditional-requests', which is off; without it 'requireIfMatch' would be ignored.",
      )
    }
  })

  it('is rejected at boot for rows that cannot be locked, and for other values than true and false', async () => {
    const notes = defineType<{ id: string }>({
      type: 'notes',
      operations: ['FetchOne', 'Delete'],
      fields: ({ id }) => [id()],
      requireIfMatch: true,
      ...memoryStore([{ id: '1' }]),
    })
    expect(await refusal(declared(notes))).to.equal(
      'notes.requireIfMatch (versions.ts): Rows of this type cannot be locked, so no version could be compared.',
    )
    expect(await refusal(shelvesWith({ etags: 'yes' }))).to.equal('shelves.etags (versions.ts): It is true or false.')
    expect(await refusal(shelvesWith({ requireIfMatch: 'yes' }))).to.equal(
      'shelves.requireIfMatch (versions.ts): It is true or false.',
    )
  })

  it('is without effect, as are all headers, when it is false and the plugin is disabled', async () => {
    const resources = shelvesWith({ requireIfMatch: false })
    const { client, close } = await startLibrary({ resources, disabled: ['conditional-requests'] })
    const read = await client.get('/shelves/1', { 'if-none-match': '*' })
    expect(read.status).to.equal(200)
    expect(read.headers.get('etag')).to.equal(null)
    const written = await client.patch('/shelves/1', patchOf('shelves', { name: 'off' }), { 'if-match': '"1-a"' })
    expect(written.status).to.equal(200)
    await close()
  })
})
