import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { Principal } from '#kernel/plugin'
import { Policy } from '#plugins/authorization/index.ts'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { as } from '#test/support/principals.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { type OpenedStream, openStream, type SentEvent } from '#test/template/support/read-events.ts'
import { openRecordedLibrary, startRecordedLibrary, withPlugins } from '#test/template/support/recorded-library.ts'
import { live } from '../index.ts'

/** The shelf whose books each principal sees. */
const shelfOf: Record<string, number> = { ada: 1, eve: 2 }

const denied = new Set<string>()

class BookPolicy extends Policy<Book> {
  static override readonly needs = { view: [], update: [], delete: [] } as never
  override scope = (principal: Principal | null) => ({ shelf: shelfOf[principal?.identifier ?? ''] ?? 0 })
  override viewAny = (principal: Principal | null) => principal !== null && !denied.has(principal.identifier)
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
}

const books = defineResource(Book, {
  type: 'books',
  changes: true,
  policy: BookPolicy,
  filters: ({ where }) => [where('title')],
  fields: ({ id, string, integer, belongsTo }) => [
    id(),
    string('title').required(),
    integer('position').sortable(),
    belongsTo('shelf', 'shelves'),
  ],
})
const shelves = defineResource(Shelf, {
  type: 'shelves',
  changes: true,
  fields: ({ id, string }) => [id(), string('name').required()],
})
const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id().allowClientId(), string('name')] })
const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })

