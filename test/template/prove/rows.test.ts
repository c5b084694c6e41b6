import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { prove } from '#test/prove/prove.ts'
import { addRows } from '#test/prove/rows.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { conformanceTo } from '#test/support/conformance.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// Each table has a constraint that generated texts such as `sample 1` violate.

const properties = { id: p.integer().primary().autoincrement(), code: p.text() }

const airlineSchema = defineEntity({ name: 'Airline', tableName: 'airlines', properties })
class Airline extends airlineSchema.class {}
airlineSchema.setClass(Airline)

const airportSchema = defineEntity({ name: 'Airport', tableName: 'airports', properties })
class Airport extends airportSchema.class {}
airportSchema.setClass(Airport)

const currencySchema = defineEntity({ name: 'Currency', tableName: 'currencies', properties })
class Currency extends currencySchema.class {}
currencySchema.setClass(Currency)

const resources = [
  defineResource(Airline, {
    type: 'airlines',
    fields: ({ id, string }) => [id(), string('code').required()],
    policy: open,
  }),
  defineResource(Airport, {
    type: 'airports',
    fields: ({ id, string }) => [id(), string('code').required().example('TXL')],
    policy: open,
  }),
  defineResource(Currency, {
    type: 'currencies',
    fields: ({ id, string }) => [
      id(),
      string('code')
        .required()
        .pattern(/^[A-Z]{3}$/),
    ],
    policy: open,
  }),
].map((resource) => ({ file: 'test/template/prove/rows.test.ts', resource }))

describe('npm run prove on tables whose constraints reject generated rows', () => {
  let database: TestDatabase
  let testApp: TestApp
  let emptyTypes: ReadonlyMap<string, string>

  before(async () => {
    database = await openTestDatabase({ entities: [Airline, Airport, Currency], migrations: [] })
    await database.orm.schema.create()
    for (const table of ['airlines', 'airports', 'currencies']) {
      const constraint = `constraint ${table}_code_is_short check (code ~ '^[A-Z]{2,6}$')`
      await database.orm.em.getConnection().execute(`alter table ${table} add ${constraint}`)
    }
    testApp = await startApp({ database, resources, servers: { default: {} }, onWrite: () => {} })
    emptyTypes = await addRows(testApp.app)
  })
  after(async () => {
    await testApp.close()
    await database.close()
  })

  const countOf = async (path: string) => (await testApp.client.get(path)).body.data.length

  it('creates rows with the values of example()', async () => {
    expect(await countOf('/airports')).to.equal(4)
  })

  it('creates rows with different values that match pattern()', async () => {
    const { body } = await testApp.client.get('/currencies')
    const codes: string[] = body.data.map(({ attributes }: { attributes: { code: string } }) => attributes.code)
    expect(new Set(codes)).to.have.property('size', 4)
  })

  it('reports a fault with the constraint and a remedy when a type has no rows', async () => {
    const { app, client } = testApp
    const conforms = await conformanceTo(client.url, app.servers)
    const { faults } = await prove({ app, client, conforms, emptyTypes, principals: [null] })
    expect(faults).to.have.length(1)
    expect(faults[0]).to.include({ type: 'airlines', url: '/airlines', rule: 'a type has rows to check' })
    expect(faults[0]?.message).to.match(/violates check constraint "airlines_code_is_short"/)
    expect(faults[0]?.message).to.match(/Declare example\(\) .* or add rows in seed\.ts/)
  })
})
