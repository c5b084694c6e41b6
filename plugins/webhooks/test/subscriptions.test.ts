import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { as } from '#test/support/principals.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { deliverCommitted, lengthenPauses, recordedShelves } from '#test/template/support/recorded-library.ts'
import { openWebhookLibrary, secret, startWebhooks } from '#test/template/support/webhook-library.ts'

/** Those of an older release: without tags, and with fewer members. */
const olderBooks = defineResource(Book, {
  type: 'books',
  changes: true,
  fields: ({ id, string }) => [id(), string('title').required()],
})

describe('The changes of a subscription', () => {
  let database: Database
  let started: TestApp
  let receiver: Server
  let url: string
  let status = 204
  let received: string[] = []
  const run = (sql: string) => started.app.store.query(sql)
  const deliver = () => deliverCommitted(started.app)
  const insert = (title: string) => run(`insert into books (title) values ('${title}')`)
  const endPauses = () => run('update change_deliveries set due_at = now()')
  const states = async () =>
    (await run('select state, error from change_deliveries order by sequence')).map(
      ({ state, error }) => `${state}: ${error}`,
    )
  async function subscribe(types = ['books']): Promise<string> {
    const attributes = { url, types, events: ['created', 'updated'], secret }
    const document = { data: { type: 'webhook-subscriptions', attributes } }
    const { body } = await started.client.post('/admin/webhook-subscriptions', document, as('admin'))
    return body.data.id
  }
  async function setActive(id: string, active: boolean): Promise<void> {
    const data = { type: 'webhook-subscriptions', id, attributes: { active } }
    const changed = await started.client.patch(`/admin/webhook-subscriptions/${id}`, { data }, as('admin'))
    expect(changed.status).to.equal(200)
  }

  before(async () => {
    receiver = createServer(async (request, response) => {
      const { type, data } = JSON.parse(await text(request))
      received.push(`${type} ${data.id}`)
      response.writeHead(status).end()
    })
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  })
  beforeEach(async () => {
    database = await openWebhookLibrary()
    started = await startWebhooks(database)
    await lengthenPauses(started.app)
    status = 204
    received = []
  })
  afterEach(async () => {
    await started.close()
    await database.close()
  })
  after(() => void receiver.close())

  it('are those after its creation', async () => {
    await insert('A')
    await subscribe()
    await insert('B')
    await deliver()
    expect(received).to.deep.equal(['books.created 2'])
  })

  it('are also those of transactions that were running at its creation', async function () {
    if (!process.env.DATABASE_URL) this.skip() // the embedded database has one connection
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = started.app.store.write(async (unit) => {
      await unit.run(`insert into books (title) values ('running')`, [])
      begun.resolve()
      await end.promise
    })
    await begun.promise
    await insert('before')
    await subscribe()
    end.resolve()
    await slow
    await insert('after')
    await deliver()
    expect(received.toSorted()).to.deep.equal(['books.created 1', 'books.created 3'])
  })

  it('do not include those before the end of a pause', async () => {
    const id = await subscribe()
    await setActive(id, false)
    await insert('A')
    await setActive(id, true)
    await insert('B')
    await deliver()
    expect(received).to.deep.equal(['books.created 2'])
  })

  it('are cancelled by a pause if they wait', async () => {
    const id = await subscribe()
    status = 500
    await insert('A')
    await run(`update books set title = 'B'`)
    await deliver()
    expect(received.splice(0)).to.deep.equal(['books.created 1'])
    await setActive(id, false)
    const paused = 'cancelled: The subscription is not active.'
    expect(await states()).to.deep.equal([paused, paused])
    await setActive(id, true)
    status = 204
    await endPauses()
    await deliver()
    expect(received).to.deep.equal([])
    await run(`update books set title = 'C'`)
    await deliver()
    expect(received).to.deep.equal(['books.updated 1'])
  })

  it('are cancelled by its deletion if they wait', async () => {
    const id = await subscribe()
    status = 500
    await insert('A')
    await deliver()
    await started.client.delete(`/admin/webhook-subscriptions/${id}`, undefined, as('admin'))
    expect(await states()).to.deep.equal(['cancelled: The subscription was deleted.'])
  })

  it('are recorded as delivered if a pause cancels them while the receiver responds', async () => {
    await subscribe()
    await insert('A')
    const { query } = started.app.store
    // The statement that records the result of the delivery comes after the pause.
    started.app.store.query = async (sql, parameters) => {
      if (sql.includes('finished_at')) await query('update webhook_subscriptions set active = false')
      return query(sql, parameters)
    }
    await deliver()
    started.app.store.query = query
    expect(await states()).to.deep.equal(['delivered: null'])
  })

  it('are cancelled by a pause during the transaction that creates their deliveries', async function () {
    if (!process.env.DATABASE_URL) this.skip() // the embedded database has one connection
    const id = await subscribe()
    await insert('A')
    const { store } = started.app
    const { query, write } = store
    const [created, commit, resumed] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    Object.assign(store, {
      query: async (sql: string, parameters: unknown[]) => {
        if (sql.includes('for update of d skip locked')) await resumed?.promise // nothing is claimed before
        return query(sql, parameters)
      },
      write: (work: Parameters<typeof write>[0]) =>
        write(async (unit) => {
          const result = await work(unit)
          const rows = await unit.run(`select 1 from change_deliveries where consumer = 'webhooks'`, [])
          if (rows.length > 0) created?.resolve()
          await commit?.promise
          return result
        }),
    })
    const delivered = deliver()
    await created?.promise
    store.write = write
    const paused = query(`update webhook_subscriptions set active = false where id = '${id}'`)
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await Promise.race([paused, eventually(async () => (await query(waits)).length > 0)])
    commit?.resolve()
    await paused
    await setActive(id, true)
    resumed?.resolve()
    await delivered
    store.query = query
    expect(received).to.deep.equal([])
    expect(await states()).to.deep.equal(['cancelled: The subscription is not active.'])
  })

  it('are left to a newer release for five minutes if a process does not know their type', async () => {
    const older = await startWebhooks(database, [recordedShelves, olderBooks])
    const newer = await startWebhooks(database)
    try {
      await subscribe(['tags'])
      await newer.app.store.query(`insert into tags (id, name) values (gen_random_uuid(), 'x')`)
      await deliverCommitted(older.app)
      expect(received).to.deep.equal([])
      await deliverCommitted(newer.app)
      expect(received.splice(0).map((event) => event.split(' ')[0])).to.deep.equal(['tags.created'])
      await newer.app.store.query(`insert into tags (id, name) values (gen_random_uuid(), 'y')`)
      await newer.app.store.query(`update change_log set changed_at = changed_at - interval '5 minutes'`)
      await deliverCommitted(older.app)
      await deliverCommitted(newer.app)
      expect(received).to.deep.equal([])
    } finally {
      await older.close()
      await newer.close()
    }
  })

  it('are sent without the names of members that the process does not know', async () => {
    const older = await startWebhooks(database, [recordedShelves, olderBooks])
    const newer = await startWebhooks(database)
    try {
      await insert('A')
      await subscribe()
      await run('update books set position = 2')
      await run('update books set pages = 2') // no member of any release
      await deliverCommitted(older.app)
      expect(received).to.deep.equal(['books.updated 1'])
    } finally {
      await older.close()
      await newer.close()
    }
  })

  it('are the same after its row was restored, also with another search_path', async () => {
    await subscribe()
    await insert('A')
    await started.app.store.write(async (unit) => {
      await unit.run('create temp table saved on commit drop as select * from webhook_subscriptions', [])
      await unit.run('set local search_path = pg_catalog', [])
      await unit.run('delete from public.webhook_subscriptions', [])
      await unit.run('insert into public.webhook_subscriptions select * from pg_temp.saved', [])
      await unit.run('update public.webhook_subscriptions set active = active', [])
    })
    await deliver()
    expect(received).to.deep.equal(['books.created 1'])
    await run('update webhook_subscriptions set active = false')
    await started.app.store.write(async (unit) => {
      await unit.run('set local search_path = pg_catalog', [])
      await unit.run('update public.webhook_subscriptions set active = true', [])
    })
    await run(`update books set title = 'B'`)
    await deliver()
    expect(received).to.deep.equal(['books.created 1', 'books.updated 1'])
  })

  it('of an unknown type do not delay others if no subscription selects them', async () => {
    const older = await startWebhooks(database, [recordedShelves, olderBooks])
    const newer = await startWebhooks(database)
    try {
      await subscribe(['shelves'])
      await newer.app.store.query(`insert into tags (id, name) values (gen_random_uuid(), 'x')`)
      await newer.app.store.query(`insert into shelves (name) values ('z')`)
      await deliverCommitted(older.app)
      expect(received).to.deep.equal(['shelves.created 1'])
    } finally {
      await older.close()
      await newer.close()
    }
  })
})
