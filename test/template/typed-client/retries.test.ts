import { expect } from 'chai'
import { JsonApiError } from '#client'
import { answer, connect, rejection } from './injected-responses.ts'

// Retries, aborts and headers of requests, with injected responses and an injected clock.

describe('Retries of the TypeScript client', () => {
  const note = () => answer(200, { data: { type: 'notes', id: '1', attributes: { text: 'a' } } })

  it('repeats a GET after 503, and waits at least for Retry-After', async () => {
    const { api, sleeps, requests } = connect([answer(503, {}, { 'retry-after': '2' }), note()])
    expect((await api.notes.get('1')).text).to.equal('a')
    expect(requests).to.have.length(2)
    expect(sleeps).to.deep.equal([2000])
  })

  it('waits twice as long before each repetition, up to the maximum', async () => {
    const failures = Array.from({ length: 4 }, () => new TypeError('fetch failed'))
    const { api, sleeps } = connect([...failures, note()], { retries: 4, delay: 100, maxDelay: 500 })
    await api.notes.get('1')
    expect(sleeps).to.deep.equal([100, 200, 400, 500])
  })

  for (const status of [429, 502, 503, 504]) {
    it(`repeats a DELETE after ${status}`, async () => {
      const { api, requests } = connect([answer(status), answer(204)])
      await api.notes.remove('1')
      expect(requests.map(({ method }) => method)).to.deep.equal(['DELETE', 'DELETE'])
    })
  }

  for (const status of [400, 404, 409, 412, 422, 500]) {
    it(`does not repeat a GET after ${status}`, async () => {
      const { api, requests } = connect([answer(status), note()])
      const error = await api.notes.get('1').catch((caught: unknown) => caught)
      expect(error).to.be.instanceOf(JsonApiError).and.include({ status })
      expect(requests).to.have.length(1)
    })
  }

  for (const failure of [() => answer(503), () => new TypeError('fetch failed')]) {
    it(`sends a POST and a PATCH without a key once if ${failure() instanceof Error ? 'the network fails' : 'the server returns 503'}`, async () => {
      const { api, requests } = connect([failure(), failure()])
      expect(await rejection(api.notes.create({ text: 'a' }))).to.be.instanceOf(Error)
      expect(await rejection(api.notes.update('1', { text: 'a' }))).to.be.instanceOf(Error)
      expect(requests.map(({ method }) => method)).to.deep.equal(['POST', 'PATCH'])
    })
  }

  it('repeats a POST with a key, with the same key and body', async () => {
    const { api, requests } = connect([new TypeError('fetch failed'), note()])
    await api.notes.create({ text: 'a' }, { idempotencyKey: 'k1' })
    expect(requests.map(({ headers }) => headers['idempotency-key'])).to.deep.equal(['k1', 'k1'])
    expect(requests[1]?.body).to.equal(requests[0]?.body)
  })

  it('repeats a write after 409 IDEMPOTENCY_KEY_IN_USE', async () => {
    const inUse = answer(409, { errors: [{ code: 'IDEMPOTENCY_KEY_IN_USE' }] }, { 'retry-after': '1' })
    const { api, sleeps } = connect([inUse, note()])
    await api.notes.update('1', { text: 'a' }, { idempotencyKey: true })
    expect(sleeps).to.deep.equal([1000])
  })

  it('sends a random key with every write if idempotencyKeys is set, and none with reads', async () => {
    const { api, requests } = connect([note(), note(), note()], {}, { idempotencyKeys: true })
    await api.notes.create({ text: 'a' })
    await api.notes.update('1', { text: 'a' })
    await api.notes.get('1')
    const [first, second, third] = requests.map(({ headers }) => headers['idempotency-key'])
    expect(first).to.match(/^[0-9a-f-]{36}$/)
    expect(second)
      .to.match(/^[0-9a-f-]{36}$/)
      .and.not.to.equal(first)
    expect(third).to.equal(undefined)
  })

  it('throws the last error after the last repetition', async () => {
    const { api, requests } = connect([answer(503), answer(503), answer(503), note()])
    expect(await rejection(api.notes.get('1'))).to.include({ status: 503, code: null })
    expect(requests).to.have.length(3)
  })

  it('throws the error if Retry-After is longer than the maximum', async () => {
    const { api, requests } = connect([answer(503, {}, { 'retry-after': '60' }), note()])
    expect(await rejection(api.notes.get('1'))).to.include({ status: 503 })
    expect(requests).to.have.length(1)
  })

  it('repeats nothing with retry: false', async () => {
    const { api, requests } = connect([answer(503), note()], false)
    expect(await rejection(api.notes.get('1'))).to.include({ status: 503 })
    expect(requests).to.have.length(1)
  })

  it('ends the wait for a repetition when the signal is aborted', async () => {
    const controller = new AbortController()
    const { api, requests } = connect([answer(503), note()], {}, { sleep: () => new Promise(() => controller.abort()) })
    expect(await rejection(api.notes.get('1', { signal: controller.signal }))).to.include({ name: 'AbortError' })
    expect(requests).to.have.length(1)
  })

  it('does not repeat an aborted request', async () => {
    const controller = new AbortController()
    const abort = async () => {
      controller.abort()
      throw controller.signal.reason
    }
    const { api, requests } = connect([abort, note()])
    expect(await rejection(api.notes.get('1', { signal: controller.signal }))).to.include({ name: 'AbortError' })
    expect(requests).to.have.length(1)
  })
})

