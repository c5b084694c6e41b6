import { mock } from 'node:test'
import { setImmediate as settle } from 'node:timers/promises'
import { expect } from 'chai'
import { type Client, JsonApiError } from '#client'
import { type Answer, answer, connect, event, type Notes, openStream, rejection, stream } from './injected-responses.ts'

// Live collections, with injected responses and an injected clock.

describe('Streams of the TypeScript client', () => {
  const snapshot = () => stream('id: 1\nevent: snapshot\ndata: {"data":[{"type":"notes","id":"1"}]}\n\n')
  const first = (api: Client<Notes>, signal?: AbortSignal) =>
    api.notes
      .live(signal && { signal })
      [Symbol.asyncIterator]()
      .next()

  for (const status of [400, 401, 403, 404, 406, 429, 500]) {
    it(`are not requested again after ${status}, and throw it`, async () => {
      const { api, requests, sleeps } = connect([answer(status, {}, { 'retry-after': '1' }), snapshot()])
      const error = await rejection(first(api))
      expect(error).to.be.instanceOf(JsonApiError).and.include({ status })
      expect([requests.length, sleeps]).to.deep.equal([1, []])
    })
  }

  for (const failure of [
    () => answer(502),
    () => answer(503),
    () => answer(504),
    () => new TypeError('fetch failed'),
  ]) {
    const name = failure() instanceof Error ? 'a failure of the network' : (failure() as Response).status
    it(`are requested again after ${name}, with growing delays`, async () => {
      const { api, sleeps } = connect([failure(), failure(), failure(), snapshot()])
      expect((await first(api)).value).to.deep.equal([{ type: 'notes', id: '1' }])
      expect(sleeps).to.deep.equal([200, 400, 800])
    })

    it(`throw ${name} after ten repetitions, or after those of the option`, async () => {
      const failures = Array.from<unknown, Answer>({ length: 20 }, failure)
      const byDefault = connect(failures)
      const error = await rejection(first(byDefault.api))
      expect(error).to.be.instanceOf(failure() instanceof Error ? TypeError : JsonApiError)
      expect(byDefault.requests).to.have.length(11)
      for (const [retry, attempts] of [
        [{ retries: 1 }, 2],
        [false, 1],
      ] as const) {
        const { api, requests } = connect(failures, retry)
        await rejection(first(api))
        expect(requests).to.have.length(attempts)
      }
    })
  }

  it('wait at least for Retry-After, and throw if it is longer than the maximum', async () => {
    const { api, requests, sleeps } = connect([
      answer(503, {}, { 'retry-after': '2' }),
      answer(503, {}, { 'retry-after': '60' }),
      snapshot(),
    ])
    expect(await rejection(first(api))).to.include({ status: 503 })
    expect(sleeps).to.deep.equal([2000])
    expect(requests).to.have.length(2)
  })

  it('continue after the last id, also if it came without an event', async () => {
    const { api, requests } = connect([snapshot(), stream('retry: 1\n\nid: 1.b\n\n'), snapshot(), snapshot()])
    const rows = api.notes.live()[Symbol.asyncIterator]()
    for (let count = 0; count < 3; count++) await rows.next()
    expect(requests.map(({ headers }) => headers['last-event-id'])).to.deep.equal([undefined, '1', '1.b', '1'])
  })

  it('forget included resources that the service removes, also if one of the rows is the same resource', async () => {
    const author = { type: 'notes', id: '2' }
    const row = { type: 'notes', id: '1', relationships: { author: { data: author } } }
    const included = { ...author, attributes: { text: 'A' } }
    const events = [
      event('snapshot', [row], [included]),
      event('added', [included]),
      event('removed', [], [author]),
      event('removed', [author]),
    ]
    const rows = connect([stream(events.join(''))])
      .api.notes.live()
      [Symbol.asyncIterator]()
    const authors: unknown[] = []
    for (const _ of events) authors.push((await rows.next()).value[0].author)
    const shown = { ...author, text: 'A' }
    expect(authors).to.deep.equal([shown, shown, shown, author])
  })

  it('count repetitions from the last connection', async () => {
    const failure = () => new TypeError('fetch failed')
    const { api, requests } = connect([failure(), snapshot(), failure(), snapshot(), failure(), failure()], {
      retries: 1,
    })
    const rows = api.notes.live()[Symbol.asyncIterator]()
    await rows.next()
    await rows.next()
    expect(await rejection(rows.next())).to.be.instanceOf(TypeError)
    expect(requests.map(({ headers }) => headers['last-event-id'])).to.deep.equal([
      undefined,
      undefined,
      '1',
      '1',
      '1',
      '1',
    ])
  })

  it('throw if the response is no stream, such as the page of a proxy', async () => {
    const page = new Response('<h1>App</h1>', { headers: { 'content-type': 'text/html' } })
    const error = await rejection(first(connect([page]).api))
    expect(error).to.be.instanceOf(JsonApiError).and.include({ status: 200, code: null })
    expect(error.message).to.equal('GET http://api.example/notes returned 200: text/html is not text/event-stream')
  })

  it('request a token for each attempt, and throw the error of its function', async () => {
    let count = 0
    const token = () => {
      if (++count === 3) throw new Error('signed out')
      return `t${count}`
    }
    const { api, requests } = connect([answer(503), answer(503), snapshot()], {}, { token })
    expect(await rejection(first(api))).to.include({ message: 'signed out' })
    expect(requests.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer t1', 'Bearer t2'])
  })

  it('throw the reason of the signal when it is aborted before the request, between two events or before a repetition', async () => {
    const aborted = AbortSignal.abort()
    const { api, requests } = connect([snapshot()])
    expect(await rejection(first(api, aborted))).to.equal(aborted.reason)
    expect(requests).to.have.length(0)

    const pages = (signal: AbortSignal, answers: readonly Answer[], options = {}) =>
      connect(answers, {}, options).api.notes.live({ signal })[Symbol.asyncIterator]()
    const between = new AbortController()
    const twice = stream('event: snapshot\ndata: {"data":[]}\n\nevent: added\ndata: {"data":[]}\n\n')
    const rows = pages(between.signal, [twice])
    await rows.next()
    between.abort()
    expect(await rejection(rows.next())).to.equal(between.signal.reason)

    const waiting = new AbortController()
    const sleep = () => new Promise<void>(() => waiting.abort())
    expect(await rejection(pages(waiting.signal, [answer(503)], { sleep }).next())).to.equal(waiting.signal.reason)
  })
})

describe('Rows of a stream of the TypeScript client', () => {
  const note = (id: string, text: string, next?: string) => ({
    type: 'notes',
    id,
    attributes: { text },
    ...(next && { relationships: { next: { data: { type: 'notes', id: next } } } }),
  })

  it('show the copy in data where a resource is also a related one, whichever was received last', async () => {
    const { api } = connect([
      stream(
        [
          event('snapshot', [note('1', 'a', '2'), note('2', 'b', '3')]),
          event('changed', [note('1', 'a1', '2')], [note('2', 'b')]),
          event('changed', [note('2', 'b1', '3')]),
          event('changed', [], [note('2', 'b1')]),
          event('removed', [{ type: 'notes', id: '2' }]),
        ].join(''),
      ),
    ])
    const rows = api.notes.live()[Symbol.asyncIterator]()
    for (let received = 0; received < 2; received++) await rows.next()
    const second = { type: 'notes', id: '2', text: 'b1', next: { type: 'notes', id: '3' } }
    const both = [{ type: 'notes', id: '1', text: 'a1', next: second }, second]
    expect((await rows.next()).value).to.deep.equal(both)
    expect((await rows.next()).value).to.deep.equal(both)
    const { next: _, ...related } = second
    expect((await rows.next()).value).to.deep.equal([{ ...both[0], next: related }])
  })

  for (const [name, break_] of [
    ['LF', '\n'],
    ['CR', '\r'],
    ['CRLF', '\r\n'],
  ] as const) {
    it(`are read from chunks of any size, with data of several lines that end with ${name}`, async () => {
      const lines = ['retry: 1', '', ':beat', '', 'id: 7', 'event: snapshot', 'data:{"data":', 'data: []}', '', '']
      const bytes = new TextEncoder().encode(lines.join(break_))
      for (let size = 1; size <= bytes.length; size++) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        )
        const response = () =>
          new Response(ReadableStream.from(chunks) as ReadableStream, {
            headers: { 'content-type': 'text/event-stream' },
          })
        const { api, requests } = connect([response(), response()])
        const rows = api.notes.live()[Symbol.asyncIterator]()
        expect((await rows.next()).value).to.deep.equal([])
        expect(await rows.next()).to.deep.equal({ done: false, value: [] })
        expect(requests.map(({ headers }) => headers['last-event-id'])).to.deep.equal([undefined, '7'])
      }
    })
  }

  it('are not searched for the end of an event again with every chunk', async () => {
    const text = event('snapshot', [note('1', 'x'.repeat(100_000))])
    const { response, send } = openStream('')
    for (let start = 0; start < text.length; start += 1000) send(text.slice(start, start + 1000))
    let searched = 0
    const methods = ['split', 'indexOf', 'search', 'match', 'replace'] as const
    const spies = methods.map((name) => {
      const method = String.prototype[name] as (...values: unknown[]) => unknown
      return mock.method(String.prototype, name, function (this: string, ...values: unknown[]) {
        searched += this.length
        return method.apply(this, values)
      })
    })
    try {
      await connect([response]).api.notes.live()[Symbol.asyncIterator]().next()
    } finally {
      for (const spy of spies) spy.mock.restore()
    }
    expect(searched)
      .to.be.at.least(text.length)
      .and.at.most(5 * text.length)
  })
})

