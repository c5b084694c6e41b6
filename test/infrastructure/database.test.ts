import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { expect } from 'chai'
import { Artist } from '#resources/artists/entity.ts'
import { createStore } from '#store'
import { createFifoQueue } from '#store/connection/fifo-queue.ts'
import { openDatabase } from '#store/connection/open.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import { StartupError } from '#store/connection/startup-error.ts'
import type { Database } from '#store/connection/types.ts'
import { poolExhausted } from '#store/errors/sql-errors.ts'
import { markDirty } from '#test/support/app.ts'
import { testDatabase } from '#test/support/database.ts'

const nothing = { entities: [], migrations: [] }

describe('database', () => {
  it('works in UTC', async () => {
    const [row] = await (await testDatabase()).orm.em.fork().execute('show timezone')
    expect(Object.values(row ?? {})).to.deep.equal(['UTC'])
  })

  it('refuses to delete an artist with albums', async () => {
    const { orm } = await testDatabase()
    markDirty() // what is rolled back has used numbers of the sequences
    const attempt = orm.em.fork().transactional(async (em) => {
      const id = await em.insert(Artist, { name: 'Referred', slug: 'referred' })
      await em.execute('insert into albums (title, artist_id) values (?, ?)', ['Reference', id])
      await em.nativeDelete(Artist, { id })
    })
    expect(await attempt.catch((error) => error.code)).to.equal('23503')
  })

  it('says in a sentence that a server cannot be reached, without the password', async () => {
    const error = await failure(openDatabase({ ...nothing, databaseUrl: await refusingUrl(), dataDir: null }))
    expect(error).to.be.instanceOf(StartupError)
    expect(error.message).to.match(/^PostgreSQL at 127\.0\.0\.1:\d+ \(database "music"\) cannot be used: .+\.$/)
    expect(error.message).to.contain('ECONNREFUSED')
    expect(error.message).not.to.contain('s3cret')
  })
})

// PGlite knows no time-out.
if (process.env.DATABASE_URL) {
  describe('database on a server', () => {
    it('gives a statement ten seconds', async () => {
      const { orm } = await testDatabase()
      const [row] = await orm.em.fork().execute('show statement_timeout')
      expect(row).to.deep.equal({ statement_timeout: '10s' })
    })
  })
}

describe('embedded database on disk', () => {
  let dataDir: string
  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'data-'))
  })
  const open = () => openDatabase({ ...nothing, databaseUrl: null, dataDir })
  after(() => rmSync(dataDir, { recursive: true }))

  it('starts anew after an interrupted first start, keeps its rows, and frees the directory when closed', async () => {
    writeFileSync(join(dataDir, 'unfinished'), '')
    await use(await open(), 'create table kept as select 1 as id')
    expect(existsSync(join(dataDir, 'lock'))).to.equal(false)
    const rows = await use(await open(), 'select id from kept')
    expect(rows).to.deep.equal([{ id: 1 }])
  })

  it('lets nobody wait for its connection longer than it is told', async () => {
    const databaseLimits = { ...defaultLimits, wait: 0.2 }
    const database = await openDatabase({ ...nothing, databaseUrl: null, dataDir, databaseLimits })
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
    const waiting = ask()
    finished.resolve()
    await holding
    expect(await waiting).to.deep.equal([{ one: 1 }])
    await database.close()
  })
})

describe('turns', () => {
  it('are given in the order in which they were asked for, but for those who have gone', async () => {
    const { acquire, release } = createFifoQueue(50)
    const order: string[] = []
    const one = async (name: string) => {
      await acquire()
      order.push(name)
    }
    await one('first')
    expect(await failure(one('patient'))).to.have.property('message', poolExhausted)
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

/** A port that was free a moment ago. */
async function refusingUrl(): Promise<string> {
  const probe = createServer()
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening))
  const { port } = probe.address() as { port: number }
  await new Promise((closed) => probe.close(closed))
  return `postgres://ada:s3cret@127.0.0.1:${port}/music`
}

async function failure(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => new Error('It succeeded.'),
    (error: Error) => error,
  )
}
