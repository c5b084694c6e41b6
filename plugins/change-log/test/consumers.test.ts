import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { App, Plugin } from '#kernel/plugin'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import {
  deliverCommitted,
  onBookChange,
  openRecordedLibrary,
  type recordedBooks,
  recordedShelves,
  recordedTags,
  startRecordedLibrary,
  withPlugins,
} from '#test/template/support/recorded-library.ts'
import { untilAborted } from '#test/template/support/until-aborted.ts'
import { closeConsumers } from '../consumers.ts'
import { type Consumer, consumeChanges } from '../index.ts'

const declare = (...resources: readonly object[]) =>
  resources.map((resource) => ({ file: 'consumers.test.ts', resource: resource as typeof recordedBooks }))

/** A plugin with a consumer, which calls a function with the changes of shelves. */
function withConsumer(deliver: (signal: AbortSignal) => Promise<void>): readonly Plugin[] {
  const consumer: Consumer = {
    name: 'slow',
    type: 'shelves',
    attempts: 16,
    keeps: true,
    prepare: async () => () => [{ receiver: 'slow', payload: {} }],
    deliver: (_, signal) => deliver(signal).then(() => 'delivered'),
  }
  return withPlugins({ name: 'slow', requires: ['change-log'], setup: (app) => consumeChanges(app, consumer) })
}

describe('A consumer of changes', () => {
  let database: Database
  let received: string[] = []
  const apps: TestApp[] = []
  beforeEach(async () => {
    database = await openRecordedLibrary()
    received = []
    onBookChange.listener = ({ id, kind }) => void received.push(`${kind} ${id}`)
  })
  afterEach(async () => {
    onBookChange.listener = () => {}
    for (const { app } of apps) await closeConsumers(app, 0)
    for (const started of apps.splice(0)) await started.close()
    await database.close()
  })

  async function start(options: Parameters<typeof startRecordedLibrary>[1] = {}, hasQueue = false): Promise<App> {
    const started = await startRecordedLibrary(database, options)
    apps.push(started)
    await started.app.start()
    if (!hasQueue) await started.app.store.queue.stop()
    return started.app
  }

  it('delivers while the receiver of another one does not respond', async () => {
    let begun = 0
    const { store } = await start(
      {
        plugins: withConsumer((signal) => {
          begun++
          return untilAborted(signal)
        }),
      },
      true,
    )
    await store.query(`insert into shelves (name) values ('x')`)
    await eventually(() => begun === 1)
    for (const id of [1, 2]) {
      await store.query(`insert into books (title) values ('A')`)
      await eventually(() => received.length === id)
    }
    expect(received).to.deep.equal(['created 1', 'created 2'])
    await store.query(`insert into shelves (name) values ('y')`)
    await eventually(() => begun === 2)
  })

  it('releases the claims of deliveries that do not end before the application is closed', async () => {
    const begun = Promise.withResolvers<void>()
    const app = await start({
      plugins: withConsumer((signal) => {
        begun.resolve()
        return untilAborted(signal)
      }),
    })
    await app.store.query(`insert into shelves (name) values ('x')`)
    const delivered = deliverCommitted(app)
    await begun.promise
    await closeConsumers(app, 0)
    await delivered
    const rows = await app.store.query('select attempts, claimed_until, state from change_deliveries')
    expect(rows).to.deep.equal([{ attempts: 0, claimed_until: null, state: 'waiting' }])
    await deliverCommitted(app)
    expect(await app.store.query('select attempts from change_deliveries')).to.deep.equal([{ attempts: 0 }])
  })

  it('logs a failure, which stops no other one, and continues later', async () => {
    const errors: object[] = []
    const logger = { error: (fields: object) => errors.push(fields), warn() {}, info() {} }
    let delivered = 0
    const app = await start({ plugins: withConsumer(async () => void delivered++), logger: logger as never })
    await app.store.query(`insert into shelves (name) values ('x')`)
    await app.store.query(`insert into books (title) values ('A')`)
    const { query } = app.store
    const lost = new Error('The connection is lost.')
    app.store.query = (sql, parameters) => (parameters?.[0] === 'slow' ? Promise.reject(lost) : query(sql, parameters))
    expect(await deliverCommitted(app).catch((error) => error)).to.equal(lost)
    app.store.query = query
    expect(errors).to.deep.equal([{ err: lost, consumer: 'slow' }])
    expect([received, delivered]).to.deep.equal([['created 1'], 0])
    await deliverCommitted(app)
    expect(delivered).to.equal(1)
  })

  it('begins no delivery after the begin of a graceful shutdown', async () => {
    const app = await start()
    await app.store.query(`insert into books (title) values ('A')`)
    await app.drain({ delay: 0, limit: 0 })
    await deliverCommitted(app)
    expect(received).to.deep.equal([])
    await deliverCommitted(await start())
    expect(received).to.deep.equal(['created 1'])
  })

  it('of a listener leaves its changes and deliveries alone in a process without this listener', async () => {
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      changes: true,
      onChange: () => {},
      fields: ({ id, string }) => [id(), string('name').required()],
    })
    const books = defineResource(Book, {
      type: 'books',
      changes: true,
      fields: ({ id, string }) => [id(), string('title').required()],
    })
    const older = await start({ resources: declare(shelves, books, recordedTags) })
    const newer = await start()
    await newer.store.query(`insert into books (title) values ('A')`)
    await deliverCommitted(older)
    expect(received).to.deep.equal([])
    onBookChange.listener = () => Promise.reject(new Error('The listener fails.'))
    await deliverCommitted(newer)
    onBookChange.listener = ({ id, kind }) => void received.push(`${kind} ${id}`)
    await newer.store.query('update change_deliveries set due_at = now()')
    await deliverCommitted(older)
    expect(await newer.store.query('select 1 from change_deliveries')).to.have.length(1)
    await deliverCommitted(newer)
    expect(received).to.deep.equal(['created 1'])
  })

  it('of a removed listener is named by a warning', async () => {
    await start()
    const warnings: unknown[] = []
    const warn = (fields: object, text: string) => 'consumer' in fields && warnings.push([fields, text])
    const logger = { warn, error() {}, info() {} }
    const books = defineResource(Book, {
      type: 'books',
      changes: true,
      fields: ({ id, string }) => [id(), string('title').required()],
    })
    await start({ resources: declare(recordedShelves, books, recordedTags), logger: logger as never })
    expect(warnings).to.deep.equal([
      [
        { consumer: 'onChange books' },
        'This release has no such consumer of the change log, which keeps all changes for it. If no release has it, delete its row of change_consumers.',
      ],
    ])
  })

  describe('at its first start', () => {
    for (const hasOther of [false, true])
      it(`receives the changes of running transactions, and none before${hasOther ? ', beside another one' : ''}`, async function () {
        if (!process.env.DATABASE_URL) this.skip() // the embedded database has one connection
        const { store } = await start({ plugins: hasOther ? withConsumer(async () => {}) : withPlugins() })
        await store.query(`delete from change_consumers where name = 'onChange books'`)
        await store.query(`insert into books (title) values ('before')`)
        const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const slow = store.write(async (unit) => {
          await unit.run(`insert into books (title) values ('running')`, [])
          begun.resolve()
          await end.promise
        })
        await begun.promise
        await store.query(`insert into books (title) values ('before')`)
        const app = await start()
        await store.query(`insert into books (title) values ('after')`)
        end.resolve()
        await slow
        await deliverCommitted(app)
        expect(received.toSorted()).to.deep.equal(['created 2', 'created 4'])
      })
  })
})
