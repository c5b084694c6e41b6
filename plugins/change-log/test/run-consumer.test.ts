import { expect } from 'chai'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { openRecordedLibrary, startRecordedLibrary } from '#test/template/support/recorded-library.ts'
import { untilAborted } from '#test/template/support/until-aborted.ts'
import type { Consumer, Delivery } from '../deliveries.ts'
import { type ConsumerState, runConsumer } from '../run-consumer.ts'

describe('A run of deliveries', () => {
  let database: Database
  let started: TestApp
  let key = 0
  let state: ConsumerState
  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
  })
  beforeEach(async () => {
    state = { position: -1n, failing: new Set() }
    await started.app.store.query('delete from change_deliveries')
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  /** Inserts deliveries of different resources. */
  async function insert(receiver: string, count: number): Promise<void> {
    const first = key + 1
    key += count
    await started.app.store.query(
      `insert into change_deliveries (consumer, receiver, sequence, type, key, payload)
       select 'test', $1, n, 'books', n::text, '{}' from generate_series($2::int, $3::int) n`,
      [receiver, first, key],
    )
  }
  /** Starts a run; `stop` aborts it and lets its deliveries fail. */
  function start(deliver: (delivery: Delivery, signal: AbortSignal) => Promise<void>) {
    const stopping = new AbortController()
    const consumer: Consumer = {
      name: 'test',
      attempts: 16,
      keeps: true,
      prepare: async () => () => [],
      deliver: (delivery, signal) => deliver(delivery, signal).then(() => 'delivered'),
    }
    const { signal } = stopping
    const ended = runConsumer(started.app, consumer, state, { closing: signal, stopping: signal })
    return { ended, stop: () => stopping.abort() }
  }

  it('forgets failing receivers for which nothing waits, such as those of deleted subscriptions', async () => {
    await insert('waiting', 1)
    await started.app.store.query(`update change_deliveries set due_at = now() + interval '1 hour'`)
    for (const receiver of ['deleted', 'waiting']) state.failing.add(receiver)
    await start(async () => {}).ended
    expect([...state.failing]).to.deep.equal(['waiting'])
  })

  it('counts no attempt that the end of the process has interrupted', async () => {
    await insert('silent', 1)
    const begun = Promise.withResolvers<void>()
    const run = start(async (_, signal) => {
      begun.resolve()
      await untilAborted(signal)
    })
    await begun.promise
    run.stop()
    await run.ended
    const rows = await started.app.store.query('select attempts, claimed_until, state from change_deliveries')
    expect(rows).to.deep.equal([{ attempts: 0, claimed_until: null, state: 'waiting' }])
  })

  it('delivers to other receivers while one does not respond, at most 8 at a time to each', async () => {
    await insert('silent', 40)
    await insert('healthy', 40)
    let silent = 0
    let healthy = 0
    const run = start(async ({ receiver }, signal) => {
      if (receiver === 'healthy') return void healthy++
      silent++
      await untilAborted(signal)
    })
    await eventually(() => healthy === 40)
    expect(silent).to.equal(8)
    run.stop()
    await run.ended
  })

  it('delivers one at a time to a receiver whose last delivery failed, and more after a success', async () => {
    await insert('slow', 40)
    let attempts = 0
    let isFailing = true
    let release = Promise.withResolvers<void>()
    const run = start(async () => {
      attempts++
      await release.promise
      if (isFailing) throw new Error('Time-out.')
    })
    await eventually(() => attempts === 8)
    const next = Promise.withResolvers<void>()
    release.resolve()
    release = next
    await eventually(() => attempts === 9)
    isFailing = false
    const last = Promise.withResolvers<void>()
    release = last
    next.resolve()
    await eventually(() => attempts === 17)
    last.resolve()
    await run.ended
    expect(state.failing.size).to.equal(0)
  })

  it('leaves half of the deliveries to receivers that respond, however many do not', async () => {
    for (let index = 0; index < 20; index++) await insert(`silent ${index}`, 2)
    for (let index = 0; index < 20; index++) state.failing.add(`silent ${index}`)
    await insert('healthy', 40)
    const silent: string[] = []
    let healthy = 0
    const run = start(async ({ receiver }, signal) => {
      if (receiver === 'healthy') return void healthy++
      silent.push(receiver)
      await untilAborted(signal)
    })
    await eventually(() => healthy === 40 && silent.length === 8)
    expect(new Set(silent).size).to.equal(8)
    run.stop()
    await run.ended
  })

  it('delivers what becomes due while others run', async () => {
    await insert('silent', 1)
    let healthy = 0
    const run = start(async ({ receiver }, signal) => {
      if (receiver === 'healthy') return void healthy++
      await untilAborted(signal)
    })
    await insert('healthy', 3)
    await eventually(() => healthy === 3)
    run.stop()
    await run.ended
  })

  it('fails if the database does not confirm a delivery, after the others have ended', async () => {
    await insert('receiver', 3)
    const { app } = started
    const { write } = app.store
    let delivered = 0
    const run = start(async () => void delivered++)
    app.store.write = (work, requester, options) =>
      write(
        (unit) => {
          const runStatement = unit.run.bind(unit)
          unit.run = (sql, parameters) =>
            sql.includes('finished_at')
              ? Promise.reject(new Error('The connection is lost.'))
              : runStatement(sql, parameters)
          return work(unit)
        },
        requester,
        options,
      )
    const message = await run.ended.catch(({ message }: Error) => message)
    app.store.write = write
    expect([message, delivered]).to.deep.equal(['The connection is lost.', 3])
  })
})
