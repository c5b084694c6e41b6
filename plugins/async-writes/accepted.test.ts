import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Principal } from '#kernel'
import { defineResource, type Persister, type ResourceDeclaration } from '#kernel'
import type { App, ServerOptions } from '#kernel/plugin'
import { Policy, type PolicyRow } from '#plugins/authorization/index.ts'
import { lifecycle } from '#plugins/lifecycle/index.ts'
import { created, noContent, ok } from '#plugins/responses/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { type Client, type ClientResponse, mediaType } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { expectError } from '#test/template/specification/support.ts'
import { Book, Label, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { AcceptedForProcessing, accepted } from './index.ts'

// Shelves that are put up later; labels are their jobs.

type Overrides = Partial<ResourceDeclaration<Shelf>>

describe('An asynchronous write', () => {
  let library: TestApp
  let client: Client
  const start = async (overrides: Overrides, options: TestAppOptions = {}) => {
    library = await startLibrary({ resources: declare(overrides), ...options })
    client = library.client
  }
  const create = (name = 'Poetry', query = '') => client.post(`/shelves${query}`, shelf(name))
  const update = (name = 'Poetry') => client.patch('/shelves/1', shelf(name, '1'))

  beforeEach(async () => {
    await emptyLibrary()
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute(`insert into shelves (name) values ('Fiction')`)
    await connection.execute(`insert into labels (text) values ('at work')`)
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  it('CRE-08 returns 202 with Content-Location, Retry-After and the document of its job, without Location', async () => {
    await start({ create: accepted('labels'), accept: () => handOver().withRetryAfter(30) })
    await expectJob(await create(), '/shelves')
  })

  it('UPD-08 returns 202 for an update', async () => {
    await start({ update: accepted('labels'), accept: () => handOver().withRetryAfter(30) })
    await expectJob(await update(), '/shelves/1')
  })

  async function expectJob({ status, headers, body }: ClientResponse, path: string): Promise<void> {
    expect(status).to.equal(202)
    expect(headers.get('content-location')).to.equal(`${client.url}/labels/1`)
    expect(headers.get('retry-after')).to.equal('30')
    expect(headers.get('location')).to.equal(null)
    const { data } = (await client.get('/labels/1')).body
    expect(body.data).to.deep.equal(data)
    expect(data).to.deep.include({ type: 'labels', id: '1', attributes: { text: 'at work' } })
    expect(body.links.self).to.equal(client.url + path)
  }

  it('passes the entity to accept, whose writes are part of the same transaction', async () => {
    const seen: unknown[] = []
    await start({
      create: accepted('labels'),
      update: accepted('labels'),
      async accept({ id, name }, { creating, context }) {
        seen.push([id, name, creating, context.unit.em.isInTransaction()])
        await context.unit.em.insert(Label, { id: 7, text: name })
        return AcceptedForProcessing.poll('/labels/7').withJob({ id: 7 }, 'labels')
      },
    })
    expect((await create()).body.data).to.deep.include({ id: '7', attributes: { text: 'Poetry' } })
    expect((await update()).status).to.equal(409) // the label is there already
    expect(seen).to.deep.equal([
      [2, 'Poetry', true, true],
      [1, 'Poetry', false, true],
    ])
    expect((await client.get('/shelves/1')).body.data.attributes.name).to.equal('Fiction')
  })

  it('accepts a URL of another host, and a date for Retry-After', async () => {
    const time = new Date('2030-01-02T03:04:05Z')
    const answer = AcceptedForProcessing.poll('https://jobs.example/1').withRetryAfter(time)
    await start({ create: accepted('labels'), accept: () => answer.withMeta({ place: 3 }) })
    const { status, headers, body } = await create()
    expect(status).to.equal(202)
    expect(headers.get('content-location')).to.equal('https://jobs.example/1')
    expect(headers.get('retry-after')).to.equal('Wed, 02 Jan 2030 03:04:05 GMT')
    expect(body).to.deep.equal({
      links: { self: `${client.url}/shelves` },
      meta: { place: 3 },
      jsonapi: { version: '1.1' },
    })
  })

  it('returns an empty meta when there is neither a job nor meta', async () => {
    await start({ create: accepted('labels'), accept: () => AcceptedForProcessing.poll('/labels/1') })
    const { headers, body } = await create()
    expect(body.meta).to.deep.equal({})
    expect(headers.get('retry-after')).to.equal(null)
  })

  it('returns meta beside its job', async () => {
    await start({ create: accepted('labels'), accept: () => handOver().withMeta({ place: 3 }) })
    const { body } = await create()
    expect([body.data.id, body.meta]).to.deep.equal(['1', { place: 3 }])
  })

  it('shows null as linkage of its job to a row that a policy hides', async () => {
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute('update labels set shelf_id = 1')
    await start({ create: accepted('labels'), accept: () => handOver(), policy: NotFiction })
    const { body } = await create()
    expect(body.data.relationships.shelf.data).to.equal(null)
  })

  it('applies sparse fieldsets to its job', async () => {
    await start({ create: accepted('labels'), accept: () => handOver() })
    expect((await create('Poetry', '?fields[labels]=')).body.data).not.to.have.property('attributes')
  })

  it('returns the other declared response when accept returns nothing', async () => {
    const accept = ({ name }: Shelf) => (name === 'Poetry' ? handOver() : undefined)
    await start({ create: [created(), accepted('labels')], update: [noContent(), accepted('labels')], accept })
    expect((await create('Prose')).status).to.equal(201)
    expect((await create('Poetry')).status).to.equal(202)
    expect((await update('Prose')).status).to.equal(204)
    expect((await update('Poetry')).status).to.equal(202)
  })

  it('calls accept only for operations that declare accepted()', async () => {
    await start({ update: [ok(), accepted('labels')], accept: () => handOver() })
    expect((await create()).status).to.equal(201)
  })

  it('REL-11 is never a relationship write', async () => {
    await start({ update: accepted('labels'), accept: () => handOver() })
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute(`insert into books (title) values ('Howl')`)
    const { status } = await client.patch('/shelves/1/relationships/books', { data: [{ type: 'books', id: '1' }] })
    expect(status).to.equal(200)
    expect((await client.get('/shelves/1/books')).body.data).to.have.length(1)
  })

  it('may be enqueued by flush of a custom persister', async () => {
    await start({ update: [ok(), accepted('labels')], persister: handingOver(() => library.app) })
    expect((await update('Prose')).status).to.equal(200)
    const { status, body } = await update('Poetry')
    expect([status, body.data.id]).to.deep.equal([202, '1'])
    expect((await client.get('/shelves/1')).body.data.attributes.name).to.equal('Prose')
  })

  it('runs hooks before the write, and none after the commit', async () => {
    const heard: string[] = []
    const note = (name: string) => () => void heard.push(name)
    const names = ['BeforeSave', 'BeforeCreate', 'AfterCreate', 'AfterSave'] as const
    const on = Object.fromEntries(names.map((name) => [name, note(name)]))
    const list = plugins.map((plugin) => (plugin.name === 'lifecycle' ? lifecycle({ on }) : plugin))
    await start({ create: accepted('labels'), accept: () => handOver() }, { plugins: list })
    expect((await create()).status).to.equal(202)
    expect(heard).to.deep.equal(['BeforeSave', 'BeforeCreate'])
  })

  it('sends two statements: insert of the resource and select of its job', async () => {
    await start({ create: accepted('labels'), accept: () => handOver() })
    const statements = await statementsOf(() => create('Poetry', '?include=books&withCount=books'))
    expect(statements.map(({ sql }) => sql.split(' ')[0])).to.deep.equal(['insert', 'select'])
  })

  it('is returned unrendered by dispatch', async () => {
    await start({ create: accepted('labels'), accept: () => handOver().withRetryAfter(5) })
    const response = await library.app.dispatch({ kind: 'Create', type: 'shelves', attributes: { name: 'Prose' } })
    expect(response).to.deep.include({
      kind: 'data',
      status: 202,
      headers: { 'Content-Location': '/labels/1', 'Retry-After': '5' },
    })
    expect(response).to.have.nested.property('data.record.text', 'at work')
  })

  it('returns a path with the prefix of its server to dispatch, or a URL with its base URI', async () => {
    const location = async (admin: ServerOptions) => {
      const servers = { default: {}, admin: { prefix: '/admin', ...admin } }
      await start({ create: accepted('labels'), accept: () => handOver() }, { servers })
      const attributes = { name: 'Prose' }
      const { headers } = await library.app.dispatch({ kind: 'Create', server: 'admin', type: 'shelves', attributes })
      await library.close()
      return headers?.['Content-Location']
    }
    expect(await location({ baseUri: 'https://api.example/admin' })).to.equal('https://api.example/admin/labels/1')
    expect(await location({})).to.equal('/admin/labels/1')
  })

  describe('in a batch', () => {
    const extension = 'ext="https://jsonapi.org/ext/atomic"'
    const headers = { accept: `${mediaType}; ${extension}`, 'content-type': `${mediaType}; ${extension}` }
    const add = (...names: readonly string[]) => {
      const operations = names.map((name) => ({ op: 'add', data: shelf(name).data }))
      return client.post('/operations', { 'atomic:operations': operations }, headers)
    }
    const expectRefusal = (answer: ClientResponse, index: number) =>
      expectError(answer, 422, 'ASYNC_WRITE_IN_ATOMIC_OPERATION', { pointer: `/atomic:operations/${index}` })

    it('returns 422 with the pointer of its operation before the write when no other response is declared', async () => {
      await start({ create: accepted('labels'), accept: () => handOver() })
      const statements = await statementsOf(async () => {
        expectRefusal(await add('Prose'), 0)
      })
      expect(statements).to.deep.equal([])
    })

    it('returns 422 with the pointer of its operation when accept returns a job, and rolls the batch back', async () => {
      const accept = ({ name }: Shelf) => (name === 'Poetry' ? handOver() : undefined)
      await start({ create: [created(), accepted('labels')], accept })
      expect((await add('Prose')).status).to.equal(200)
      expectRefusal(await add('Drama', 'Poetry'), 1)
      expect((await client.get('/shelves')).body.data).to.have.length(2)
    })
  })

  describe('with a wrong declaration', () => {
    const expectFailure = async (write: Promise<{ status: number; body: { errors: object[] } }>, detail: string) => {
      const { status, body } = await write
      expect([status, body.errors[0]]).to.deep.include({ ...body.errors[0], detail })
      expect(status).to.equal(500)
      expect((await client.get('/shelves')).body.data).to.have.length(1)
    }
    const debugging = { config: { debug: true } }

    it('returns 500 when accept returns nothing and no other response is declared', async () => {
      await start({ create: accepted('labels'), accept: () => undefined }, debugging)
      const detail = 'shelves.create declares only accepted(), but accept() returned nothing for this write.'
      await expectFailure(create(), detail)
    })

    it('returns 500 when a persister accepts an operation that does not declare accepted()', async () => {
      await start({ persister: handingOver(() => library.app) }, debugging)
      await expectFailure(create(), 'shelves.create does not declare accepted().')
    })

    it('returns 500 when its job is not saved', async () => {
      const accept = () => AcceptedForProcessing.poll('/labels/9').withJob({ id: 9 }, 'labels')
      await start({ create: accepted('labels'), accept }, debugging)
      await expectFailure(create(), "The job of type 'labels' is not saved, so that clients could not poll it.")
    })
  })
})

function handOver(): AcceptedForProcessing {
  return AcceptedForProcessing.poll('/labels/1').withJob({ id: 1 }, 'labels')
}

/** Declines books of poetry. */
function handingOver(app: () => App): Persister {
  const store = () => app().store.persister
  return {
    transactional: true,
    load: (...args) => store().load(...args),
    create: (...args) => store().create(...args),
    change: (...args) => store().change(...args),
    remove: (...args) => store().remove(...args),
    relate: (...args) => store().relate(...args),
    keyOf: (...args) => store().keyOf(...args),
    async flush(type, context, entity) {
      if ((entity as Shelf).name !== 'Poetry') return store().flush(type, context, entity)
      context.unit.em.clear() // what was changed is not to be saved
      return handOver()
    },
  }
}

class NotFiction extends Policy<Shelf> {
  static override readonly rowsByView = true
  static override readonly needs = { view: ['name'], update: [], delete: [] }
  override viewAny = () => true
  override view = (_: Principal | null, { name }: PolicyRow<Shelf>) => name !== 'Fiction'
  override create = () => true
  override update = () => true
  override delete = () => true
}

function declare(overrides: Overrides) {
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    server: ['default', 'admin'],
    fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books').countable()],
    ...overrides,
  })
  const books = defineResource(Book, {
    type: 'books',
    server: ['default', 'admin'],
    fields: ({ id, string }) => [id(), string('title')],
  })
  const labels = defineResource(Label, {
    type: 'labels',
    server: ['default', 'admin'],
    fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
  })
  return [shelves, books, labels].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

function shelf(name: string, id?: string) {
  return { data: { type: 'shelves', ...(id && { id }), attributes: { name } } }
}
