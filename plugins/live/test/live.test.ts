import { expect } from 'chai'
import { startApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { as } from '#test/support/principals.ts'
import {
  denied,
  type LiveBooks,
  scopes,
  shelfOf,
  startLiveBooks,
  titles,
  trusted,
} from '#test/template/support/live-books.ts'
import { labels, openRecordedLibrary, withPlugins } from '#test/template/support/recorded-library.ts'
import { live } from '../index.ts'

describe('GET with Accept: text/event-stream', () => {
  let books: LiveBooks
  before(async () => {
    books = await startLiveBooks({ variables: { LIVE_RECHECK_SECONDS: 10 } })
  })
  beforeEach(() => books.reset())
  after(() => books.close())

  /** The time at which a text was sent. */
  const sentAt = (text: string) => books.written.find((written) => written.text.includes(text))?.at ?? Number.NaN

  it('begins with a snapshot of the rows in scope, and sends those that are added, changed and removed', async () => {
    const stream = await books.open('/books')
    expect(stream.status).to.equal(200)
    expect(stream.headers.get('content-type')).to.match(/^text\/event-stream/)
    expect(stream.headers.get('cache-control')).to.equal('no-store, no-transform')
    expect(titles(await books.next(stream))).to.deep.equal(['snapshot', '1 A', '2 B'])
    await books.run(`insert into books (id, title, shelf_id) values (4, 'D', 1), (5, 'E', 2)`)
    expect(titles(await books.next(stream))).to.deep.equal(['added', '4 D'])
    await books.run(`update books set title = title || '!' where id in (1, 3)`)
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A!'])
    await books.run('delete from books where id in (2, 3)')
    expect(titles(await books.next(stream))).to.deep.equal(['removed', '2'])
  })

  it('is a document if the client prefers that, or accepts no stream', async () => {
    for (const accept of ['text/event-stream;q=0, */*', 'application/vnd.api+json, text/event-stream;q=0.5']) {
      const response = await fetch(`${books.client.url}/books`, { headers: { ...as('ada'), accept } })
      expect(response.headers.get('content-type'), accept).to.equal('application/vnd.api+json')
      await response.text()
    }
  })

  it('responds to HEAD with the headers of the stream', async () => {
    const stream = await books.open('/books')
    const head = await fetch(`${books.client.url}/books`, {
      method: 'HEAD',
      headers: { ...as('ada'), accept: 'text/event-stream' },
    })
    const names = ['content-type', 'cache-control', 'vary', 'x-accel-buffering', 'etag', 'link']
    const headers = ({ status, headers }: { readonly status: number; readonly headers: Headers }) => [
      status,
      ...names.map((name) => headers.get(name)),
    ]
    expect(headers(head)).to.deep.equal(headers(stream))
    expect(await head.text()).to.equal('')
    expect(books.app.liveHub?.size).to.equal(1)
  })

  it('sends a row that leaves or enters the scope or the filter as removed or added', async () => {
    const stream = await books.open('/books?filter[title]=A')
    expect(titles(await books.next(stream))).to.deep.equal(['snapshot', '1 A'])
    await books.run('update books set shelf_id = 2 where id = 1')
    expect(titles(await books.next(stream))).to.deep.equal(['removed', '1'])
    await books.run(`update books set title = 'A' where id = 2`)
    expect(titles(await books.next(stream))).to.deep.equal(['added', '2 A'])
    await books.run(`update books set title = 'Z' where id = 2`)
    expect(titles(await books.next(stream))).to.deep.equal(['removed', '2'])
  })

  it('sends changes of included resources', async () => {
    const stream = await books.open('/books?include=shelf&fields[books]=title,shelf')
    const snapshot = await books.next(stream)
    expect(snapshot?.data.included).to.have.length(1)
    await books.run(`update shelves set name = 'first' where id = 1`)
    const changed = await books.next(stream)
    expect(changed?.event).to.equal('changed')
    expect(changed?.data.data).to.deep.equal([])
    expect(changed?.data.included[0].attributes).to.deep.equal({ name: 'first' })
  })

  it('removes an included resource to which no resource refers any longer, and sends it again when one does', async () => {
    await books.run(`insert into loans (id, reader, book_id) values (1, 'Eve', 1)`)
    const stream = await books.open('/loans?include=book')
    const next = async () => {
      const { event, data: { data = [], included = [] } = {} } = (await books.next(stream)) ?? {}
      return [event, ...[data, included].map((list) => list.map(({ id }: { readonly id: string }) => id))]
    }
    expect(await next()).to.deep.equal(['snapshot', ['1'], ['1']])
    for (const [id, other] of [
      ['2', '1'],
      ['1', '2'],
    ]) {
      await books.run(`update loans set book_id = ${id} where id = 1`)
      expect(await next()).to.deep.equal(['changed', ['1'], [id]])
      expect(await next()).to.deep.equal(['removed', [], [other]])
    }
  })

  it('sends changes of an attribute of a related resource', async () => {
    await books.run(`insert into loans (id, reader, book_id) values (1, 'Eve', 1)`)
    const stream = await books.open('/loans')
    expect((await books.next(stream))?.data.data[0].attributes).to.deep.equal({ name: 'one' })
    await books.pass(2_000) // the changes before the stream are read
    await books.run(`update shelves set name = 'first' where id = 1`)
    const changedAt = books.clock.now()
    expect((await books.next(stream))?.data.data[0].attributes).to.deep.equal({ name: 'first' })
    expect(sentAt('"first"') - changedAt).to.be.below(2_000)
  })

  it('sends a resource whose linkage disappears with the related resource', async () => {
    const stream = await books.open('/books/1')
    const snapshot = await books.next(stream)
    expect(snapshot?.data.data[0].relationships.shelf.data).to.deep.equal({ type: 'shelves', id: '1' })
    await books.pass(2_000) // the changes before the stream are read
    await books.run('update shelves set removed_at = now() where id = 1')
    const changedAt = books.clock.now()
    expect((await books.next(stream))?.data.data[0].relationships.shelf.data).to.equal(null)
    expect(sentAt('event: changed') - changedAt).to.be.below(2_000)
  })

  it('sends a resource that the filter selects by a related resource', async () => {
    const stream = await books.open('/shelves?filter[books.title]=A')
    expect((await books.next(stream))?.data.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1'])
    await books.pass(2_000) // the changes before the stream are read
    await books.run(`update books set title = 'Z' where id = 1`)
    const changedAt = books.clock.now()
    expect(titles(await books.next(stream))).to.deep.equal(['removed', '1'])
    expect(sentAt('event: removed') - changedAt).to.be.below(2_000)
  })

  it('reads a resource once after a change, also if an included resource refers to its type', async () => {
    const stream = await books.open('/books?include=shelf')
    await books.next(stream)
    await books.pass(2_000)
    const before = scopes.count
    await books.run(`update books set title = 'A2' where id = 1`)
    await books.pass(2_000)
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A2'])
    expect(scopes.count - before).to.equal(1)
  })

  it('reads changes that follow one another together', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    await books.pass(2_000)
    await books.run(`update books set title = 'A2' where id = 1`)
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A2'])
    const before = scopes.count
    for (const title of ['A3', 'A4']) {
      await books.run(`update books set title = '${title}' where id = 1`)
      await books.pass(100)
    }
    await books.pass(2_000)
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A4'])
    expect(scopes.count - before).to.equal(1)
  })

  it('does not read one resource again when others of its type change', async () => {
    const stream = await books.open('/books/1')
    await books.next(stream)
    await books.pass(2_000) // the changes before the stream are read
    const before = scopes.count
    for (const title of ['B2', 'B3', 'B4']) {
      await books.run(`update books set title = '${title}' where id = 2`)
      await books.pass(300)
    }
    expect(scopes.count - before).to.equal(0)
    await books.run(`update books set title = 'A2' where id in (1, 2)`)
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A2'])
  })

  const frequent = {
    'one resource': { path: '/books/1', id: 1149 },
    'more than 100 resources': { path: '/books', id: 1000 },
  }
  for (const [title, { path, id }] of Object.entries(frequent))
    it(`reads changes of ${title} at most every 250 milliseconds`, async () => {
      await books.run(`insert into books (id, title, shelf_id) select i, 'x', 2 from generate_series(1000, 1150) i`)
      await books.next(await books.open(path))
      await books.pass(2_000) // the changes before the stream are read
      const before = scopes.count
      for (let index = 0; index < 10; index++) {
        await books.run(`update books set title = 't${index}' where id = 1 or id >= ${id}`)
        await books.pass(100)
      }
      expect(scopes.count - before).to.be.within(2, 4)
    })

  it('shows one resource, which may disappear and come back', async () => {
    const stream = await books.open('/books/1')
    expect(titles(await books.next(stream))).to.deep.equal(['snapshot', '1 A'])
    await books.run('update books set shelf_id = 2 where id = 1')
    expect(titles(await books.next(stream))).to.deep.equal(['removed', '1'])
    await books.run('update books set shelf_id = 1 where id = 1')
    expect(titles(await books.next(stream))).to.deep.equal(['added', '1 A'])
  })

  it('resumes without a snapshot if the client has the current state, and with one otherwise', async () => {
    const first = await books.open('/books')
    const snapshot = await books.next(first)
    first.close()
    const second = await books.open('/books', { ...as('ada'), 'last-event-id': snapshot?.id ?? '' })
    await books.run(`update books set title = 'A2' where id = 1`)
    const changed = await books.next(second)
    expect(titles(changed)).to.deep.equal(['changed', '1 A2'])
    second.close()
    await books.run(`delete from books where id = 1`)
    const third = await books.open('/books', { ...as('ada'), 'last-event-id': changed?.id ?? '' })
    expect(titles(await books.next(third))).to.deep.equal(['snapshot', '2 B'])
  })

  it('sends a snapshot to a client that has received some of the events of a read only', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    shelfOf.ada = 2
    const events = [await books.next(stream), await books.next(stream)]
    expect(events.map((event) => event?.event)).to.deep.equal(['added', 'removed'])
    stream.close()
    const [partial, complete] = events.map((event) => ({ ...as('ada'), 'last-event-id': event?.id ?? '' }))
    const resumed = await books.open('/books', complete)
    await books.run(`update books set title = 'C2' where id = 3`)
    expect(titles(await books.next(resumed))).to.deep.equal(['changed', '3 C2'])
    const restarted = await books.open('/books', partial)
    expect(titles(await books.next(restarted))).to.deep.equal(['snapshot', '3 C2'])
  })

  it('sends a snapshot to a client that has a resource of the collection as an included one only', async () => {
    const path = '/books?filter[title]=A&fields[books]=position,shelf&include=shelf.books'
    const first = await books.open(path)
    const snapshot = await books.next(first)
    expect(snapshot?.data.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1'])
    expect(snapshot?.data.included.map(({ type, id }: Record<string, string>) => `${type}/${id}`)).to.include('books/2')
    first.close()
    await eventually(() => books.app.liveHub?.size === 0)
    await books.run(`update books set title = 'A' where id = 2`) // no member that the stream shows
    const second = await books.open(path, { ...as('ada'), 'last-event-id': snapshot?.id ?? '' })
    const { event, data } = (await second.next()) ?? {}
    expect([event, data?.data.map(({ id }: { id: string }) => id)]).to.deep.equal(['snapshot', ['1', '2']])
  })

  it('follows a policy that changes while the stream is open', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    shelfOf.ada = 2
    expect([titles(await books.next(stream)), titles(await books.next(stream))]).to.deep.equal([
      ['added', '3 C'],
      ['removed', '1', '2'],
    ])
  })

  it('marks trashed rows, and ends when the requester may no longer see them', async () => {
    trusted.add('ada')
    const stream = await books.open('/books?filter[trashed]=with&filter[title]=A')
    expect((await books.next(stream))?.data.data[0].meta).to.equal(undefined)
    await books.run('update books set removed_at = now() where id = 1')
    const changed = await books.next(stream)
    expect([changed?.event, changed?.data.data[0].meta]).to.deep.equal(['changed', { trashed: true }])
    trusted.clear()
    const ended = await books.next(stream)
    expect([ended?.event, ended?.data.errors[0].status]).to.deep.equal(['error', '400'])
  })

  it('ends as a GET fails when the attribute of its filter is hidden from the requester', async () => {
    trusted.add('ada')
    await books.run(`update books set secret = 's'`)
    const path = '/books?filter[secret]=s'
    const stream = await books.open(path)
    expect((await books.next(stream))?.data.data).to.have.length(2)
    trusted.clear()
    expect((await books.client.get(path, as('ada'))).status).to.equal(400)
    const ended = await books.next(stream)
    expect([ended?.event, ended?.data.errors?.[0].status]).to.deep.equal(['error', '400'])
  })

  it('ends with an error when the requester may no longer read the collection', async () => {
    const stream = await books.open('/books', as('eve'))
    await books.next(stream)
    denied.add('eve')
    const ended = await books.next(stream)
    expect(ended?.event).to.equal('error')
    expect(ended?.data.errors[0].status).to.equal('403')
    expect(await books.next(stream)).to.equal(null)
  })

  it('returns the error that a GET has', async () => {
    expect((await books.open('/books', {})).status).to.equal(401)
    expect((await books.open('/books/3')).status).to.equal(404)
    expect((await books.open('/books?sort=nope')).status).to.equal(400)
    const paged = await books.open('/books?page[size]=2')
    expect([paged.status, JSON.parse(paged.text).errors[0].code]).to.deep.equal([400, 'QUERY_PARAM_MALFORMED'])
    const german = await books.open('/books?page[size]=2', { ...as('eve'), 'accept-language': 'de' })
    expect(JSON.parse(german.text).errors[0].detail).to.include('keine Seite')
  })

  it('returns 406 for a type whose changes are not recorded', async () => {
    const { status, text } = await books.open('/tags')
    expect([status, JSON.parse(text).errors[0].code]).to.deep.equal([406, 'LIVE_UNAVAILABLE'])
    expect(JSON.parse(text).errors[0].detail).to.match(/ of these types: books, shelves, loans\.$/)
  })

  it('returns 406 with the declaration to add when no type is recorded', async () => {
    const plugins = withPlugins(live())
    const database = await openRecordedLibrary(plugins)
    const resources = [{ file: 'live.test.ts', resource: labels }]
    const { client, close } = await startApp({ plugins, resources, database, undescribed: ['default'] })
    const { status, body } = await client.get('/labels', { accept: 'text/event-stream' })
    await close()
    await database.close()
    expect([status, body.errors[0].detail]).to.deep.equal([
      406,
      "Streams (text/event-stream) exist for collections and resources of these types: none, because no type declares 'changes: true'.",
    ])
  })
})
