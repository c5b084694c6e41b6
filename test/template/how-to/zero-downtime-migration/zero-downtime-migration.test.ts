import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { declaredResources } from '#app/resources.ts'
import { discover, loadMigrations } from '#discovery'
import type { Database } from '#store'
import { root, startApp, type TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { runRecipe } from '../support.ts'
import { OldCustomer, oldCustomers } from './release-1.ts'
import { backfill } from './resources/customers/backfill.ts'
import { Customer } from './resources/customers/entity.ts'

const [create, expand, contract] = [
  '20260101000000_customers',
  '20260301000000_customers_expand_phone',
  '20260401000000_customers_contract_phone',
] as const

describe('docs/how-to/zero-downtime-migration.md', () => {
  let database: Database
  let oldRelease: TestApp
  let newRelease: TestApp
  before(async () => {
    const discovery = await discover(root, ['test/template/how-to/zero-downtime-migration/resources'])
    const migrations = await loadMigrations(discovery)
    database = await openTestDatabase({ entities: [OldCustomer, Customer], migrations })
    await migrateTo(create)
    const options = { database, onWrite: () => {} }
    oldRelease = await startApp({ ...options, resources: [{ file: 'release-1.ts', resource: oldCustomers }] })
    newRelease = await startApp({ ...options, resources: await declaredResources(discovery) })
    await database.orm.em
      .fork()
      .execute(
        `insert into customers (name, phone) select 'Customer ' || n, '+49 ' || n from generate_series(1, 250) n`,
      )
  })
  after(async () => {
    await newRelease.close()
    await oldRelease.close()
    await database.close()
  })

  const migrateTo = (name: string) => database.orm.migrator.up({ migrations: [name] })

  it('changes the schema while both releases answer all requests', async () => {
    const oldTraffic = startTraffic(oldRelease.client)
    await oldTraffic.untilAnswered(3)
    await migrateTo(expand)
    expect(await backfill(database.orm.em.fork(), 100)).to.be.at.least(200)
    const newTraffic = startTraffic(newRelease.client)
    await Promise.all([oldTraffic.untilAnswered(3), newTraffic.untilAnswered(3)])
    await expectEqualCustomers()

    await oldTraffic.stop()
    await migrateTo(contract)
    await newTraffic.untilAnswered(3)
    await newTraffic.stop()
    expect([...oldTraffic.failures, ...newTraffic.failures]).to.deep.equal([])
  })

  it('shows the responses that the application returns after the migration', () =>
    runRecipe('zero-downtime-migration', newRelease))

  it('keeps the values when the migrations are reverted', async () => {
    for (const name of [contract, expand]) await database.orm.migrator.down({ migrations: [name] })
    expect((await oldRelease.client.get('/customers/7')).body.data.attributes.phone).to.equal('+49 7')
  })

  /** Asserts that a customer that one release has written has the same number in the other. */
  async function expectEqualCustomers(): Promise<void> {
    for (const [writer, reader] of [[oldRelease, newRelease] as const, [newRelease, oldRelease] as const]) {
      const attributes = { name: 'Ada', phone: '+44 1' }
      const { body } = await writer.client.post('/customers', { data: { type: 'customers', attributes } })
      const path = `/customers/${body.data.id}`
      expect((await reader.client.get(path)).body.data.attributes).to.deep.equal(attributes)
      const change = { data: { ...body.data, links: undefined, attributes: { phone: '+44 2' } } }
      expect((await writer.client.patch(path, change)).status).to.equal(200)
      expect((await reader.client.get(path)).body.data.attributes.phone).to.equal('+44 2')
    }
    const [row] = await database.orm.em
      .fork()
      .execute('select count(*)::int as different from customers where phone is distinct from phone_number')
    expect(row).to.deep.equal({ different: 0 })
  }
})

/** Creates, changes and reads customers, one request after the other, until it is stopped. */
function startTraffic(client: Client) {
  const failures: string[] = []
  let answered = 0
  let isStopped = false
  const record = ({ status, text }: { status: number; text: string }, expected: number) => {
    answered++
    if (status !== expected) failures.push(text)
  }
  const sendOnce = async () => {
    const attributes = { name: 'Grace', phone: `+1 ${answered}` }
    const created = await client.post('/customers', { data: { type: 'customers', attributes } })
    record(created, 201)
    const id = String((answered % 250) + 1)
    const change = { data: { type: 'customers', id, attributes: { name: `Grace ${answered}` } } }
    record(await client.patch(`/customers/${id}`, change), 200)
    record(await client.get('/customers?page[size]=20'), 200)
  }
  const done = (async () => {
    while (!isStopped) await sendOnce()
  })()
  return {
    failures,
    async untilAnswered(count: number): Promise<void> {
      const end = answered + count
      while (answered < end) await Promise.race([setImmediate(), done])
    },
    stop(): Promise<void> {
      isStopped = true
      return done
    },
  }
}