describe('GET with Accept: text/event-stream', () => {
  let database: Database
  let started: TestApp
  const streams: OpenedStream[] = []
  const developmentTokens = { ada: [], eve: [] }
  const listed = withPlugins(live()).map((plugin) =>
    plugin.name === 'bearer-auth' ? bearerAuth({ developmentTokens }) : plugin,
  )
  const run = (sql: string) => started.app.store.query(sql)
  const open = async (path: string, headers: Record<string, string> = as('ada')) => {
    const stream = await openStream(started.client.url + path, headers)
    streams.push(stream)
    return stream
  }
  const titles = (event: SentEvent | null) => [
    event?.event,
    ...(event?.data.data ?? []).map(({ id, attributes }: { id: string; attributes?: { title: string } }) =>
      attributes ? `${id} ${attributes.title}` : id,
    ),
  ]

  before(async () => {
    database = await openRecordedLibrary(listed)
    const resources = [books, shelves, tags, labels].map((resource) => ({ file: 'live.test.ts', resource }))
    const app = { plugins: listed, resources, undescribed: ['default', 'admin'] }
    started = await startRecordedLibrary(database, app)
    const variables = {
      ...started.app.config.variables,
      LIVE_RECHECK_SECONDS: 1,
      LIVE_ROWS: 10,
      LIVE_STREAMS_PER_PRINCIPAL: 3,
    }
    Object.assign(started.app.config, { variables })
    await started.app.start()
    await started.app.store.queue.stop()
  })
  beforeEach(async () => {
    shelfOf.ada = 1
    await run('delete from books')
    await run('delete from shelves')
    await run(`insert into shelves (id, name) values (1, 'one'), (2, 'two')`)
    await run(`insert into books (id, title, shelf_id) values (1, 'A', 1), (2, 'B', 1), (3, 'C', 2)`)
  })
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close()
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  it('begins with a snapshot of the rows in scope, and sends those that are added, changed and removed', async () => {
    const stream = await open('/books')
    expect(stream.status).to.equal(200)
    expect(stream.headers.get('content-type')).to.match(/^text\/event-stream/)
    expect(stream.headers.get('cache-control')).to.equal('no-store')
    expect(titles(await stream.next())).to.deep.equal(['snapshot', '1 A', '2 B'])
    await run(`insert into books (id, title, shelf_id) values (4, 'D', 1), (5, 'E', 2)`)
    expect(titles(await stream.next())).to.deep.equal(['added', '4 D'])
    await run(`update books set title = title || '!' where id in (1, 3)`)
    expect(titles(await stream.next())).to.deep.equal(['changed', '1 A!'])
    await run('delete from books where id in (2, 3)')
    expect(titles(await stream.next())).to.deep.equal(['removed', '2'])
  })

  it('sends a row that leaves or enters the scope or the filter as removed or added', async () => {
    const stream = await open('/books?filter[title]=A')
    expect(titles(await stream.next())).to.deep.equal(['snapshot', '1 A'])
    await run('update books set shelf_id = 2 where id = 1')
    expect(titles(await stream.next())).to.deep.equal(['removed', '1'])
    await run(`update books set title = 'A' where id = 2`)
    expect(titles(await stream.next())).to.deep.equal(['added', '2 A'])
    await run(`update books set title = 'Z' where id = 2`)
    expect(titles(await stream.next())).to.deep.equal(['removed', '2'])
  })

  it('sends changes of included resources', async () => {
    const stream = await open('/books?include=shelf&fields[books]=title,shelf')
    const snapshot = await stream.next()
    expect(snapshot?.data.included).to.have.length(1)
    await run(`update shelves set name = 'first' where id = 1`)
    const changed = await stream.next()
    expect(changed?.event).to.equal('changed')
    expect(changed?.data.data).to.deep.equal([])
    expect(changed?.data.included[0].attributes).to.deep.equal({ name: 'first' })
  })

  it('shows one resource, which may disappear and come back', async () => {
    const stream = await open('/books/1')
    expect(titles(await stream.next())).to.deep.equal(['snapshot', '1 A'])
    await run('update books set shelf_id = 2 where id = 1')
    expect(titles(await stream.next())).to.deep.equal(['removed', '1'])
    await run('update books set shelf_id = 1 where id = 1')
    expect(titles(await stream.next())).to.deep.equal(['added', '1 A'])
  })

  it('resumes without a snapshot if the client has the current state, and with one otherwise', async () => {
    const first = await open('/books')
    const snapshot = await first.next()
    first.close()
    const second = await open('/books', { ...as('ada'), 'last-event-id': snapshot?.id ?? '' })
    await run(`update books set title = 'A2' where id = 1`)
    const changed = await second.next()
    expect(titles(changed)).to.deep.equal(['changed', '1 A2'])
    second.close()
    await run(`delete from books where id = 1`)
    const third = await open('/books', { ...as('ada'), 'last-event-id': changed?.id ?? '' })
    expect(titles(await third.next())).to.deep.equal(['snapshot', '2 B'])
  })

  it('follows a policy that changes while the stream is open', async () => {
    const stream = await open('/books')
    await stream.next()
    shelfOf.ada = 2
    expect([titles(await stream.next()), titles(await stream.next())]).to.deep.equal([
      ['added', '3 C'],
      ['removed', '1', '2'],
    ])
  })

  it('ends with an error when the requester may no longer read the collection', async () => {
    const stream = await open('/books', as('eve'))
    await stream.next()
    denied.add('eve')
    try {
      const ended = await stream.next()
      expect(ended?.event).to.equal('error')
      expect(ended?.data.errors[0].status).to.equal('403')
      expect(await stream.next()).to.equal(null)
    } finally {
      denied.delete('eve')
    }
  })

  it('returns the error that a GET has', async () => {
    expect((await open('/books', {})).status).to.equal(401)
    expect((await open('/books/3')).status).to.equal(404)
    expect((await open('/books?sort=nope')).status).to.equal(400)
    const paged = await open('/books?page[size]=2')
    expect([paged.status, JSON.parse(paged.text).errors[0].code]).to.deep.equal([400, 'QUERY_PARAM_MALFORMED'])
  })

  it('returns 406 for a type whose changes are not recorded', async () => {
    const { status, text } = await open('/tags')
    expect([status, JSON.parse(text).errors[0].code]).to.deep.equal([406, 'LIVE_UNAVAILABLE'])
  })

  it('returns 400 for a collection that is too large, and 429 for too many streams of a principal', async () => {
    await run(`insert into books (id, title, shelf_id) select i, 'x', 2 from generate_series(100, 120) i`)
    const large = await open('/books', as('eve'))
    expect([large.status, JSON.parse(large.text).errors[0].code]).to.deep.equal([400, 'LIVE_COLLECTION_TOO_LARGE'])
    for (let index = 0; index < 3; index++) expect((await open('/books')).status).to.equal(200)
    expect((await open('/books')).status).to.equal(429)
    streams[1]?.close()
    await eventually(async () => (await open('/books')).status === 200)
  })

  it('closes the connection of a client that does not read, which resumes with a snapshot', async () => {
    const { hostname, port } = new URL(started.client.url)
    const socket = connect(Number(port), hostname)
    const headers = `Host: ${hostname}:${port}\r\nAccept: text/event-stream\r\nAuthorization: Bearer ada`
    socket.write(`GET /books HTTP/1.1\r\n${headers}\r\n\r\n`)
    await once(socket, 'readable')
    let isClosed = false
    socket.once('close', () => {
      isClosed = true
    })
    for (let index = 0; index < 12; index++) {
      await run(`update books set title = repeat('${index % 10}', 1000000) where id = 1`)
      await setTimeout(110)
    }
    await eventually(() => {
      socket.resume()
      return isClosed
    })
    await run(`update books set title = 'short' where id = 1`)
    expect(titles(await (await open('/books')).next())).to.deep.equal(['snapshot', '1 short', '2 B'])
  })

  it('ends when the application closes', async () => {
    const stream = await open('/books')
    await stream.next()
    await started.app.close()
    expect(await stream.next()).to.equal(null)
  })
})
