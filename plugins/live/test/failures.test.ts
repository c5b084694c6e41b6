import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import createError from 'http-errors'
import type { Awaitable, ErrorResponse, Logger, Plugin } from '#kernel/plugin'
import { horizonOf } from '#plugins/change-log/index.ts'
import { eventually } from '#test/support/eventually.ts'
import { interval, type LiveBooks, startLiveBooks, titles, trusted } from '#test/template/support/live-books.ts'

describe('A stream whose changes cannot be read', () => {
  let books: LiveBooks
  /** Called by the next read of an open stream. */
  let whenRead: (() => Promise<void>) | null = null
  /** Called after the second read of books from now on. */
  let whenSecondIsRead: { reads: number; readonly run: () => Promise<void> } | null = null
  /** Returned by the handler of the server. */
  let refusal: ErrorResponse | null = null
  const errors: string[] = []

  const interrupt: Plugin = {
    name: 'interrupt',
    async onRoute({ ctx }) {
      const run = ctx.headerSent ? whenRead : null
      if (run) whenRead = null
      await run?.()
    },
  }
  const read = async <Result>(result: Awaitable<Result>): Promise<Result> => {
    await result
    if (whenSecondIsRead && ++whenSecondIsRead.reads === 2) await whenSecondIsRead.run()
    return result
  }
  const log = (_: object, message: string) => void errors.push(message)
  const logger = { error: log, warn: () => {}, info: () => {}, debug: () => {} } as unknown as Logger

  before(async () => {
    books = await startLiveBooks({
      variables: { LIVE_RECHECK_SECONDS: 3_600 },
      above: [interrupt],
      logger,
      servers: {
        default: {
          handler: (dispatch) => (operation) => (refusal ? Promise.resolve(refusal) : read(dispatch(operation))),
        },
        admin: { prefix: '/admin' },
      },
    })
  })
  beforeEach(async () => {
    whenRead = null
    whenSecondIsRead = null
    refusal = null
    await books.reset()
    errors.length = 0
  })
  after(() => books.close())

  /** Lets the statements with this text fail, until the returned function is called. */
  function failStatements(text: string): () => void {
    const { store } = books.app
    const { query } = store
    Object.assign(store, {
      query: (sql: string, parameters: readonly unknown[]) =>
        sql.includes(text) ? Promise.reject(createError(503)) : query(sql, parameters),
    })
    return () => Object.assign(store, { query })
  }

  /** Changes a book, and waits until a stream reads it. Returns the function that lets this read fail. */
  async function beginFailingRead(): Promise<() => void> {
    const failing = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    whenRead = async () => {
      begun.resolve()
      await failing.promise
      throw createError(500)
    }
    await books.run(`update books set title = 'A2' where id = 1`)
    await books.until(begun.promise)
    return failing.resolve
  }

  it('ends if another stream of the same collection fails while it is opened: its client connects again', async () => {
    const first = await books.open('/books')
    await books.next(first)
    const fail = await beginFailingRead()
    const opening = books.open('/books')
    await eventually(() => books.app.liveHub?.size === 2)
    await setImmediate()
    fail()
    expect((await first.next())?.event).to.equal('error')
    const second = await opening
    expect(titles(await second.next())).to.deep.equal(['snapshot', '1 A2', '2 B'])
    expect(await second.next()).to.equal(null)
    await eventually(() => books.app.liveHub?.size === 0)
  })

  it('does not end a later stream of the same collection when its own read fails', async () => {
    const first = await books.open('/books')
    await books.next(first)
    const fail = await beginFailingRead()
    first.close()
    await eventually(() => books.app.liveHub?.size === 0)
    const second = await books.open('/books')
    expect(titles(await second.next())).to.deep.equal(['snapshot', '1 A2', '2 B'])
    fail()
    await setImmediate()
    await books.run(`update books set title = 'A3' where id = 1`)
    expect(titles(await books.next(second))).to.deep.equal(['changed', '1 A3'])
  })

  it('has heart-beats while the change log cannot be read', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    const horizon = horizonOf(books.app)
    const advance = horizon.advance.bind(horizon)
    horizon.advance = () => Promise.reject(new Error('The database does not answer.'))
    const beats = () => books.written.filter(({ text }) => text === ':\n\n').length
    const before = beats()
    await books.pass(60_000)
    horizon.advance = advance
    expect(beats() - before).to.be.within(3, 6)
  })

  it('is read again, less and less often, while its reads fail for a time', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    let reads = 0
    const fail = async () => {
      reads++
      whenRead = fail
      throw createError(503)
    }
    whenRead = fail
    await books.run(`update books set title = 'A2' where id = 1`)
    await books.pass(60_000)
    expect(reads).to.be.within(3, 8)
    whenRead = null
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A2'])
  })

  it('has the changes nevertheless while the rows of the log cannot be read: the collection is read as a whole', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    const restore = failStatements('from change_log l')
    try {
      for (const title of ['A2', 'A3']) {
        await books.run(`update books set title = '${title}' where id = 1`)
        expect(titles(await books.next(stream))).to.deep.equal(['changed', `1 ${title}`])
      }
    } finally {
      restore()
    }
  })

  it('has the changes without the rows of the log if too many were written since they were read', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    await books.pass(2_000) // the changes before the stream are read
    const statements: string[] = []
    const stop = books.app.store.observe?.({
      onStatement({ sql }) {
        statements.push(sql)
        return undefined
      },
    })
    const sequence = `'change_log_sequence_seq'`
    await books.run(`select setval(${sequence}, nextval(${sequence}) + 100000)`)
    await books.run(`update books set title = 'A2' where id = 1`)
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A2'])
    stop?.()
    expect(statements.filter((sql) => sql.includes('from change_log l'))).to.deep.equal([])
  })

  it('has a change that is logged while another stream of the collection is opened after a failed read', async () => {
    const first = await books.open('/books')
    await books.next(first)
    whenRead = async () => {
      throw createError(503)
    }
    await books.run(`update books set title = 'A2' where id = 1`)
    await eventually(() => {
      if (whenRead && books.clock.timers > 0) books.clock.advance(interval) // no further: the read is not repeated yet
      return whenRead === null
    })
    const isRead = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    whenSecondIsRead = {
      reads: 0,
      async run() {
        isRead.resolve()
        await gate.promise
      },
    }
    const opening = books.open('/books')
    await isRead.promise
    let isPolled = false
    const stop = books.app.store.observe?.({
      onStatement({ sql }) {
        isPolled ||= sql.includes('from change_log l')
        return undefined
      },
    })
    await books.run(`update books set title = 'A3' where id = 1`)
    await eventually(() => {
      if (books.clock.timers > 0 && !isPolled) books.clock.advance(interval)
      return books.clock.timers > 0 && isPolled
    })
    stop?.()
    gate.resolve()
    expect(titles(await first.next())).to.deep.equal(['changed', '1 A2'])
    expect(titles(await (await opening).next())).to.deep.equal(['snapshot', '1 A2', '2 B'])
    expect(titles(await books.next(first))).to.deep.equal(['changed', '1 A3'])
  })

  it('stays open while the handler of the server responds with 503, and ends with other errors of the handler', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    refusal = { kind: 'error', status: 503, errors: [{ status: '503', title: 'Maintenance' }] }
    await books.run(`update books set title = 'A2' where id = 1`)
    const changed = stream.next()
    await books.pass(5 * interval)
    refusal = null
    expect(titles(await books.until(changed))).to.deep.equal(['changed', '1 A2'])
    refusal = { kind: 'error', status: 402, errors: [{ status: '402', title: 'Payment required' }] }
    await books.run(`update books set title = 'A3' where id = 1`)
    const ended = await books.next(stream)
    expect([ended?.event, ended?.data]).to.deep.equal(['error', { errors: refusal.errors }])
    expect(await books.next(stream)).to.equal(null)
  })

  it('stays open while a statement of a plugin has no answer, and is refused with 503 meanwhile', async () => {
    const { store } = books.app
    const noAnswer = () => store.query(`do $$ begin raise exception 'x' using errcode = '53300'; end $$`)
    const stream = await books.open('/books')
    await books.next(stream)
    whenRead = async () => void (await noAnswer())
    await books.run(`update books set title = 'A2' where id = 1`)
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A2'])
    stream.close()
    await books.untilEnded()
    const horizon = horizonOf(books.app)
    const advance = horizon.advance.bind(horizon)
    horizon.advance = async () => BigInt((await noAnswer()).length)
    const { status, headers } = await books.open('/books')
    horizon.advance = advance
    expect([status, headers.get('retry-after')]).to.deep.equal([503, '5'])
  })

  it('is no error of the service when it ends with several errors of the client', async () => {
    trusted.add('ada')
    await books.run(`update books set secret = 's'`)
    const stream = await books.open('/books?filter[secret]=s&filter[trashed]=with')
    await books.next(stream)
    trusted.clear()
    await books.run(`update books set title = 'A2' where id = 1`)
    const ended = await books.next(stream)
    expect(ended?.data.errors.map(({ status }: { status: string }) => status)).to.deep.equal(['400', '400'])
    expect(errors).to.deep.equal([])
  })
})

