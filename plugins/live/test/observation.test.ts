import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type Koa from 'koa'
import type { Logger, Plugin } from '#kernel/plugin'
import { eventually } from '#test/support/eventually.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { type LiveBooks, startLiveBooks } from '#test/template/support/live-books.ts'
import { freePort } from '../../../scripts/support/free-port.ts'

/** Less than the time that the stream is open. */
const slow = 50

describe('A stream in logs and metrics', () => {
  const logged: string[] = []
  let books: LiveBooks
  let port: number
  let opened: Koa.Context | undefined

  const keeping: Plugin = {
    name: 'keeping',
    middleware: () => (ctx, next) => {
      opened = ctx
      return next()
    },
  }

  const log = (details: object, message: string) => {
    const { route = '', err } = details as { route?: string; err?: Error }
    logged.push([message, route, err?.message].filter(Boolean).join(' '))
  }

  before(async () => {
    port = await freePort()
    books = await startLiveBooks({
      above: [keeping],
      config: configFrom({ METRICS_PORT: String(port), SLOW_REQUEST_MS: String(slow) }),
      logger: { error: log, warn: log, info: () => {} } as unknown as Logger,
    })
  })
  after(() => books.close())

  it('is no slow request, has no duration, and is no error when the client disconnects', async () => {
    await books.reset()
    logged.length = 0 // warnings of the start
    const stream = await books.open('/books')
    await books.next(stream)
    await setTimeout(4 * slow)
    stream.close()
    await eventually(() => books.app.liveHub?.size === 0)
    await setTimeout(slow)
    expect(logged).to.deep.equal([])
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(metrics).to.include('live_streams 0')
    expect(metrics).not.to.match(/^http_request_duration_seconds_count\{.*books/m)
  })

  it('keeps no records of the GET that has opened it', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    expect(opened?.state).to.have.property('streamedOperation', undefined)
    stream.close()
  })

  it('does not collect the statements of its reads', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    const count = () => opened?.state.requestTimes?.statements.length
    const before = count()
    expect(before).to.be.greaterThan(0)
    await books.run(`update books set title = 'A2' where id = 1`)
    await books.next(stream)
    expect(count()).to.equal(before)
    stream.close()
  })
})
