import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { mock } from 'node:test'
import { expect } from 'chai'
import createError from 'http-errors'
import type Koa from 'koa'
import { defineResource } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import { horizonOf } from '#plugins/change-log/index.ts'
import { advanceUntil } from '#test/support/clock.ts'
import { eventually } from '#test/support/eventually.ts'
import { as } from '#test/support/principals.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import {
  failure,
  interval,
  type LiveBooks,
  shelfOf,
  startLiveBooks,
  titles,
} from '#test/template/support/live-books.ts'
import { open } from '#test/template/support/raw-http.ts'

// The connections of streams: limits, heart-beats, slow readers, and what other plugins do to them.

const variables = { LIVE_RECHECK_SECONDS: 60, LIVE_ROWS: 10, LIVE_STREAMS: 5, LIVE_STREAMS_PER_PRINCIPAL: 3 }

describe('The connection of a stream', () => {
  let books: LiveBooks
  /** Tokens that have expired. */
  const revoked = new Set<string>()
  /** The response to the last request. */
  let response: ServerResponse | null = null
  const expiring: Plugin = {
    name: 'expiring',
    middleware: () => (ctx, next) => {
      response = ctx.res
      return next()
    },
    onRoute({ ctx }) {
      if (revoked.has(ctx.get('authorization'))) throw createError(401, 'The token has expired.')
    },
  }
  let isRefused = false
  const refuse: Koa.Middleware = (ctx, next) => {
    if (!isRefused) return next()
    ctx.status = 403
  }
  const hub = () => books.app.liveHub
  before(async () => {
    books = await startLiveBooks({
      variables,
      above: [expiring],
      config: { ...configFrom({ MAX_IN_FLIGHT: '1' }), trustProxy: true },
      servers: { default: { middleware: [refuse] }, admin: { prefix: '/admin' } },
    })
  })
  beforeEach(async () => {
    revoked.clear()
    isRefused = false
    await books.reset()
  })
  after(() => books.close())

  /** Opens a stream of `ada` on a connection whose bytes the test reads itself. */
  const openSocket = (lines: readonly string[] = []): Socket => {
    const socket = open(books.client.url)
    socket.on('error', () => {})
    const { host } = new URL(books.client.url)
    const headers = ['Accept: text/event-stream', 'Authorization: Bearer ada', ...lines]
    const head = ['GET /books HTTP/1.1', `Host: ${host}`, ...headers]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    return socket
  }

  it('is refused with 400 if the collection is too large', async () => {
    await books.run(`insert into books (id, title, shelf_id) select i, 'x', 2 from generate_series(100, 120) i`)
    const { status, text } = await books.open('/books', as('eve'))
    expect([status, JSON.parse(text).errors[0].code]).to.deep.equal([400, 'LIVE_COLLECTION_TOO_LARGE'])
    expect(hub()?.size).to.equal(0)
  })

  it('is closed with an error when the collection grows too large', async () => {
    const stream = await books.open('/books', as('eve'))
    await books.next(stream)
    await books.run(`insert into books (id, title, shelf_id) select i, 'x', 2 from generate_series(1000, 1120) i`)
    const ended = await books.next(stream)
    expect([ended?.event, ended?.data.errors[0].code]).to.deep.equal(['error', 'LIVE_COLLECTION_TOO_LARGE'])
    expect(await books.next(stream)).to.equal(null)
  })

  it('is closed with an error when changed resources make the collection too large', async () => {
    const stream = await books.open('/books', as('eve'))
    await books.next(stream)
    await books.run(`insert into books (id, title, shelf_id) select i, 'x', 2 from generate_series(2000, 2009) i`)
    let event = await books.next(stream)
    expect(event?.event).to.equal('added')
    while (event?.event === 'added') event = await books.next(stream) // the changes of a statement may be read in parts
    expect([event?.event, event?.data.errors[0].code]).to.deep.equal(['error', 'LIVE_COLLECTION_TOO_LARGE'])
  })

  it('is refused with 429 if the principal has too many, and with 503 if the process has, until one ends', async () => {
    const opened = [await books.open('/books'), await books.open('/books'), await books.open('/books/1')]
    expect(opened.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    const { status, text } = await books.open('/books')
    expect([status, JSON.parse(text).errors[0].code]).to.deep.equal([429, 'LIVE_STREAMS_EXCEEDED'])
    for (const path of ['/books', '/books/3']) expect((await books.open(path, as('eve'))).status).to.equal(200)
    const refused = await books.open('/books', as('eve'))
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5'])
    expect(JSON.parse(refused.text).errors[0].code).to.equal('LIVE_PROCESS_FULL')
    opened[1]?.close()
    await eventually(() => hub()?.size === 4)
    expect((await books.open('/books')).status).to.equal(200)
  })

  it('counts for the /64 IPv6 network of a client without a principal', async () => {
    const open = (address: string) => books.open('/shelves', { 'x-forwarded-for': address })
    const opened = [await open('2001:db8:1:2::1'), await open('2001:db8:1:2:a::2'), await open('2001:db8:1:2:b:c:d:e')]
    expect(opened.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    expect((await open('2001:db8:1:2::4')).status).to.equal(429)
    expect((await open('2001:db8:1:3::1')).status).to.equal(200)
  })

  it('ends, also if the process has not noticed its loss, when the client continues it with another one', async () => {
    const others = [await books.open('/books/1'), await books.open('/books/2')]
    let stream = await books.open('/books')
    let { id } = (await books.next(stream)) ?? { id: '' }
    for (let index = 0; index < 3; index++) {
      const lost = stream
      stream = await books.open('/books', { ...as('ada'), 'last-event-id': id })
      expect(stream.status).to.equal(200)
      expect(await lost.next()).to.equal(null)
      await books.run(`update books set title = title || '!' where id = 1`)
      const changed = await books.next(stream)
      expect(changed?.event).to.equal('changed')
      id = changed?.id ?? ''
    }
    for (const other of others) expect((await books.next(other))?.event).to.equal('snapshot')
    expect(hub()?.size).to.equal(3)
  })

  it('stays open when another principal, or a client that knows no id of it, connects', async () => {
    const stream = await books.open('/books')
    const { id = '' } = (await books.next(stream)) ?? {}
    for (const headers of [{ ...as('eve'), 'last-event-id': id }, as('ada'), { ...as('ada'), 'last-event-id': '1.2' }])
      expect((await books.open('/books', headers)).status).to.equal(200)
    expect(hub()?.size).to.equal(4)
  })

  it('begins with an id of its own, so that a client without an event can continue it', async () => {
    const first = await books.open('/books')
    const { id = '' } = (await books.next(first)) ?? {}
    const socket = openSocket([`Last-Event-ID: ${id}`])
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
    })
    await eventually(() => /^id: .+$/m.test(text))
    const [, next = ''] = /^id: (.+)$/m.exec(text) ?? []
    expect(next.split('.')[1]).to.equal(id.split('.')[1])
    expect(next).not.to.equal(id)
    await books.open('/books', { ...as('ada'), 'last-event-id': next })
    await eventually(() => socket.closed)
    expect(hub()?.size).to.equal(1)
  })

  it('begins with the pause before the next connection of a browser, of one to two seconds at random', async () => {
    const pauses: string[] = []
    for (const random of [0, 0.5]) {
      const stub = mock.method(Math, 'random', () => random)
      await books.next(await books.open('/books'))
      stub.mock.restore()
      const texts = books.written.map(({ text }) => /^retry: (\d+)$/m.exec(text)?.[1] ?? [])
      pauses.push(texts.flat().at(-1) ?? '')
    }
    expect(pauses).to.deep.equal(['1000', '1500'])
  })

  it('is not counted any more if the client disconnects before the response', async () => {
    await books.untilEnded()
    const horizon = horizonOf(books.app)
    const advance = horizon.advance.bind(horizon)
    const entered = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    Object.assign(horizon, {
      async advance() {
        entered.resolve()
        await gate.promise
        return advance()
      },
    })
    try {
      const socket = openSocket()
      await entered.promise
      socket.destroy()
      if (response) await once(response, 'close')
    } finally {
      gate.resolve()
      Reflect.deleteProperty(horizon, 'advance')
    }
    await eventually(() => hub()?.size === 0)
  })

  it('is not counted as a request in flight, and is not compressed', async () => {
    const first = await books.open('/books', { ...as('ada'), 'accept-encoding': 'gzip, br, identity;q=0' })
    const second = await books.open('/books', as('eve'))
    expect([first.status, second.status]).to.deep.equal([200, 200])
    expect(first.headers.get('content-encoding')).to.equal(null)
    expect((await books.client.get('/books', as('ada'))).status).to.equal(200)
  })

  it('has room for listeners of plugins that measure requests', async () => {
    await books.next(await books.open('/books'))
    const [most = 0, count] = [response?.getMaxListeners(), response?.listenerCount('close')]
    expect(most - (count ?? most)).to.be.at.least(5)
  })

  it('has a heart-beat at least every 15 seconds, also if timers are late', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    const openedAt = books.clock.now()
    const late = 700
    while (books.clock.now() < openedAt + 46_000) {
      await eventually(() => books.clock.timers > 0)
      books.clock.advance(late)
    }
    const beats = books.written.filter(({ text }) => text === ':\n\n').map(({ at }) => at)
    expect(beats).to.have.length(3)
    const pauses = beats.map((at, index) => at - (beats[index - 1] ?? openedAt))
    for (const pause of pauses) expect(pause).to.be.within(14_000 - late, 15_000)
  })

  it('ends with a 401 when the token expires', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    revoked.add(as('ada').authorization)
    const ended = await books.next(stream)
    expect([ended?.event, ended?.data.errors[0].status]).to.deep.equal(['error', '401'])
    expect(await books.next(stream)).to.equal(null)
    expect((await books.open('/books')).status).to.equal(401)
  })

  it('ends when the middleware of the server refuses the request', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    isRefused = true
    await books.run(`update books set title = 'A2' where id = 1`)
    const ended = await books.next(stream)
    expect([ended?.event, ended?.data.errors[0].status]).to.deep.equal(['error', '403'])
  })

  it('stays open while the database cannot answer, and shows the changes afterwards', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    failure.error = createError(503, 'The database cannot answer at the moment.')
    await books.run(`update books set title = 'A2' where id = 1`)
    const changed = stream.next()
    await books.pass(5 * interval)
    failure.error = null
    expect(titles(await books.until(changed))).to.deep.equal(['changed', '1 A2'])
  })

  it('ends with an error without a cause when the collection cannot be read', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    failure.error = new Error('password s3cret is wrong')
    await books.run(`update books set title = 'A2' where id = 1`)
    const ended = await books.next(stream)
    expect(ended?.data).to.deep.equal({ errors: [{ status: '500', title: 'The stream ends' }] })
    expect(await books.next(stream)).to.equal(null)
  })

  it('is closed when the client does not read, which resumes without a gap', async () => {
    const witness = await books.open('/books')
    await books.next(witness)
    const socket = openSocket()
    await once(socket, 'readable')
    let isClosed = false
    socket.once('close', () => {
      isClosed = true
    })
    for (let index = 0; hub()?.size === 2; index++) {
      expect(index, 'events before the connection is closed').to.be.below(30)
      await books.run(`update books set title = repeat('${index % 10}', 1000000) where id = 1`)
      await books.next(witness)
    }
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    await eventually(() => isClosed)
    const ids = [
      ...Buffer.concat(received)
        .toString('latin1')
        .matchAll(/^id: (\S+)$/gm),
    ]
    await books.run(`update books set title = 'short' where id = 1`)
    await books.next(witness)
    const resumed = await books.open('/books', { ...as('ada'), 'last-event-id': ids.at(-1)?.[1] ?? '' })
    expect(titles(await books.next(resumed))).to.deep.equal(['snapshot', '1 short', '2 B'])
  })

  it('stays open when a client that reads receives two large events of one read', async () => {
    await books.run(`update books set title = repeat('x', 1500000) where id = 3`)
    const stream = await books.open('/books')
    await books.next(stream)
    await books.pass(2_000) // the changes before the stream are read
    shelfOf.ada = 2
    await books.run(`update books set title = repeat('y', 1500000) where id in (1, 3)`)
    const events = [await books.next(stream), await books.next(stream)]
    expect(events.map((event) => event?.event)).to.deep.equal(['added', 'removed'])
    await books.run(`update books set title = 'C2' where id = 3`)
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '3 C2'])
  })

  it('stays open while the client reads a large snapshot slowly', async () => {
    await books.run(`update books set title = repeat('x', 8000000) where id = 1`)
    const witness = await books.open('/books/2')
    await books.next(witness)
    const socket = openSocket()
    await once(socket, 'readable')
    await books.run(`update books set title = 'B2' where id = 2`)
    await books.next(witness)
    let end = ''
    socket.on('data', (chunk: Buffer) => {
      end = (end + chunk.subarray(-1000).toString('latin1')).slice(-1000)
    })
    await books.until(eventually(() => end.includes('event: changed') || socket.closed))
    expect(end).to.include('event: changed')
    socket.destroy()
  })

  it('ends at once during a graceful shutdown, also one that is opened then', async () => {
    const stopping = await startLiveBooks()
    try {
      await stopping.reset()
      const stream = await stopping.open('/books')
      expect((await stopping.next(stream))?.event).to.equal('snapshot')
      const drained = stopping.app.drain({ delay: 100, limit: 60_000 })
      expect(await stream.next()).to.equal(null)
      const late = await stopping.open('/books')
      expect([late.status, late.headers.get('connection'), await late.next()]).to.deep.equal([200, 'close', null])
      const before = stopping.serverClock.now()
      await advanceUntil(stopping.serverClock, drained, 10)
      expect(stopping.serverClock.now() - before).to.be.below(60_000)
    } finally {
      await stopping.close()
    }
  })
})