describe('A live collection whose read does not end', () => {
  const logged: string[] = []
  let books: LiveBooks
  let isStuck = false

  /** A function of the application that waits for something that does not happen, for one of the types. */
  const stuck: Plugin = {
    name: 'stuck',
    onRoute({ ctx }) {
      if (isStuck && ctx.headerSent && ctx.path === '/shelves') return new Promise(() => {})
    },
  }
  const log = (details: object, message: string) => void logged.push(`${(details as { url?: string }).url} ${message}`)

  before(async () => {
    const logger = { error: log, warn: () => {}, info: () => {}, debug: () => {} } as unknown as Logger
    books = await startLiveBooks({ variables: { LIVE_RECHECK_SECONDS: 3_600, LIVE_READS: 4 }, above: [stuck], logger })
    const { config } = books.app
    Object.assign(config, { timeouts: { ...config.timeouts, request: 5_000 } })
  })
  beforeEach(async () => {
    isStuck = false
    await books.reset()
    logged.length = 0
  })
  after(() => books.close())

  /** Opens streams of different collections, whose reads get stuck after a change. */
  async function openStuck(count: number): Promise<void> {
    for (let size = 1; size <= count; size++)
      await books.next(await books.open(`/shelves?fields[shelves]=${'name,'.repeat(size)}name`))
    isStuck = true
  }

  it('does not delay the events of others if fewer reads than LIVE_READS do not end', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    await openStuck(3)
    await books.run(`update shelves set name = 'three' where id = 1`)
    for (const title of ['A2', 'A3']) {
      await books.run(`update books set title = '${title}' where id = 1`)
      const changedAt = books.clock.now()
      expect(titles(await books.next(stream))).to.deep.equal(['changed', `1 ${title}`])
      expect((books.written.at(-1)?.at ?? Number.NaN) - changedAt).to.be.at.most(3 * interval)
    }
    expect(logged).to.deep.equal([])
  })

  it('delays the events of others for the time limit of a request if as many reads as LIVE_READS do not end', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    await openStuck(4)
    await books.run(`update shelves set name = 'three' where id = 1`)
    await books.pass(3 * interval)
    await books.run(`update books set title = 'A2' where id = 1`)
    const changedAt = books.clock.now()
    expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A2'])
    const { request: limit } = books.app.config.timeouts
    expect((books.written.at(-1)?.at ?? Number.NaN) - changedAt).to.be.within(limit - 3 * interval, 2 * limit)
    const message = '/shelves The read of a live collection does not end; its streams get no events.'
    expect(logged.filter((line) => line === message)).to.have.length(4)
  })
})
