import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Database, openDatabase } from '#store'
import { manualClock } from '#test/support/clock.ts'
import { projectSchema } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'

describeIf(!hasServer)('An embedded database on disk', () => {
  let dataDir: string
  const warnings: string[] = []
  const stopped: number[] = []
  let tick = () => {}
  let database: Database
  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'vacuum-'))
    const clock = {
      ...manualClock(),
      every(interval: number, called: () => void) {
        tick = called
        return () => stopped.push(interval)
      },
    }
    const logger = { error() {}, info() {}, warn: (_details: object, message: string) => warnings.push(message) }
    database = await openDatabase({ databaseUrl: null, dataDir, clock, logger, ...(await projectSchema()) })
    await execute('create table counters (id int primary key, value int, note text)')
    await execute('create index on counters (value)')
    await execute("insert into counters select n, 0, '' from generate_series(1, 10) n")
  })
  after(async () => {
    rmSync(dataDir, { recursive: true, force: true })
  })

  const execute = (sql: string) => database.orm.em.getConnection().execute(sql)
  const isVacuumed = async () => {
    const [row] = await execute("select vacuum_count > 0 as done from pg_stat_all_tables where relname = 'counters'")
    return Boolean(row?.done)
  }
  /** Updates of an indexed column leave dead rows that only vacuum removes. */
  const update = async (times: number) => {
    for (let time = 1; time <= times; time++) await execute(`update counters set value = ${time}`)
  }

  it('leaves tables with few dead rows', async () => {
    await update(2)
    tick()
    await execute('select 1')
    expect(await isVacuumed()).to.equal(false)
  })

  it('waits for an open transaction, which commits, before it vacuums a table with many dead rows', async () => {
    await update(10)
    await database.orm.em.fork().transactional(async (em) => {
      await em.execute("update counters set note = 'first'")
      tick()
      await em.execute("update counters set note = note || ' second' where id = 1")
    })
    // PostgreSQL publishes the number of dead rows at most once a second.
    await eventually(() => {
      tick()
      return isVacuumed()
    })
    const [row] = await execute('select note from counters where id = 1')
    expect(row?.note).to.equal('first second')
    expect(warnings).to.deep.equal([])
  })

  it('stops when the database is closed', async () => {
    await database.close()
    expect(stopped).to.deep.equal([60_000])
  })
})
