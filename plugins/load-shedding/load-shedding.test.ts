import { performance } from 'node:perf_hooks'
import { mock } from 'node:test'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { mediaType } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { open, sendBytes } from '#test/template/support/raw-http.ts'

describe('The plugin load-shedding', () => {
  let app: TestApp
  let entered: ReturnType<typeof Promise.withResolvers<void>>
  let gate: ReturnType<typeof Promise.withResolvers<void>>
  /** Milliseconds, instead of those of the machine, which may be slow. */
  let time = 0
  const gated: Plugin = {
    name: 'gated',
    onRoute({ ctx }) {
      if (ctx.path === '/countries') time += 50 // the event loop is blocked
    },
    plan: addSteps({
      async authorize({ ctx }) {
        if (ctx.path !== '/artists') return
        entered.resolve()
        await gate.promise
      },
    }),
  }
  const start = async (env: Record<string, string>) => {
    entered = Promise.withResolvers()
    gate = Promise.withResolvers()
    app = await startApp({ plugins: [...plugins, gated], config: configFrom(env) })
  }
  beforeEach(() => void mock.method(performance, 'now', () => time))
  afterEach(() => {
    mock.restoreAll()
    return app.close()
  })

  it('returns 503 with Retry-After, without a statement, when MAX_IN_FLIGHT is reached', async () => {
    await start({ MAX_IN_FLIGHT: '1' })
    const slow = app.client.get('/artists')
    await entered.promise
    const statements = await statementsOf(async () => {
      const { status, headers, body } = await app.client.get('/albums')
      expect(status).to.equal(503)
      expect(headers.get('retry-after')).to.equal('1')
      expect(body.errors).to.deep.equal([{ status: '503', title: 'Server Error', detail: '' }])
    })
    expect(statements).to.deep.equal([])
    gate.resolve()
    expect((await slow).status).to.equal(200)
    expect((await app.client.get('/albums')).status).to.equal(200)
  })

  it('never rejects health checks', async () => {
    await start({ MAX_IN_FLIGHT: '1' })
    const slow = app.client.get('/artists')
    await entered.promise
    for (const path of ['/live', '/ready']) expect((await fetch(app.client.url + path)).status).to.equal(200)
    gate.resolve()
    await slow
  })

  it('stops counting a request when it ends, with any status', async () => {
    await start({ MAX_IN_FLIGHT: '1' })
    for (const path of ['/albums/4711', '/albums?nope=1', '/nowhere', '/docs.json', '/albums']) {
      expect((await app.client.get(path)).status, path).not.to.equal(503)
    }
    expect((await app.client.post('/albums', '{')).status).to.equal(400)
    expect((await app.client.get('/albums')).status).to.equal(200)
  })

  it('does not count a request whose body has not arrived', async () => {
    await start({ MAX_IN_FLIGHT: '1' })
    const sockets = Array.from({ length: 5 }, () => open(app.client.url))
    const head = `POST /artists HTTP/1.1\r\nHost: x\r\nContent-Type: ${mediaType}\r\nContent-Length: 50\r\n\r\n{"da`
    await Promise.all(sockets.map((socket) => new Promise((done) => socket.write(head, done))))
    expect((await app.client.get('/albums')).status).to.equal(200)
    for (const socket of sockets) socket.destroy()
  })

  it('returns 503 to requests delayed by a blocked event loop, and 200 afterwards', async () => {
    await start({ MAX_IN_FLIGHT: '0', MAX_EVENT_LOOP_DELAY: '40' })
    const request = (...headers: string[]) => ['GET /countries HTTP/1.1', 'Host: x', ...headers, '', ''].join('\r\n')
    const replies = await sendBytes(app.client.url, request() + request() + request('Connection: close'))
    expect(replies.map(({ status }) => status)).to.deep.equal([503, 503, 503])
    expect((await app.client.get('/albums')).status).to.equal(200)
  })

  it('rejects nothing when neither limit is set', async () => {
    await start({ MAX_IN_FLIGHT: '0', MAX_EVENT_LOOP_DELAY: '0' })
    const slow = app.client.get('/artists')
    await entered.promise
    expect((await app.client.get('/albums')).status).to.equal(200)
    gate.resolve()
    await slow
  })
})
