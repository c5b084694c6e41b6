import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { advanceUntil, type ManualClock, manualClock } from '#test/support/clock.ts'
import { eventually } from '#test/support/eventually.ts'
import { open, sendBytes } from '#test/template/support/raw-http.ts'

// Graceful shutdown inside a process; test/template/proofs/marathon/stop.test.ts stops whole processes.

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: example.com\r\n\r\n`

describe('Graceful shutdown', () => {
  let app: TestApp
  let clock: ManualClock
  let entered: ReturnType<typeof Promise.withResolvers<void>>
  let gate: ReturnType<typeof Promise.withResolvers<void>>
  beforeEach(async () => {
    entered = Promise.withResolvers()
    gate = Promise.withResolvers()
    clock = manualClock()
    const gated: Plugin = {
      name: 'gated',
      plan: addSteps({
        async authorize({ ctx }) {
          if (ctx.path !== '/artists') return
          entered.resolve()
          await gate.promise
        },
      }),
    }
    app = await startApp({ plugins: [...plugins, gated], clock })
  })
  afterEach(() => app.app.close())

  const isRefused = () =>
    fetch(app.client.url).then(
      () => false,
      () => true,
    )

  it('closes the port, and finishes requests in flight with Connection: close', async () => {
    const response = app.client.get('/artists')
    await entered.promise
    const drained = app.app.drain({ delay: 0, limit: 5_000 })
    clock.advance(500)
    await eventually(isRefused)
    gate.resolve()
    const { status, headers } = await response
    expect(status).to.equal(200)
    expect(headers.get('connection')).to.equal('close')
    await drained
  })

  it('accepts one request per connection during the delay, and closes the port afterwards', async () => {
    const drained = app.app.drain({ delay: 150, limit: 5_000 })
    const replies = await sendBytes(app.client.url, get('/albums/1'), get('/albums/2'))
    expect(replies.map(({ status }) => status)).to.deep.equal([200])
    clock.advance(150)
    await advanceUntil(clock, drained, 10)
    expect(await isRefused()).to.equal(true)
  })

  it('answers pipelined requests that wait for a request in flight', async () => {
    const replies = sendBytes(app.client.url, get('/artists'), get('/albums/1'), get('/albums/2'))
    await entered.promise
    const drained = app.app.drain({ delay: 0, limit: 5_000 })
    clock.advance(500)
    await eventually(isRefused)
    gate.resolve()
    expect((await replies).map(({ status }) => status)).to.deep.equal([200, 200, 200])
    await drained
  })

  it('answers a request that arrives while the port is being closed', async () => {
    const arrived = new Promise<void>((resolve) => {
      subscribe('http.server.request.start', function onStart() {
        unsubscribe('http.server.request.start', onStart)
        resolve()
      })
    })
    const drained = app.app.drain({ delay: 0, limit: 5_000_000 })
    const response = app.client.get('/albums/1')
    await arrived
    await advanceUntil(clock, drained, 10)
    const { status, headers } = await response
    expect([status, headers.get('connection')]).to.deep.equal([200, 'close'])
  })

  it('closes the connection of a request that exceeds the limit', async () => {
    const response = app.client.get('/artists').catch((error: Error) => error)
    await entered.promise
    await advanceUntil(clock, app.app.drain({ delay: 0, limit: 50 }), 50)
    expect(await response).to.be.instanceOf(Error)
    gate.resolve()
  })

  it('closes all connections within the limit after the delay', async () => {
    const response = app.client.get('/artists').catch((error: Error) => error)
    await entered.promise
    await advanceUntil(clock, app.app.drain({ delay: 100, limit: 2_000 }), 1)
    expect(clock.now()).to.be.within(2_100, 2_150)
    expect(await response).to.be.instanceOf(Error)
    gate.resolve()
  })

  it('closes idle connections, and connections without a request after a second', async () => {
    const [idle, unused] = [open(app.client.url), open(app.client.url)]
    idle.write(get('/albums/1'))
    await Promise.all([once(idle, 'data'), once(unused, 'connect')])
    await advanceUntil(clock, app.app.drain({ delay: 0, limit: 10_000 }), 1)
    expect(clock.now()).to.be.within(1_000, 9_000)
    idle.destroy()
    unused.destroy()
  })
})