describe('The error of a stream', () => {
  const cached = { cacheHeaders: { public: true, max_age: 600 }, etags: true } as const
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    changes: true,
    ...cached,
    fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
  })
  const unrecordedBooks = defineResource(Book, {
    type: 'books',
    ...cached,
    fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves')],
  })
  let books: LiveBooks
  before(async () => {
    books = await startLiveBooks({
      variables: { LIVE_ROWS: 1, LIVE_STREAMS: 2, LIVE_STREAMS_PER_PRINCIPAL: 1 },
      resources: [shelves, unrecordedBooks].map((resource) => ({ file: 'connections.test.ts', resource })),
    })
  })
  beforeEach(() => books.reset())
  after(() => books.close())

  it('has no header of the response to a GET, which caches may keep', async () => {
    for (const headers of [{}, as('ada')]) expect((await books.open('/shelves/1', headers)).status).to.equal(200)
    const paths: Readonly<Record<string, number>> = {
      '/shelves/1': 429,
      '/shelves?page[size]=1': 400,
      '/books': 406,
      '/shelves/1/books': 406,
    }
    for (const [path, expected] of Object.entries(paths)) {
      const found = await fetch(books.client.url + path)
      expect(found.headers.get('cache-control'), path).to.include('max-age=600')
      const { status, headers } = await books.open(path, {})
      expect([status, headers.get('cache-control')], path).to.deep.equal([expected, 'no-store'])
      for (const name of ['etag', 'last-modified', 'link']) expect(headers.get(name), `${path} ${name}`).to.equal(null)
    }
    const full = await books.open('/shelves/2', as('eve'))
    expect([full.status, full.headers.get('cache-control')]).to.deep.equal([503, 'no-store'])
  })

  it('has none either if the collection is too large', async () => {
    const { status, headers } = await books.open('/shelves', {})
    expect([status, headers.get('cache-control'), headers.get('etag')]).to.deep.equal([400, 'no-store', null])
  })
})
