import { expect } from 'chai'
import { currentContext, type Plugin } from '#kernel/plugin'
import { isIn } from '#kernel/queries'
import { as } from '#test/support/principals.ts'
import { type LiveBooks, startLiveBooks, titles } from '#test/template/support/live-books.ts'

describe('The reads of a live collection', () => {
  /** The address of the next request. */
  let address: string | null = null
  /** The milliseconds that a read of books takes. */
  let duration = 0
  /** The principals of the operation and of the current request in the scope of each read. */
  const reads: (string | undefined)[][] = []
  /** The cookie with the WAL position of the last write of the client, as each read has it. */
  const cookies: (string | undefined)[] = []
  let books: LiveBooks

  const observing: Plugin = {
    name: 'observing',
    middleware: () => (ctx, next) => {
      if (address) ctx.request.ip = address
      return next()
    },
    planType({ scope }) {
      scope.push({
        of: 'addressed',
        condition({ name }, { principal, request }) {
          if (name !== 'books') return undefined
          books.clock.skip(duration)
          reads.push([principal?.identifier, currentContext()?.state.principal?.identifier])
          cookies.push(request?.ctx.cookies.get('written'))
          return request?.ctx.ip === '192.0.2.1' ? isIn('title', ['A']) : undefined
        },
      })
    },
  }

  before(async () => {
    books = await startLiveBooks({ above: [observing] })
  })
  beforeEach(async () => {
    address = null
    duration = 0
    await books.reset()
    reads.length = 0
    cookies.length = 0
  })
  after(() => books.close())

  it('run in the context of their own request, not of the one that has opened the first stream', async () => {
    const [first, second] = [await books.open('/books'), await books.open('/books', as('eve'))]
    for (const stream of [first, second]) await books.next(stream)
    reads.length = 0
    await books.run(`update books set title = title || '!'`)
    for (const stream of [first, second]) await books.next(stream)
    expect(reads.map(([principal]) => principal)).to.include.members(['ada', 'eve'])
    for (const [principal, current] of reads) expect(current).to.equal(principal)
  })

  it('are separate for two addresses of a principal, because functions of authors may read the address', async () => {
    const seen: unknown[] = []
    for (const from of ['192.0.2.1', '192.0.2.2']) {
      address = from
      seen.push(titles(await books.next(await books.open('/books'))))
    }
    expect(seen).to.deep.equal([
      ['snapshot', '1 A'],
      ['snapshot', '1 A', '2 B'],
    ])
  })

  const cases = [
    {
      title: 'one if the headers of tracing and proxies differ',
      names: ['x-amzn-trace-id', 'cf-ray', 'x-b3-traceid'],
      count: 1,
    },
    { title: 'one for each stream if another header differs', names: ['x-tenant'], count: 2 },
  ]
  for (const { title, names, count } of cases)
    it(`are ${title}`, async () => {
      const open = (value: string) =>
        books.open('/books', { ...as('ada'), ...Object.fromEntries(names.map((name) => [name, value])) })
      const streams = [await open('1'), await open('2')]
      for (const stream of streams) await books.next(stream)
      await books.pass(2_000) // the changes before the streams are read
      reads.length = 0
      await books.run(`update books set title = 'A2' where id = 1`)
      for (const stream of streams) expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A2'])
      expect(reads).to.have.length(count)
    })

  for (const [milliseconds, pause] of [
    [200, 20_000],
    [5_000, 100_000],
  ] as const)
    it(`of ${milliseconds} ms without a change have pauses of ${pause / 1000} seconds`, async () => {
      duration = milliseconds
      await books.next(await books.open('/books'))
      await books.pass(3_000) // the changes before the stream are read
      reads.length = 0
      books.clock.skip(0.65 * pause)
      await books.pass(500)
      expect(reads).to.deep.equal([])
      books.clock.skip(0.4 * pause)
      await books.pass(500)
      expect(reads).to.have.length(1)
    })

  it('require the WAL position of their changes with replicas, and have the cookies of the client without', async () => {
    const cookie = { ...as('ada'), cookie: 'written=7' }
    await books.next(await books.open('/books', cookie))
    expect(new Set(cookies)).to.deep.equal(new Set(['7']))
    await books.reset()
    Object.assign(books.app.store, { replicas: () => [] })
    try {
      const stream = await books.open('/books', cookie)
      await books.next(stream)
      await books.pass(2_000) // the changes before the stream are read
      const [row] = await books.app.store.query(`select (pg_current_wal_insert_lsn() - '0/0')::text as position`)
      await books.run(`update books set title = 'A2' where id = 1`)
      expect(titles(await books.next(stream))).to.deep.equal(['changed', '1 A2'])
      expect(BigInt(cookies.at(-1) ?? 0) > BigInt(row?.position as string)).to.equal(true)
    } finally {
      Reflect.deleteProperty(books.app.store, 'replicas')
    }
  })

  it('are no statements of the request that has opened a stream; the polls belong to no request', async () => {
    const stream = await books.open('/books')
    await books.next(stream)
    const contexts = new Map<string, boolean>()
    const stop = books.app.store.observe?.({
      onStatement({ sql }) {
        if (sql.includes('change_log') && sql.includes('sequence')) contexts.set(sql, currentContext() !== undefined)
        return undefined
      },
    })
    await books.run(`update books set title = 'A2' where id = 1`)
    await books.next(stream)
    stop?.()
    expect([...contexts.values()])
      .to.include(false)
      .and.not.to.include(true)
  })
})
