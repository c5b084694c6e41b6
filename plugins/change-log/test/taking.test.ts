import { expect } from 'chai'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { statementsOf } from '#test/support/statements.ts'
import { openRecordedLibrary, readCommitted, startRecordedLibrary } from '#test/template/support/recorded-library.ts'
import { type Consumer, registerConsumer, takeChanges } from '../deliveries.ts'

describe('The deliveries of changes', () => {
  let database: Database
  let started: TestApp
  const run = (sql: string) => started.app.store.query(sql)
  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
    await started.app.start()
    await started.app.store.queue.stop()
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  /** Registers a consumer with this number of receivers, or of deliveries of each change of shelves. */
  async function register(name: string, receivers: number, plan?: Consumer['prepare']): Promise<Consumer> {
    const each = Array.from({ length: receivers }, (_, index) => ({ receiver: `receiver ${index}`, payload: {} }))
    const prepare = plan ?? (async () => () => each)
    const consumer: Consumer = {
      name,
      type: 'shelves',
      attempts: 1,
      keeps: true,
      prepare,
      deliver: async () => 'delivered',
    }
    await readCommitted(started.app)
    await registerConsumer(started.app, consumer)
    return consumer
  }
  async function insert(count: number): Promise<void> {
    await run(`insert into shelves (name) select 'x' from generate_series(1, ${count})`)
    await run(`insert into books (title) values ('x')`)
    await readCommitted(started.app)
  }
  const count = async ({ name }: Consumer) => {
    const [row] = await run(`select count(*)::int as count from change_deliveries where consumer = '${name}'`)
    return row?.count
  }
  const remaining = async ({ name }: Consumer) => {
    const [row] = await run(
      `select count(*)::int as count from change_log l, change_consumers c where c.name = '${name}' and l.sequence > c.position`,
    )
    return row?.count
  }

  it('are created for as many changes as have 2,000 together', async () => {
    const consumer = await register('many', 900)
    await insert(5)
    const progress = { position: -1n }
    for (const [more, deliveries, changes] of [
      [true, 1_800, 4],
      [true, 3_600, 2],
      [false, 4_500, 0],
    ]) {
      expect(await takeChanges(started.app, consumer, progress)).to.equal(more)
      expect(await count(consumer)).to.equal(deliveries)
      expect(await remaining(consumer)).to.equal(changes)
    }
    const [row] = await run(`select count(distinct (receiver, sequence))::int as count from change_deliveries`)
    expect(row?.count).to.equal(4_500)
  })

  it('of one change are created by several statements if they are more', async () => {
    const consumer = await register('more', 4_500)
    await insert(2)
    const statements = await statementsOf(() => takeChanges(started.app, consumer, { position: -1n }))
    const inserts = statements.filter(({ sql }) => sql.includes('insert into change_deliveries'))
    expect(inserts).to.have.length(3)
    expect([await count(consumer), await remaining(consumer)]).to.deep.equal([4_500, 2])
  })

  it('are created up to the first change that the consumer leaves to others', async () => {
    let isKnown = false
    const consumer = await register('unknown', 1, async ([first]) => ({ sequence }) => {
      if (!isKnown && sequence !== first?.sequence) return null
      return [{ receiver: 'receiver', payload: {} }]
    })
    await insert(3)
    const progress = { position: -1n }
    for (const left of [3, 2]) {
      expect(await takeChanges(started.app, consumer, progress)).to.equal(false)
      expect(await remaining(consumer)).to.equal(left)
    }
    isKnown = true
    await takeChanges(started.app, consumer, progress)
    expect([await count(consumer), await remaining(consumer)]).to.deep.equal([3, 0])
  })

  it('contain no values of the resource, which are not even read', async () => {
    const consumer = await register('values', 1, async () => (change) => [{ receiver: 'receiver', payload: change }])
    await run(`insert into shelves (name) values ('the value')`)
    await readCommitted(started.app)
    await takeChanges(started.app, consumer, { position: -1n })
    const [row] = await run(`select payload::text as payload from change_deliveries where consumer = 'values'`)
    expect(Object.keys(JSON.parse(row?.payload as string))).to.have.members([
      ...['sequence', 'type', 'key', 'kind', 'members', 'principal', 'requestId', 'changedAt'],
    ])
  })

  it('are not asked for again while the log has no new change', async () => {
    const consumer = await register('idle', 1)
    await insert(1)
    const progress = { position: -1n }
    for (let call = 1; call <= 2; call++) await takeChanges(started.app, consumer, progress)
    const statements = await statementsOf(() => takeChanges(started.app, consumer, progress))
    expect(statements.map(({ sql }) => sql)).to.have.length(1)
  })
})
