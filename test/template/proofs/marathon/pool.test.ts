import { expect } from 'chai'
import pg from 'pg'
import { eventually } from '#test/support/eventually.ts'
import { startService } from '#test/template/support/catalogue-service.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { createLoadClient, type LoadResult, percentile } from '#test/template/support/load-client.ts'
import { openPersistentDatabase, type PersistentDatabase } from '#test/template/support/persistent-database.ts'
import type { Service } from '#test/template/support/service.ts'

// Only a server has several connections; test/template/process/database.test.ts tests the embedded database.

describeIf(hasServer)('Exhausted connection pool', () => {
  let database: PersistentDatabase
  let service: Service
  let other: pg.Client
  before(async () => {
    database = await openPersistentDatabase()
    const limits = { DATABASE_POOL_SIZE: '2', DATABASE_WAIT_TIMEOUT: '1', STATEMENT_TIMEOUT: '30' }
    service = await startService({ ...database.env, ...limits })
    other = new pg.Client({ connectionString: database.env.DATABASE_URL })
    await other.connect()
  })
  after(async () => {
    await other.end()
    await service.kill('SIGTERM')
    await database.close()
  })

  it('returns 503 after DATABASE_WAIT_TIMEOUT, and serves requests when connections are free again', async () => {
    const { send, close } = createLoadClient(service.client.url, 50)
    await other.query('begin')
    await other.query('lock table artists in access exclusive mode')
    const holding = [send('/artists/1?include='), send('/artists/2?include=')]
    await untilWaiting(other, 2)
    const waiting: LoadResult[] = await Promise.all(Array.from({ length: 40 }, () => send('/genres')))
    expect(new Set(waiting.map(({ status }) => status))).to.deep.equal(new Set([503]))
    expect(new Set(waiting.map(({ retryAfter }) => retryAfter))).to.deep.equal(new Set(['5']))
    expect(percentile(waiting, 100)).to.be.within(900, 3_000)
    expect((await fetch(`${service.client.url}/live`)).status).to.equal(200)
    await other.query('rollback')
    expect((await Promise.all(holding)).map(({ status }) => status)).to.deep.equal([200, 200])
    expect((await send('/genres')).status).to.equal(200)
    close()
  })
})

/** Resolves when this many sessions wait for the lock. */
async function untilWaiting(client: pg.Client, count: number): Promise<void> {
  const waiting = `select count(*)::int as count from pg_locks where not granted and relation = 'artists'::regclass`
  await eventually(async () => (await client.query(waiting)).rows[0].count >= count)
}
