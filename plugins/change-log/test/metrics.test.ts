import { expect } from 'chai'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { statementsOf } from '#test/support/statements.ts'
import {
  deliverCommitted,
  lengthenPauses,
  onBookChange,
  openRecordedLibrary,
  startRecordedLibrary,
} from '#test/template/support/recorded-library.ts'
import { changeLogMetrics } from '../metrics.ts'

describe('Metrics of the change log', () => {
  let database: Database
  let started: TestApp
  const run = (sql: string) => started.app.store.query(sql)

  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
    await started.app.start()
    await started.app.store.queue.stop()
    await lengthenPauses(started.app)
  })
  after(async () => {
    onBookChange.listener = () => {}
    await started.close()
    await database.close()
  })

  /** The values of a metric by the values of its labels. */
  async function read(name: string): Promise<Record<string, number>> {
    const metric = changeLogMetrics(started.app).find((one) => one.name === name)
    const values = (await metric?.read()) ?? []
    return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).join(' '), value]))
  }

  it('have the age of the first change that a consumer has not read, and 0 if it has read all', async () => {
    expect(await read('change_log_lag_seconds')).to.deep.equal({ 'onChange books': 0 })
    await run(`insert into books (title) values ('A'), ('B')`)
    await run(`update change_log set changed_at = now() - interval '1 hour' where key = '1'`)
    const { 'onChange books': lag } = await read('change_log_lag_seconds')
    expect(lag).to.be.within(3_600, 3_700)
    await deliverCommitted(started.app)
    expect(await read('change_log_lag_seconds')).to.deep.equal({ 'onChange books': 0 })
  })

  it('have the deliveries by result, those that wait with the age of the oldest, and the dead letters', async () => {
    expect(await read('change_deliveries_total')).to.deep.equal({ 'onChange books delivered': 2 })
    expect(await read('change_deliveries')).to.deep.equal({ 'onChange books waiting': 0, 'onChange books dead': 0 })
    onBookChange.listener = ({ id }) => {
      if (id === '3') throw new Error('The listener fails.')
    }
    await run(`insert into books (title) values ('C'), ('D')`)
    await deliverCommitted(started.app)
    expect(await read('change_deliveries')).to.deep.equal({ 'onChange books waiting': 1, 'onChange books dead': 0 })
    await run(`update change_deliveries set attempts = 15, due_at = now(), created_at = now() - interval '1 hour'`)
    expect((await read('change_delivery_oldest_seconds'))['onChange books']).to.be.within(3_600, 3_700)
    await deliverCommitted(started.app)
    expect(await read('change_deliveries')).to.deep.equal({ 'onChange books waiting': 0, 'onChange books dead': 1 })
    expect(await read('change_delivery_oldest_seconds')).to.deep.equal({ 'onChange books': 0 })
    expect(await read('change_deliveries_total')).to.deep.equal({
      'onChange books delivered': 3,
      'onChange books failed': 1,
      'onChange books dead': 1,
    })
  })

  it('are read by three statements', async () => {
    const readAll = async () => {
      for (const metric of changeLogMetrics(started.app)) await metric.read()
    }
    expect(await statementsOf(readAll)).to.have.length(3)
  })
})