describe('Connections of a stream of the TypeScript client', () => {
  const empty = () => stream('retry: 1000\n\n')
  const snapshot = () => stream(event('snapshot', []))

  it('are opened after growing pauses while they end without an event and a heart-beat', async () => {
    const beat = stream('retry: 1000\n\n:\n\n')
    const answers = [empty(), empty(), empty(), empty(), beat, snapshot(), empty(), snapshot()]
    const { api, sleeps } = connect(answers, { maxDelay: 1000 })
    const rows = api.notes.live()[Symbol.asyncIterator]()
    await rows.next()
    expect(sleeps).to.deep.equal([200, 400, 800, 1000, 200])
    await rows.next()
    expect(sleeps.slice(5)).to.deep.equal([200, 400])
  })

  const unauthorized = () => stream('id: 2\nevent: error\ndata: {"errors":[{"status":"401"}]}\n\n')

  it('are opened with another token after an error event with status 401, if the token is a function', async () => {
    let count = 0
    const { api, requests } = connect([unauthorized(), snapshot()], {}, { token: () => `t${++count}` })
    expect((await api.notes.live()[Symbol.asyncIterator]().next()).value).to.deep.equal([])
    expect(requests.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer t1', 'Bearer t2'])
  })

  it('end with the error if the server refuses the other token, or if the token is a text', async () => {
    for (const [token, count] of [
      [() => 'expired', 2],
      ['expired', 1],
    ] as const) {
      const { api, requests } = connect([unauthorized(), answer(401)], {}, { token })
      expect(await rejection(api.notes.live()[Symbol.asyncIterator]().next())).to.include({ status: 401 })
      expect(requests).to.have.length(count)
    }
  })

  it('of liveOne() end with null if the resource was removed meanwhile', async () => {
    const one = stream(event('snapshot', [{ type: 'notes', id: '1' }]))
    const removed = stream(event('removed', [{ type: 'notes', id: '1' }]))
    for (const answers of [
      [one, answer(404)],
      [one, removed, answer(404)],
    ]) {
      const seen: unknown[] = []
      for await (const row of connect(answers.map((response) => response.clone())).api.notes.liveOne('1'))
        seen.push(row)
      expect(seen).to.deep.equal([{ type: 'notes', id: '1' }, null])
    }
    const { api } = connect([one.clone(), answer(403)])
    const rows = api.notes.liveOne('1')[Symbol.asyncIterator]()
    await rows.next()
    expect(await rejection(rows.next())).to.include({ status: 403 })
  })

  for (const name of ['live', 'liveOne'] as const) {
    it(`of ${name}() are closed when the iterator is closed while next() waits`, async () => {
      for (const close of ['return', 'throw'] as const) {
        const { response, state } = openStream(event('snapshot', [{ type: 'notes', id: '1' }]))
        const { api } = connect([response])
        const rows = (name === 'live' ? api.notes.live() : api.notes.liveOne('1'))[Symbol.asyncIterator]()
        await rows.next()
        const next = rows.next()
        const reason = new Error('closed')
        const closed = rows[close]?.(reason).catch((error: unknown) => error)
        expect(await next).to.deep.equal({ done: true, value: undefined })
        expect(await closed).to.deep.equal(close === 'return' ? { done: true, value: undefined } : reason)
        expect(state.isCancelled).to.equal(true)
        expect(await rows.next()).to.deep.equal({ done: true, value: undefined })
      }
    })
  }

  it('are not opened after the iterator was closed before the response or during a pause', async () => {
    const isAborted = ({ signal }: RequestInit) =>
      new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    for (const client of [connect([isAborted]), connect([empty()], {}, { sleep: () => new Promise(() => {}) })]) {
      const rows = client.api.notes.live()[Symbol.asyncIterator]()
      const next = rows.next()
      await settle()
      await rows.return?.()
      expect(await next).to.deep.equal({ done: true, value: undefined })
      expect(client.requests).to.have.length(1)
    }
  })

  it('leave no timer when the signal is aborted during a pause', async () => {
    const aborter = new AbortController()
    const { setTimeout, clearTimeout } = globalThis
    const timers = new Set<unknown>()
    const set = mock.method(globalThis, 'setTimeout', (run: () => void, milliseconds: number) => {
      const timer = setTimeout(run, milliseconds)
      timers.add(timer)
      if (milliseconds === 8000) queueMicrotask(() => aborter.abort())
      return timer
    })
    const clear = mock.method(globalThis, 'clearTimeout', (timer: NodeJS.Timeout) => {
      timers.delete(timer)
      clearTimeout(timer)
    })
    try {
      const { api } = connect([answer(503, {}, { 'retry-after': '8' })], {}, { sleep: undefined as never })
      const rows = api.notes.live({ signal: aborter.signal })[Symbol.asyncIterator]()
      expect(await rejection(rows.next())).to.equal(aborter.signal.reason)
      expect(set.mock.callCount()).to.be.at.least(1)
      expect(timers.size).to.equal(0)
    } finally {
      for (const spy of [set, clear]) spy.mock.restore()
    }
  })

  describe('without bytes', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
    afterEach(() => mock.timers.reset())

    it('are lost after 40 seconds, and opened again after the last event', async () => {
      const first = openStream(event('snapshot', []))
      const { api, requests } = connect([
        first.response,
        openStream(event('added', [{ type: 'notes', id: '1' }])).response,
      ])
      const rows = api.notes.live()[Symbol.asyncIterator]()
      await rows.next()
      const next = rows.next()
      await settle()
      mock.timers.tick(39_999)
      await settle()
      first.send(':\n\n')
      await settle()
      mock.timers.tick(39_999)
      await settle()
      expect([requests.length, first.state.isCancelled]).to.deep.equal([1, false])
      mock.timers.tick(1)
      expect((await next).value).to.deep.equal([{ type: 'notes', id: '1' }])
      expect(first.state.isCancelled).to.equal(true)
      expect(requests[1]?.headers['last-event-id']).to.equal('snapshot')
      await rows.return?.()
    })

    it('are not lost while the consumer handles an event', async () => {
      const { response, send } = openStream(event('snapshot', []))
      const { api, requests } = connect([response])
      const rows = api.notes.live()[Symbol.asyncIterator]()
      await rows.next()
      mock.timers.tick(60_000)
      await settle()
      send(event('added', [{ type: 'notes', id: '1' }]))
      expect((await rows.next()).value).to.deep.equal([{ type: 'notes', id: '1' }])
      expect(requests).to.have.length(1)
      await rows.return?.()
    })

    it('are opened again if there is no response after 40 seconds', async () => {
      const hanging = ({ signal }: RequestInit) =>
        new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      const { api, requests, sleeps } = connect([hanging, snapshot(), hanging], { retries: 1 })
      const rows = api.notes.live()[Symbol.asyncIterator]()
      const next = rows.next()
      await settle()
      mock.timers.tick(40_000)
      expect((await next).value).to.deep.equal([])
      expect([requests.length, sleeps]).to.deep.equal([2, [200]])
    })
  })
})
