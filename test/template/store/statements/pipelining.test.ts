import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createDeadlines } from '#app/http/deadline.ts'
import { openServerPool, sessionStatement } from '#store/connection/open-server-pool.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { Connection, Pool } from '#store/driver/index.ts'
import { type ManualClock, manualClock } from '#test/support/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

// The embedded database has one connection; behind a connection pooler nothing is prepared.
describe('Pipelined connection pool', () => {
  let database: TestDatabase
  let blocker: Connection
  let clock: ManualClock
  let pool: Pool
  let text: string

  before(async function () {
    if (!process.env.DATABASE_URL || process.env.DATABASE_POOLER) this.skip()
    database = await openTestDatabase({ entities: [], migrations: [] })
  })
  beforeEach(async () => {
    clock = manualClock()
    // Waits until the blocker releases its lock, and returns the connection on which it ran.
    text = `select pg_backend_pid() as pid, pg_advisory_xact_lock_shared(1), $1::int as value, '${randomUUID()}' as id`
    blocker = (await database.connect?.()) as Connection
  })
  afterEach(async () => {
    blocker.release(true)
    await pool?.end()
  })
  after(() => database?.close())

  const open = async (connections: number, url = database.databaseUrl as string) => {
    const limits = { ...defaultLimits, connections }
    const options = { connectionString: url, limits, session: sessionStatement(limits), socketTimeout: 60_000 }
    pool = await openServerPool(options, clock)
  }
  /** Opens a pool on which the statement is prepared. */
  const openPrepared = async (connections: number) => {
    await open(connections)
    for (let time = 0; time < 4; time++) await query(0)
  }
  const query = async (value: number, on: Pool = pool) =>
    (await on.query(text, [value]))[0] as { pid: number; value: number }
  const block = () => blocker.query('select pg_advisory_lock(1)')
  const unblock = () => blocker.query('select pg_advisory_unlock(1)')
  const waiting = async () => {
    const sql = `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return (await blocker.query(sql)).rows[0]?.count as number
  }
  /** Runs the statements at the same time and returns how many ran on each connection. */
  const sharing = async (count: number, connections: number) => {
    await block()
    const answers = Array.from({ length: count }, (_, value) => query(value))
    await eventually(async () => (await waiting()) === connections)
    await unblock()
    const results = await Promise.all(answers)
    expect(results.map(({ value }) => value)).to.deep.equal(Array.from(answers, (_, value) => value))
    return [...Map.groupBy(results, ({ pid }) => pid).values()].map(({ length }) => length).sort()
  }

  it('gives each execution of a statement that is not prepared its own connection', async () => {
    await open(4)
    expect(await sharing(2, 2)).to.deep.equal([1, 1])
  })

  it('shares half of the connections among prepared statements, evenly', async () => {
    await openPrepared(4)
    expect(await sharing(5, 2)).to.deep.equal([2, 3])
  })

  it('pipelines at most 16 statements on a connection; further ones get their own', async () => {
    await openPrepared(2)
    expect(await sharing(17, 2)).to.deep.equal([1, 16])
  })

  it('gives statements their own connections while the average execution time exceeds 50 ms', async () => {
    await openPrepared(2)
    await block()
    const slow = query(1)
    await eventually(async () => (await waiting()) === 1)
    clock.skip(1_000)
    await unblock()
    await slow
    expect(await sharing(2, 2)).to.deep.equal([1, 1])
  })

  it('pipelines no statement behind one that has run for more than 50 ms', async () => {
    await openPrepared(2)
    await block()
    const first = query(1)
    await eventually(async () => (await waiting()) === 1)
    clock.skip(51)
    const second = query(2)
    await eventually(async () => (await waiting()) === 2)
    await unblock()
    expect((await first).pid).not.to.equal((await second).pid)
  })

  it('keeps a pipelined connection while it is used and releases it after 20 ms without use', async () => {
    await openPrepared(2)
    const { pid } = await query(1)
    clock.advance(10)
    expect((await query(2)).pid).to.equal(pid)
    expect(pool.state).to.deep.equal({ total: 1, idle: 1, waiting: 0 })
    clock.advance(21)
    const session = await pool.connect()
    expect((await session.query(text, [3])).rows[0]?.pid).to.equal(pid)
    session.release()
  })

  it('gives an unused pipelined connection to a request that waits for one', async () => {
    await openPrepared(1)
    const { pid } = await query(1)
    const session = await pool.connect()
    expect((await session.query(text, [2])).rows[0]?.pid).to.equal(pid)
    session.release()
  })

  it('pipelines no statement while a request waits for a connection', async () => {
    await openPrepared(2)
    await block()
    const first = query(1)
    const taken = await pool.connect()
    const order: string[] = []
    const transaction = pool.connect().then((session) => {
      order.push('transaction')
      session.release()
    })
    const second = query(2).then(() => order.push('read'))
    await unblock()
    await Promise.all([first, transaction, second])
    taken.release()
    expect(order).to.deep.equal(['transaction', 'read'])
  })

  it('rejects all statements of a lost connection and opens another one for the next', async () => {
    await openPrepared(2)
    const { pid } = await query(0)
    await block()
    const answers = [query(1), query(2)].map((answer) => answer.catch((error: Error) => error.message))
    await eventually(async () => (await waiting()) === 1)
    await blocker.query('select pg_terminate_backend($1)', [pid])
    for (const answer of answers) expect(await answer).to.match(/terminat/)
    await unblock()
    expect((await query(3)).pid).not.to.equal(pid)
  })

  it('does not use a connection that was lost while it was idle', async () => {
    await openPrepared(2)
    const { pid } = await query(0)
    await blocker.query('select pg_terminate_backend($1)', [pid])
    await eventually(async () => pool.state.total === 0)
    expect((await query(1)).pid).not.to.equal(pid)
  })

  it('rejects if no connection can be opened, and tries again for the next statement', async () => {
    await openPrepared(2)
    await pool.end()
    await open(2, 'postgres://postgres@127.0.0.1:1/none')
    for (const value of [1, 2]) {
      expect(await query(value).catch(({ code }) => code)).to.equal('ECONNREFUSED')
    }
  })

  it('closes pipelined connections after their last answer when the pool ends', async () => {
    await openPrepared(4)
    await block()
    const answer = query(1)
    await eventually(async () => (await waiting()) === 1)
    const ended = pool.end()
    await unblock()
    expect((await answer).value).to.equal(1)
    await ended
    expect(pool.state.total).to.equal(0)
    await open(1)
  })

  describe('at the deadline of a request', () => {
    const limit = 30_000
    const startDeadline = () => createDeadlines(limit, clock)({ headersSent: false })
    /** The clock of the deadlines moves, but the pool's own clock does not: all statements look fast. */
    const openWithoutTime = async () => {
      const moving = clock
      clock = manualClock()
      await openPrepared(2)
      clock = moving
    }

    it('cancels no statement on a connection that requests share: both answers arrive', async () => {
      await openWithoutTime()
      await block()
      const answers = [1, 2].map((value) => pool.query(text, [value], startDeadline()))
      await eventually(async () => (await waiting()) === 1)
      clock.advance(limit)
      await unblock()
      const [first, second] = (await Promise.all(answers)).map(([row]) => row)
      expect([first?.value, second?.value]).to.deep.equal([1, 2])
      expect(first?.pid).to.equal(second?.pid)
    })

    it('cancels the statement on a connection for exclusive use', async () => {
      await open(2)
      await block()
      const code = pool.query(text, [1], startDeadline()).catch((error) => error.code)
      await eventually(async () => (await waiting()) === 1)
      clock.advance(limit)
      expect(await code).to.equal('57014')
      await unblock()
      expect((await query(2)).value).to.equal(2)
    })
  })
})
