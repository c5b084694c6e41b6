import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { expect } from 'chai'
import { Artist } from '#resources/artists/entity.ts'
import { createStore } from '#store'
import { openDatabase } from '#store/connection/open.ts'
import { openServerPool } from '#store/connection/open-server-pool.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import { StartupError } from '#store/connection/startup-error.ts'
import type { Database } from '#store/connection/types.ts'
import type { Pool } from '#store/driver/index.ts'
import { poolExhaustedMessage } from '#store/errors/sql-state.ts'
import { createFifoQueue } from '#store/fifo-queue.ts'
import { markDirty } from '#test/support/app.ts'
import { testDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { expectSuccess, runNode } from '#test/template/support/run-node.ts'
import { freePort } from '../../../scripts/support/free-port.ts'

const noSchema = { entities: [], migrations: [] }

describe('database', () => {
  it('sets the time zone of the session to UTC', async () => {
    const [row] = await (await testDatabase()).orm.em.fork().execute('show timezone')
    expect(Object.values(row ?? {})).to.deep.equal(['UTC'])
  })

  it('raises a foreign key violation when an artist with albums is deleted', async () => {
    const { orm } = await testDatabase()
    markDirty() // a rollback does not reset the sequences
    const attempt = orm.em.fork().transactional(async (em) => {
      const id = await em.insert(Artist, { name: 'Referred', slug: 'referred' })
      await em.execute('insert into albums (title, artist_id) values (?, ?)', ['Reference', id])
      await em.nativeDelete(Artist, { id })
    })
    expect(await attempt.catch((error) => error.code)).to.equal('23503')
  })

  it('throws a StartupError without the password when the server is unreachable', async () => {
    const databaseUrl = `postgres://ada:s3cret@127.0.0.1:${await freePort()}/music`
    const error = await failure(openDatabase({ ...noSchema, databaseUrl, dataDir: null }))
    expect(error).to.be.instanceOf(StartupError)
    expect(error.message).to.match(/^PostgreSQL at 127\.0\.0\.1:\d+ \(database "music"\) cannot be used: .+\.$/)
    expect(error.message).to.contain('ECONNREFUSED')
    expect(error.message).not.to.contain('s3cret')
  })
})

describe('embedded database', () => {
  before(function () {
    if (process.env.DATABASE_URL) this.skip()
  })

  it('has 16 MB of shared buffers', async () => {
    const [row] = await (await testDatabase()).orm.em.fork().execute('show shared_buffers')
    expect(row).to.deep.equal({ shared_buffers: '16MB' })
  })
})

describe('database on a server', () => {
  before(function () {
    if (!process.env.DATABASE_URL) this.skip() // PGlite has no statement_timeout
  })

  it('sets statement_timeout to ten seconds', async () => {
    const { orm } = await testDatabase()
    const [row] = await orm.em.fork().execute('show statement_timeout')
    expect(row).to.deep.equal({ statement_timeout: '10s' })
  })

  describe('socket time-out', () => {
    let pool: Pool

    before(function () {
      if (process.env.DATABASE_POOLER) this.skip() // a pooler does not close the connection of a client that is gone
    })
    beforeEach(async () => {
      const { url } = await testDatabase()
      const limits = { ...defaultLimits, connections: 1 }
      pool = await openServerPool({ connectionString: url as string, limits, session: null, socketTimeout: 100 })
    })
    afterEach(() => pool.end())

    const sleep = (seconds: number) => `select pg_sleep(${seconds})::text as slept`
    const expectClosed = async () => {
      const error = await failure(pool.query(sleep(60), []))
      expect(error.message).to.equal('Connection terminated unexpectedly')
    }

    it('closes a connection whose server is silent during a statement', async () => {
      await expectClosed()
      // The server of a busy machine may be silent for longer during the next statement, too.
      const rows = await eventually(() => pool.query('select 1 as one', []).catch(() => null))
      expect(rows).to.deep.equal([{ one: 1 }])
    })

    it('is disabled for a migration, and restored when its connection is released', async () => {
      const session = await pool.connect()
      session.disableLimit('socket time-out')
      expect((await session.query(sleep(0.3))).rows).to.have.length(1)
      session.release()
      expect(pool.state).to.deep.equal({ total: 1, idle: 1, waiting: 0 })
      await expectClosed()
    })
  })
})

describe('embedded database on disk', () => {
  let dataDir: string
  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'data-'))
  })
  const open = () => openDatabase({ ...noSchema, databaseUrl: null, dataDir })
  after(() => rmSync(dataDir, { recursive: true }))

  it('recovers from an interrupted first start, keeps its rows, and unlocks the directory when closed', async () => {
    writeFileSync(join(dataDir, 'unfinished'), '')
    await use(await open(), 'create table kept as select 1 as id')
    expect(existsSync(join(dataDir, 'lock'))).to.equal(false)
    const rows = await use(await open(), 'select id from kept')
    expect(rows).to.deep.equal([{ id: 1 }])
  })

  it('needs at most 330 MB for the first start', async () => {
    // On Linux, maxRSS of a new process begins with the memory of its parent; VmHWM does not.
    const program = `
      import { existsSync, readFileSync } from 'node:fs'
      import { openDatabase } from '#store/connection/open.ts'
      const database = await openDatabase({ entities: [], migrations: [], databaseUrl: null, dataDir: process.argv[1] })
      await database.close()
      const status = '/proc/self/status'
      const isLinux = existsSync(status)
      console.log(isLinux ? /VmHWM:\\s*(\\d+)/.exec(readFileSync(status, 'utf8'))[1] : process.resourceUsage().maxRSS)`
    const args = ['--input-type=module', '--eval', program, join(dataDir, 'first')]
    const { stdout } = expectSuccess(await runNode(args))
    expect(Number(stdout) / 1024)
      .to.be.above(50)
      .and.below(330)
  })

  it('rejects with 503 when its connection is not free after the time-out', async () => {
    const databaseLimits = { ...defaultLimits, wait: 0.5 }
    const database = await openDatabase({ ...noSchema, databaseUrl: null, dataDir, databaseLimits })
    const store = createStore(database)
    const ask = () => store.read(({ em }) => (em as SqlEntityManager).execute('select 1 as one'))
    const [began, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = store.write(async ({ em }) => {
      await (em as SqlEntityManager).execute('select 1')
      began.resolve()
      await finished.promise
    })
    await began.promise
    expect(await failure(ask())).to.deep.include({ status: 503, headers: { 'Retry-After': '5' } })
    mock.timers.enable({ apis: ['setTimeout'] }) // the next one waits for as long as the commit takes
    const waiting = ask()
    finished.resolve()
    await holding
    expect(await waiting).to.deep.equal([{ one: 1 }])
    mock.timers.reset()
    await database.close()
  })
})

describe('FIFO queue', () => {
  afterEach(() => mock.timers.reset())

  it('serves requests in their order and rejects one that has waited for the time-out', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const { acquire, release } = createFifoQueue(5_000)
    const order: string[] = []
    const one = async (name: string) => {
      await acquire()
      order.push(name)
    }
    await one('first')
    const late = failure(one('late'))
    mock.timers.tick(5_000)
    expect(await late).to.have.property('message', poolExhaustedMessage)
    const others = [one('second'), one('third')]
    release()
    await others[0]
    release()
    await others[1]
    release()
    await one('fourth')
    expect(order).to.deep.equal(['first', 'second', 'third', 'fourth'])
  })
})

async function use(database: Database, sql: string): Promise<unknown> {
  try {
    return await database.orm.em.fork().execute(sql)
  } finally {
    await database.close()
  }
}

async function failure(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => new Error('It succeeded.'),
    (error: Error) => error,
  )
}
