import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource, type ResourceType } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { prove } from '#test/conformance/prove.ts'
import { addMembers, addRows, requiredMembers } from '#test/conformance/rows.ts'
import type { EmptyType } from '#test/conformance/table-rows.ts'
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

const bankSchema = defineEntity({
  name: 'Bank',
  tableName: 'banks',
  properties: { id: p.integer().primary().autoincrement(), currency: () => p.oneToOne(Currency).ref().owner() },
})
class Bank extends bankSchema.class {}
bankSchema.setClass(Bank)

// A trigger rejects each row.
const gateSchema = defineEntity({ name: 'Gate', tableName: 'gates', properties })
class Gate extends gateSchema.class {}
gateSchema.setClass(Gate)

const flightSchema = defineEntity({
  name: 'Flight',
  tableName: 'flights',
  properties: { id: p.integer().primary().autoincrement(), gate: () => p.manyToOne(Gate).ref() },
})
class Flight extends flightSchema.class {}
flightSchema.setClass(Flight)

const resources = [
  defineResource(Gate, {
    type: 'gates',
    fields: ({ id, string }) => [id(), string('code').required()],
    policy: open,
  }),
  defineResource(Flight, {
    type: 'flights',
    fields: ({ id, belongsTo }) => [id(), belongsTo('gate', 'gates').required()],
    policy: open,
  }),
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
  defineResource(Bank, {
    type: 'banks',
    fields: ({ id, belongsTo }) => [id(), belongsTo('currency', 'currencies').required()],
    policy: open,
  }),
].map((resource) => ({ file: 'test/template/conformance/rows.test.ts', resource }))

describe('npm run prove on tables whose constraints reject generated rows', () => {
  let database: TestDatabase
  let testApp: TestApp
  let emptyTypes: ReadonlyMap<string, EmptyType>

  before(async () => {
    database = await openTestDatabase({ entities: [Airline, Airport, Currency, Bank, Gate, Flight], migrations: [] })
    await database.orm.schema.create()
    for (const table of ['airlines', 'airports', 'currencies']) {
      const constraint = `constraint ${table}_code_is_short check (code ~ '^[A-Z]{2,6}$')`
      await database.orm.em.getConnection().execute(`alter table ${table} add ${constraint}`)
    }
    await database.orm.em.getConnection().execute(`create function note_gate() returns trigger language plpgsql as
      $$ begin insert into audit.gates values (new.code); return new; end $$`)
    await database.orm.em
      .getConnection()
      .execute('create trigger t before insert on gates for each row execute function note_gate()')
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

  it('creates rows with different members of a required relation whose column is unique', async () => {
    expect(await countOf('/banks')).to.equal(4)
  })

  it('creates a row that a unique relation may refer to when others refer to all rows', async () => {
    const { app } = testApp
    const type = app.registry.types.get('banks') as ResourceType
    await addMembers(app, type)
    expect(await countOf('/currencies')).to.equal(5)
    const { currency } = await requiredMembers(app, type)
    const { text } = await testApp.client.get('/banks?include=currency')
    expect(text).not.to.include(`{"type":"currencies","id":"${currency?.id}"}`)
  })

  it('reports a fault with the constraint and a remedy when a type has no rows', async () => {
    const { app, client } = testApp
    const conforms = conformanceTo(app)
    const { faults } = await prove({ app, client, conforms, emptyTypes, principals: [null] }, ['airlines', 'airports'])
    expect(faults).to.have.length(1)
    expect(faults[0]).to.include({ type: 'airlines', url: '/airlines', rule: 'a type has rows to check' })
    expect(faults[0]?.message).to.match(/violates check constraint "airlines_code_is_short"/)
    expect(faults[0]?.message).to.match(/Declare example\(\) .* or add rows in seed\.ts/)
  })

  it('reports the error of a trigger as a fault of its type, and names types that require one of its rows', async () => {
    const { app, client } = testApp
    const conforms = conformanceTo(app)
    const names = ['gates', 'flights']
    const { faults, unchecked } = await prove({ app, client, conforms, emptyTypes, principals: [null] }, names)
    expect(faults.map(({ url }) => url)).to.deep.equal(['/gates'])
    expect(faults[0]?.message).to.include('relation "audit.gates" does not exist')
    expect(unchecked).to.deep.equal([{ url: '/flights', reason: 'it requires a row of gates, which has none' }])
  })
})
