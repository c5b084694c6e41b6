import { expect } from 'chai'
import { readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import { type App, addSteps, type Operation, type Plugin } from '#kernel/plugin'
import { openDatabase } from '#store/connection/open.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { Database } from '#store/connection/types.ts'
import type { Connection } from '#store/driver/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { add, sendBatch } from '#test/support/batch.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { type ManualClock, manualClock } from '#test/support/clock.ts'
import { eventually } from '#test/support/eventually.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

const limit = 30_000
const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
const names = async () => (await execute('select name from shelves order by id')).map(({ name }) => name)
const shelf = (name: string, id?: string) => ({ data: { type: 'shelves', ...(id && { id }), attributes: { name } } })

describe('The deadline of a request', () => {
  let clock: ManualClock
  let library: TestApp | undefined
  let client: Client

  beforeEach(async () => {
    clock = manualClock()
    await fillLibrary()
  })
  afterEach(async () => {
    await library?.close()
    library = undefined
  })
  after(emptyLibrary)

  const start = async (hooks: Omit<Plugin, 'name'> = {}, deadline = limit, database?: Database): Promise<App> => {
    const { limits } = readConfig({ NODE_ENV: 'test' })
    library = await startLibrary({
      plugins: [...plugins, { name: 'hooks', ...hooks }],
      config: { limits: { ...limits, deadline } },
      clock,
      ...(database && { database }),
    })
    client = library.client
    return library.app
  }
  const expectLate = ({ status, headers, body }: ClientResponse) => {
    expect(status).to.equal(503)
    expect(headers.get('retry-after')).to.equal('5')
    expect(body.errors).to.deep.equal([{ status: '503', title: 'Server Error', detail: '' }])
  }

  it('returns 503 with Retry-After when a hook does not finish in time', async () => {
    const { reached, release, wait } = gate()
    await start({ plan: addSteps({ begin: ({ target }) => (target ? wait() : undefined) }) })
    const answer = client.get('/shelves')
    await reached
    clock.advance(limit)
    expectLate(await answer)
    release()
  })

  it('does not expire while time is left', async () => {
    const { reached, release, wait } = gate()
    await start({ plan: addSteps({ begin: ({ target }) => (target ? wait() : undefined) }) })
    const answer = client.get('/shelves')
    await reached
    clock.advance(limit - 1)
    release()
    expect((await answer).status).to.equal(200)
  })

  it('does not apply when it is 0', async () => {
    const { reached, release, wait } = gate()
    await start({ plan: addSteps({ begin: ({ target }) => (target ? wait() : undefined) }) }, 0)
    const answer = client.get('/shelves')
    await reached
    clock.advance(10 * limit)
    release()
    expect((await answer).status).to.equal(200)
  })

  it('does not apply to a program that dispatches an operation itself', async () => {
    const app = await start({
      plan: addSteps({
        beforeSave: async () => clock.advance(10 * limit),
      }),
    })
    const response = await app.dispatch({ kind: 'Create', type: 'shelves', attributes: { name: 'Drama' } })
    expect(response.status).to.equal(201)
  })

  it('does not affect other requests that have time left', async () => {
    const first = gate()
    const second = gate()
    const gates = [first, second]
    await start({ plan: addSteps({ begin: ({ target }) => (target ? gates.shift()?.wait() : undefined) }) })
    const early = client.get('/shelves')
    await first.reached
    clock.advance(limit / 2)
    const late = client.get('/shelves')
    await second.reached
    clock.advance(limit / 2)
    expectLate(await early)
    second.release()
    first.release()
    expect((await late).status).to.equal(200)
  })

  it('returns 503 at the next statement when time has passed without a tick of the timer', async () => {
    await start({ plan: addSteps({ begin: ({ target }) => (target ? clock.skip(limit) : undefined) }) })
    expectLate(await client.get('/shelves'))
  })

  describe('in a write', () => {
    it('rolls back the transaction and releases its connection when a hook does not finish', async () => {
      const { reached, release, wait } = gate()
      await start({
        plan: addSteps({
          afterSave: wait as never,
        }),
      })
      const answer = client.post('/shelves', shelf('Drama'))
      await reached
      clock.advance(limit)
      expectLate(await answer)
      expect(await names()).to.deep.equal(['Fiction', 'Poetry'])
      release()
    })

    it('refuses the statements of a hook that continues after the deadline', async () => {
      const { reached, release, wait } = gate()
      const { promise: outcome, resolve } = Promise.withResolvers<unknown>()
      await start({
        plan: addSteps({
          async beforeSave(operation) {
            await wait()
            resolve(await writeLater(operation).catch((error: unknown) => error))
          },
        }),
      })
      const answer = client.patch('/shelves/1', shelf('Drama', '1'))
      await reached
      clock.advance(limit)
      expectLate(await answer)
      await eventually(async () => (await names())[0] === 'Fiction') // the connection is free again
      release()
      expect(await outcome).to.be.an.instanceOf(Error)
      expect(await names()).to.deep.equal(['Fiction', 'Poetry'])
    })

    it('rolls back when time has passed before the commit', async () => {
      await start({
        plan: addSteps({
          async afterSave() {
            clock.skip(limit)
            return undefined
          },
        }),
      })
      expectLate(await client.post('/shelves', shelf('Drama')))
      expect(await names()).to.deep.equal(['Fiction', 'Poetry'])
    })

    it('does not apply after the commit', async () => {
      const { reached, release, wait } = gate()
      await start({
        plan: addSteps({
          afterCommit: wait as never,
        }),
      })
      const answer = client.post('/shelves', shelf('Drama'))
      await reached
      clock.advance(limit)
      release()
      expect((await answer).status).to.equal(201)
      expect(await names()).to.deep.equal(['Fiction', 'Poetry', 'Drama'])
    })

    it('ends the retries of serialization failures', async () => {
      let attempts = 0
      await start({
        plan: addSteps({
          async beforeSave() {
            attempts++
            clock.skip(limit / 2)
            throw Object.assign(new Error('Serialization failure.'), { code: '40001' })
          },
        }),
      })
      expectLate(await client.post('/shelves', shelf('Drama')))
      expect(attempts).to.equal(2)
    })

    it('rolls back all operations of a batch', async () => {
      const { reached, release, wait } = gate()
      let saved = 0
      await start({
        plan: addSteps({
          async afterSave() {
            if (++saved === 2) await wait()
            return undefined
          },
        }),
      })
      const answer = sendBatch(client, [add('shelves', { name: 'Drama' }), add('shelves', { name: 'Essays' })])
      await reached
      clock.advance(limit)
      const { status, headers } = await answer
      expect(status).to.equal(503)
      expect(headers.get('retry-after')).to.equal('5')
      expect(await names()).to.deep.equal(['Fiction', 'Poetry'])
      release()
    })
  })

  describe('on a server', () => {
    let blocker: Connection | undefined

    before(function () {
      if (!process.env.DATABASE_URL) this.skip()
    })
    afterEach(async () => {
      await blocker?.query('rollback')
      blocker?.release()
      blocker = undefined
    })

    /** Holds a lock until the end of the test. */
    const block = async (sql: string) => {
      blocker = await (await libraryDatabase()).connect?.()
      await blocker?.query('begin')
      await blocker?.query(sql)
    }
    const waiting = async () => {
      const sql = `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      return (await execute(sql))[0]?.count as number
    }
    const isWaiting = async () => (await waiting()) === 1
    const isCancelled = async () => (await waiting()) === 0
    const unblock = async () => {
      await blocker?.query('rollback')
    }
    const update = (name: string) => client.patch('/shelves/1', shelf(name, '1'))

    it('cancels the statement of a transaction that waits for a lock', async () => {
      await start()
      await block('select * from shelves where id = 1 for update')
      const answer = update('Drama')
      await eventually(isWaiting)
      clock.advance(limit)
      expectLate(await answer)
      await eventually(isCancelled)
      await unblock()
      expect((await update('Essays')).status).to.equal(200)
      expect((await names())[0]).to.equal('Essays')
    })

    it('cancels an insert that is its own transaction', async () => {
      await start()
      await block('lock table shelves in share row exclusive mode')
      const answer = client.post('/shelves', shelf('Drama'))
      await eventually(isWaiting)
      clock.advance(limit)
      expect((await answer).status).to.equal(503)
      await eventually(isCancelled)
      await unblock()
      expect(await names()).to.deep.equal(['Fiction', 'Poetry'])
    })

    it('cancels a read on a connection for exclusive use', async () => {
      await start()
      await block('lock table shelves in access exclusive mode')
      const answer = client.get(`/shelves?sort=-name&fields[shelves]=name`)
      await eventually(isWaiting)
      clock.advance(limit)
      expectLate(await answer)
      await eventually(isCancelled)
    })

    it('returns 503 to one of two requests on a shared connection and 200 to the other, and cancels no statement', async function () {
      if (process.env.DATABASE_POOLER) this.skip() // nothing is prepared, so no connection is shared
      const { url, orm } = await libraryDatabase()
      // The pool measures time by a clock that stands still: prepared statements always share its one pipelined connection.
      const database = await openDatabase({
        databaseUrl: url as string,
        databaseLimits: { ...defaultLimits, connections: 2 },
        entities: orm.config.get('entities') as object[],
        migrations: [],
        dataDir: null,
        clock: manualClock(),
      })
      const results: Promise<unknown>[] = []
      const query: Database['query'] = (...parameters) => {
        const result = database.query?.(...parameters) as Promise<Record<string, unknown>[]>
        results.push(result)
        return result
      }
      try {
        await start({}, limit, { ...database, query })
        for (let time = 0; time < 5; time++) await client.get('/shelves/1')
        results.length = 0
        await block('lock table shelves in access exclusive mode')
        const early = client.get('/shelves/1')
        await eventually(isWaiting)
        clock.advance(limit / 2)
        const late = client.get('/shelves/2')
        await eventually(async () => results.length === 2)
        clock.advance(limit / 2)
        expectLate(await early)
        await unblock()
        expect((await late).status).to.equal(200)
        expect(await Promise.all(results)).to.have.length(2)
      } finally {
        await library?.close()
        library = undefined
        await database.close()
      }
    })

    const timeouts = async (work: () => Promise<unknown>) =>
      (await statementsOf(work)).flatMap(({ sql }) => /^set local statement_timeout to (\d+)$/.exec(sql)?.[1] ?? [])

    it('sets no statement_timeout while more time is left than a statement has', async () => {
      await start()
      expect(await timeouts(() => update('Drama'))).to.deep.equal([])
    })

    it('sets statement_timeout to the remaining time when a statement has more', async () => {
      const left = defaultLimits.statement * 1000 - 1
      await start({ plan: addSteps({ begin: ({ target }) => (target ? clock.skip(limit - left) : undefined) }) })
      expect(await timeouts(() => update('Drama'))).to.deep.equal([String(left)])
      expect((await names())[0]).to.equal('Drama')
    })
  })
})

async function writeLater({ context: { unit } }: Operation): Promise<void> {
  await unit.em.flush()
  await unit.em.nativeUpdate(Shelf, { id: 2 }, { name: 'Late' })
}

/** A hook that reports when it is reached, and waits until it is released. */
function gate() {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const wait = () => {
    reach()
    return released
  }
  return { reached, release, wait }
}
