import { expect } from 'chai'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { openRecordedLibrary, startRecordedLibrary } from '#test/template/support/recorded-library.ts'

describe('The order of the deliveries of a resource', () => {
  let database: Database
  let started: TestApp
  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
  })
  beforeEach(() => run('delete from change_deliveries'))
  after(async () => {
    await started.close()
    await database.close()
  })

  const run = (sql: string) => started.app.store.query(sql, [])
  const write = (sql: string) => started.app.store.write((unit) => unit.run(sql, []))
  const insert = (receiver: string, sequence: number, key = 1, state = 'waiting', consumer = 'test') =>
    write(
      `insert into change_deliveries (consumer, receiver, sequence, type, key, payload, state)
       values ('${consumer}', '${receiver}', ${sequence}, 'books', '${key}', '{}', '${state}')`,
    )
  const setState = (receiver: string, sequence: number, state: string) =>
    write(`update change_deliveries set state = '${state}' where receiver = '${receiver}' and sequence = ${sequence}`)
  const first = async () => {
    const rows = await run(
      'select receiver, key, sequence::int as sequence from change_deliveries where is_first order by receiver, key',
    )
    return rows.map(({ receiver, key, sequence }) => `${receiver} ${key} ${sequence}`)
  }

  it('has one first delivery for each receiver and resource', async () => {
    await insert('a', 1)
    await insert('a', 2)
    await insert('a', 3, 2)
    await insert('b', 2)
    await insert('b', 1, 2, 'delivered')
    await insert('c', 1)
    await insert('c', 1, 1, 'waiting', 'another')
    expect(await first()).to.deep.equal(['a 1 1', 'a 2 3', 'b 1 2', 'c 1 1', 'c 1 1'])
  })

  it('makes the next one the first when a delivery ends or is deleted', async () => {
    for (const sequence of [1, 2, 3, 4]) await insert('a', sequence)
    await setState('a', 1, 'delivered')
    expect(await first()).to.deep.equal(['a 1 2'])
    await setState('a', 2, 'dead')
    expect(await first()).to.deep.equal(['a 1 3'])
    await run('delete from change_deliveries where sequence = 3')
    expect(await first()).to.deep.equal(['a 1 4'])
    await setState('a', 4, 'delivered')
    expect(await first()).to.deep.equal([])
  })

  it('sends a dead letter again before what waits behind the first one', async () => {
    for (const sequence of [1, 2, 3]) await insert('a', sequence)
    await setState('a', 1, 'dead')
    await setState('a', 1, 'waiting')
    expect(await first()).to.deep.equal(['a 1 2'])
    await setState('a', 2, 'delivered')
    expect(await first()).to.deep.equal(['a 1 1'])
    await setState('a', 1, 'delivered')
    expect(await first()).to.deep.equal(['a 1 3'])
  })

  it('begins with the first change when a statement lets dead letters wait again, whatever the order of the rows is', async () => {
    for (const sequence of [3, 1, 2, 4]) await insert('a', sequence, 1, 'dead')
    await run(`update change_deliveries set state = 'waiting' where state = 'dead'`)
    for (const sequence of [1, 2, 3, 4]) {
      expect(await first()).to.deep.equal([`a 1 ${sequence}`])
      await setState('a', sequence, 'delivered')
    }
  })

  for (const [end, sql] of [
    ['cancels', `update change_deliveries set state = 'cancelled' where sequence = 2`],
    ['deletes', 'delete from change_deliveries where sequence = 2'],
  ] as const)
    it(`passes over the next one if a transaction ${end} it while the first one ends`, async function () {
      if (!process.env.DATABASE_URL) this.skip() // the embedded database has one connection
      for (const sequence of [1, 2, 3]) await insert('a', sequence)
      const [ended, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const other = started.app.store.write(async (unit) => {
        await unit.run(sql, [])
        ended.resolve()
        await commit.promise
      })
      await ended.promise
      const delivered = setState('a', 1, 'delivered')
      const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await eventually(async () => (await run(waits)).length > 0)
      commit.resolve()
      await Promise.all([other, delivered])
      expect(await first()).to.deep.equal(['a 1 3'])
    })

  it('has one first delivery after deliveries ended, waited again and were cancelled at the same time, in units that repeat deadlocks', async () => {
    const pause = `with waiting as materialized (
        select id from change_deliveries where receiver = 'a' and state = 'waiting' for update skip locked
      ) update change_deliveries d set state = 'cancelled' from waiting w where d.id = w.id`
    const waits: Promise<unknown>[] = []
    for (let sequence = 1; sequence <= 120; sequence++) {
      waits.push(insert('a', sequence, sequence % 3))
      waits.push(write(`update change_deliveries set state = 'delivered' where is_first and key = '${sequence % 3}'`))
      if (sequence % 7 === 0) waits.push(setState('a', sequence - 4, 'waiting'))
      if (sequence % 11 === 0) waits.push(write(pause))
      if (sequence % 30 === 0) await Promise.all(waits.splice(0)) // a unit is repeated three times
    }
    const wrong = await run(
      `select key from change_deliveries group by key having (count(*) filter (where is_first) > 0) <> (count(*) filter (where state = 'waiting') > 0)
       union all select key from change_deliveries where is_first and state <> 'waiting'`,
    )
    expect(wrong).to.deep.equal([])
  })

  it('has one first delivery of those that wait after parallel beginnings, ends and repetitions', async () => {
    const count = 60
    const waits: Promise<unknown>[] = []
    for (let sequence = 1; sequence <= count; sequence++) {
      waits.push(insert('a', sequence, sequence % 2))
      waits.push(write(`update change_deliveries set state = 'delivered' where is_first and key = '${sequence % 2}'`))
      if (sequence % 5 === 0) waits.push(setState('a', sequence - 4, 'waiting'))
    }
    await Promise.all(waits)
    for (let left = 0; left <= count; left++) {
      const rows = await run(
        `select key, count(*) filter (where is_first)::int as first from change_deliveries where state = 'waiting' group by key`,
      )
      if (rows.length === 0) return
      for (const row of rows) expect(row.first, String(row.key)).to.equal(1)
      await run(`update change_deliveries set state = 'delivered' where is_first`)
    }
    expect.fail('Deliveries wait although the first ones end.')
  })
})
