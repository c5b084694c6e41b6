import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { openRecordedLibrary, startRecordedLibrary } from '#test/template/support/recorded-library.ts'
import { Horizon } from '../horizon.ts'

describe('The horizon of the change log', () => {
  let database: Database
  let started: TestApp
  before(async function () {
    if (!process.env.DATABASE_URL) this.skip() // the embedded database has one connection
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
    await started.client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'first' } } })
  })
  after(async () => {
    await started?.close()
    await database?.close()
  })

  const insert = `insert into shelves (name) values ('x')`
  const last = async () =>
    BigInt((await started.app.store.query('select max(sequence)::text as last from change_log'))[0]?.last as string)

  it('includes all changes if no transaction runs', async () => {
    await started.app.store.query(insert)
    const horizon = new Horizon(started.app)
    await eventually(async () => (await horizon.advance()) === (await last()))
  })

  it('stays below a change of a running transaction, although later changes are committed', async () => {
    const { app } = started
    const horizon = new Horizon(app)
    const before = await last()
    await eventually(async () => (await horizon.advance()) === before)
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = app.store.write(async (unit) => {
      await unit.run(insert, [])
      begun.resolve()
      await end.promise
    })
    await begun.promise
    await app.store.query(insert)
    expect(await last()).to.equal(before + 2n)
    for (let attempt = 0; attempt < 3; attempt++) expect(await horizon.advance()).to.equal(before)
    end.resolve()
    await slow
    await eventually(async () => (await horizon.advance()) === before + 2n)
  })

  it('skips no change and keeps the order of a resource while many transactions run', async () => {
    const { app } = started
    const horizon = new Horizon(app)
    const start = await last()
    await eventually(async () => (await horizon.advance()) >= start)
    let position = start
    const seen: string[] = []
    let isDone = false
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let index = 0; index < 25; index++) {
        await app.store
          .write(async (unit) => {
            await unit.run(insert, [])
            if (index % 5 === writer % 5) await setTimeout(Math.random() * 10)
            await unit.run(`update shelves set name = name || 'y' where id = 1`, [])
            if (index % 7 === 3) throw new Error('rolled back')
          })
          .catch(() => {})
      }
    })
    const reader = (async () => {
      for (let isLast = false; !isLast; ) {
        const until = await horizon.advance()
        isLast = isDone && until >= (await last())
        const rows = await app.store.query(
          'select sequence::text as sequence from change_log l where l.sequence > $1::bigint and l.sequence <= $2::bigint order by l.sequence',
          [String(position), String(until)],
        )
        seen.push(...rows.map(({ sequence }) => sequence as string))
        position = until
      }
    })()
    await Promise.all(writers)
    isDone = true
    await reader
    const all = await app.store.query(
      'select sequence::text as sequence from change_log l where l.sequence > $1::bigint order by l.sequence',
      [String(start)],
    )
    expect(seen).to.deep.equal(all.map(({ sequence }) => sequence))
    const names = await app.store.query(
      `select length(after ->> 'name') as length from change_log where type = 'shelves' and key = '1' and kind = 'updated' order by sequence`,
    )
    const lengths = names.map(({ length }) => Number(length))
    expect(lengths).to.deep.equal(lengths.toSorted((a, b) => a - b))
  })
})
