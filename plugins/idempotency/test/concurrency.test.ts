import type { SqlEntityManager } from '@mikro-orm/sql'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { add, atomicHeaders } from '#test/support/batch.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { eventually } from '#test/support/eventually.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { hasServer } from '#test/template/support/describe-if.ts'
import { expectReplay, keyed, query, shelf } from '#test/template/support/idempotency-keys.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

const fifty = Array.from({ length: 50 }, (_, index) => index)

describe('Concurrent requests with one idempotency key', () => {
  /** Called inside the transaction of every write. */
  let inTransaction: () => Promise<void> = async () => {}
  const pausing: Plugin = {
    name: 'pausing',
    plan: addSteps({
      beforeSave: () => inTransaction(),
    }),
  }
  let library: TestApp
  let second: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary({ plugins: [...plugins, pausing] })
    second = await startLibrary()
    client = library.client
  })
  beforeEach(async () => {
    inTransaction = async () => {}
    await fillLibrary()
  })
  after(async () => {
    await library.close()
    await second.close()
    await emptyLibrary()
  })

  const sends: readonly [
    string,
    (client: Client, headers: Record<string, string>) => Promise<ClientResponse>,
    number,
  ][] = [
    ['POST', (to, headers) => to.post('/shelves', shelf('Prose'), headers), 201],
    ['PATCH', (to, headers) => to.patch('/shelves/1', shelf('Prose', '1'), headers), 200],
    [
      'POST of a relationship',
      (to, headers) => to.post('/books/3/relationships/tags', { data: [{ type: 'tags', id: redTag }] }, headers),
      200,
    ],
    [
      'a batch',
      (to, headers) =>
        to.post(
          '/operations',
          { 'atomic:operations': [add('shelves', { name: 'Prose' }), add('shelves', { name: 'Prose' })] },
          { ...atomicHeaders, ...headers },
        ),
      200,
    ],
  ]
  for (const [name, send, status] of sends) {
    it(`have one effect when ${name} is sent 50 times: the others get its response or 409`, async () => {
      const key = keyed()
      const responses = await Promise.all(fifty.map((index) => send(index % 2 ? client : second.client, key)))
      const first = responses.find(({ headers, status: got }) => got === status && !headers.has('idempotency-replayed'))
      expect(first, 'the response of the effect').not.to.equal(undefined)
      for (const response of responses) if (response !== first) expectReplayOrInUse(response, first as ClientResponse)
      expectReplay(await send(client, key), first as ClientResponse)
      const [row] = await query(`select count(*)::int as count from shelves where name = 'Prose'`)
      expect(row?.count).to.equal({ POST: 1, PATCH: 1, 'a batch': 2 }[name] ?? 0)
    })
  }

  it('get 409 with Retry-After at once while the first is not answered, without a connection', async () => {
    const { first, release, key } = await sendAndPause()
    let twins: readonly ClientResponse[] = []
    const statements = await statementsOf(async () => {
      twins = await Promise.all(fifty.map(() => client.post('/shelves', shelf('Prose'), key)))
    })
    expect(statements).to.deep.equal([])
    expect(twins).to.have.length(fifty.length)
    for (const { status, headers, body } of twins) {
      expect([status, headers.get('retry-after')]).to.deep.equal([409, '1'])
      expect(body.errors[0]).to.include({ code: 'IDEMPOTENCY_KEY_IN_USE', title: 'Idempotency key is in use' })
      expect(body.errors[0].source).to.deep.equal({ header: 'Idempotency-Key' })
    }
    release()
    expectReplay(await answered(first, () => client.post('/shelves', shelf('Prose'), key)), await first)
  })

  it('get 409 at once while another process works on the first (needs a server: the embedded database has one process)', async function () {
    if (!hasServer) this.skip() // the embedded database has one process
    const { first, release, key } = await sendAndPause()
    const { status, headers } = await second.client.post('/shelves', shelf('Prose'), key)
    expect([status, headers.get('retry-after')]).to.deep.equal([409, '1'])
    release()
    expectReplay(await answered(first, () => second.client.post('/shelves', shelf('Prose'), key)), await first)
  })

  it('get 409, which is not stored, when another process takes the key before a transaction is retried (needs a server)', async function () {
    if (!hasServer) this.skip() // the embedded database has one process
    const key = keyed()
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
    const other = (await libraryDatabase()).orm.em.fork() as SqlEntityManager
    await other.begin()
    let taken: Promise<unknown> | null = null
    inTransaction = async () => {
      if (taken) return
      const [lock] = await other.execute(`select (classid::bigint << 32 | objid::bigint)::text as key from pg_locks
        join pg_database on pg_database.oid = database where locktype = 'advisory' and datname = current_database()`)
      taken = other.execute('select pg_advisory_xact_lock(?::bigint)', [lock?.key])
      // It waits for the end of the transaction, and has the lock before the transaction is retried.
      await eventually(async () => (await query(waiting)).length > 0)
      throw Object.assign(new Error('Run it again'), { code: '40001' })
    }
    const { status, body } = await client.post('/shelves', shelf('Prose'), key)
    await taken
    await other.rollback()
    expect([status, body.errors[0].code]).to.deep.equal([409, 'IDEMPOTENCY_KEY_IN_USE'])
    expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(201)
  })

  it('run again after the first has failed with 500', async () => {
    const key = keyed()
    inTransaction = () => Promise.reject(new Error('broken'))
    expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(500)
    inTransaction = async () => {}
    expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(201)
  })

  /** Sends a request that stays inside its transaction until it is released. */
  async function sendAndPause() {
    const key = keyed()
    const entered = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    inTransaction = () => {
      entered.resolve()
      return released.promise
    }
    const first = client.post('/shelves', shelf('Prose'), key)
    await entered.promise
    return { first, key, release: () => released.resolve() }
  }

  async function answered<T>(first: Promise<unknown>, send: () => Promise<T>): Promise<T> {
    await first
    return send()
  }
})

function expectReplayOrInUse(response: ClientResponse, first: ClientResponse): void {
  if (response.status === 409) expect(response.body.errors[0].code).to.equal('IDEMPOTENCY_KEY_IN_USE')
  else expectReplay(response, first)
}