describe('Requests of the TypeScript client', () => {
  const note = () => answer(200, { data: { type: 'notes', id: '1', attributes: { text: 'a' } } })

  it('sends the token of a function with each request', async () => {
    let count = 0
    const { api, requests } = connect([note(), note()], {}, { token: async () => `t${++count}` })
    await api.notes.get('1')
    await api.notes.get('1')
    expect(requests.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer t1', 'Bearer t2'])
  })

  it('sends a list only when it is awaited or iterated, and once if it is awaited twice', async () => {
    const { api, requests } = connect([answer(200, { data: [] })])
    const pages = api.notes.list()
    expect(requests).to.have.length(0)
    await pages
    await pages
    expect(requests).to.have.length(1)
  })

  it('requests the next page at its own URL, with the query of the link', async () => {
    const links = { next: 'http://internal:8080/behind-proxy/notes?page%5Bnumber%5D=2' }
    const { api, requests } = connect([answer(200, { data: [], links }), answer(200, { data: [] })])
    for await (const _ of api.notes.list({ page: { number: 1 } })) expect.fail('no rows')
    expect(requests.map(({ url }) => decodeURIComponent(url))).to.deep.equal([
      'http://api.example/notes?page[number]=1',
      'http://api.example/notes?page[number]=2',
    ])
  })

  it('encodes ids in URLs', async () => {
    const { api, requests } = connect([note()])
    await api.notes.get('a/b c')
    expect(requests[0]?.url).to.equal('http://api.example/notes/a%2Fb%20c')
  })

  it('has no document, but an error with the status, if a proxy answers with HTML', async () => {
    const page = new Response('<h1>Bad</h1>', { status: 400, headers: { 'content-type': 'text/html' } })
    const error = await rejection(connect([page]).api.notes.get('1'))
    expect(error).to.include({ status: 400, code: null })
    expect(error.message).to.equal('GET http://api.example/notes/1 returned 400: no error document')
  })

  it('can be the result of an async function', async () => {
    const { api } = connect([])
    expect(await (async () => api)()).to.equal(api)
  })

  describe('with the hash of types', () => {
    const settle = () => new Promise((done) => setImmediate(done))

    for (const [served, isReported] of [
      ['abc', false],
      ['abc-gzip', false],
      ['other', true],
    ] as const) {
      it(`${isReported ? 'reports' : 'does not report'} types with the hash ${served} once`, async () => {
        const messages: string[] = []
        const types = new Response(null, { headers: { etag: `"${served}"` } })
        const { api, requests } = connect(
          [note(), types, note()],
          {},
          {
            types: 'abc',
            onTypesDiffer: (message) => messages.push(message),
          },
        )
        await api.notes.get('1')
        await settle()
        await api.notes.get('1')
        expect(requests.map(({ method, url }) => `${method} ${url}`)).to.deep.equal([
          'GET http://api.example/notes/1',
          'HEAD http://api.example/client-types.d.ts',
          'GET http://api.example/notes/1',
        ])
        expect(messages).to.have.length(isReported ? 1 : 0)
      })
    }

    it('ignores a server that serves no types', async () => {
      const { api } = connect([note(), answer(404)], {}, { types: 'abc', onTypesDiffer: () => expect.fail('reported') })
      await api.notes.get('1')
      await settle()
    })
  })
})
