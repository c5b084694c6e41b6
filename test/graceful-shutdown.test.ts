import { once } from 'node:events'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import type { TestApp } from './support/app.ts'
import { startApp } from './support/catalogue.ts'
import { open, sendBytes } from './support/raw-http.ts'

// A stop inside the process; what becomes of whole processes is told in test/marathon/stop.test.ts.

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: example.com\r\n\r\n`

describe('A stop', () => {
  let app: TestApp
  let entered: ReturnType<typeof Promise.withResolvers<void>>
  let gate: ReturnType<typeof Promise.withResolvers<void>>
  beforeEach(async () => {
    entered = Promise.withResolvers()
    gate = Promise.withResolvers()
    const gated: Plugin = {
      name: 'gated',
      async beforeOperations({ ctx }) {
        if (ctx.path !== '/artists') return
        entered.resolve()
        await gate.promise
      },
    }
    app = await startApp({ plugins: [...plugins, gated] })
  })
  afterEach(() => app.app.close())

  const isRefused = () =>
    fetch(app.client.url).then(
      () => false,
      () => true,
    )

  it('finishes what is under way, and tells the client not to use the connection again', async () => {
    const answer = app.client.get('/artists')
    await entered.promise
    const drained = app.app.drain({ delay: 0, limit: 5_000 })
    expect(await isRefused()).to.equal(true)
    gate.resolve()
    const { status, headers } = await answer
    expect(status).to.equal(200)
    expect(headers.get('connection')).to.equal('close')
    await drained
  })

  it('still takes requests for a while, each the last of its connection', async () => {
    const drained = app.app.drain({ delay: 150, limit: 5_000 })
    const replies = await sendBytes(app.client.url, get('/albums/1'), get('/albums/2'))
    expect(replies.map(({ status }) => status)).to.deep.equal([200])
    await drained
    expect(await isRefused()).to.equal(true)
  })

  it('cuts what takes longer than the limit', async () => {
    const answer = app.client.get('/artists').catch((error: Error) => error)
    await entered.promise
    await app.app.drain({ delay: 0, limit: 50 })
    expect(await answer).to.be.instanceOf(Error)
    gate.resolve()
  })

  it('waits neither for idle connections nor for those on which nothing has arrived', async () => {
    const [idle, unused] = [open(app.client.url), open(app.client.url)]
    idle.write(get('/albums/1'))
    await Promise.all([once(idle, 'data'), once(unused, 'connect')])
    const began = performance.now()
    await app.app.drain({ delay: 0, limit: 10_000 })
    expect(performance.now() - began).to.be.below(4_000)
    idle.destroy()
    unused.destroy()
  })
})
