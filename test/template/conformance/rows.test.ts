import { ArrayType, DateType, defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource, type ResourceType } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { prove } from '#test/conformance/prove.ts'
import { addMembers, addRows, requiredMembers } from '#test/conformance/rows.ts'
import type { EmptyType } from '#test/conformance/table-rows.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { conformanceTo } from '#test/support/conformance.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// Tables with constraints that generated texts such as `sample 1` violate.

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

// Checks of usual forms: one of two relations, a domain, a pattern, a comparison with a default, a divisor, a length.
const ticketSchema = defineEntity({
  name: 'Ticket',
  tableName: 'tickets',
  properties: {
    id: p.integer().primary().autoincrement(),
    mail: p.text(),
    number: p.text(),
    seats: p.integer(),
    soldOn: p.type(DateType).defaultRaw('current_date'),
    usedOn: p.type(DateType),
    flags: p.type(ArrayType),
    airport: () => p.manyToOne(Airport).ref().nullable(),
    currency: () => p.manyToOne(Currency).ref().nullable(),
  },
})
class Ticket extends ticketSchema.class {}
ticketSchema.setClass(Ticket)

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

// Each requires a row of the other.
const hangarSchema = defineEntity({
  name: 'Hangar',
  tableName: 'hangars',
  properties: { id: p.integer().primary().autoincrement(), keeper: () => p.manyToOne(Keeper).ref() },
})
class Hangar extends hangarSchema.class {}
hangarSchema.setClass(Hangar)

const keeperSchema = defineEntity({
  name: 'Keeper',
  tableName: 'keepers',
  properties: {
    id: p.integer().primary().autoincrement(),
    hangar: () => p.manyToOne(Hangar).ref().deferMode('deferred'),
  },
})
class Keeper extends keeperSchema.class {}
keeperSchema.setClass(Keeper)

// Read-only, so that rows are inserted: one of its columns belongs to two foreign keys.
const legSchema = defineEntity({
  name: 'Leg',
  tableName: 'legs',
  properties: {
    id: p.integer().primary().autoincrement(),
    number: p.integer(),
    previous: p.integer().nullable(),
    airport: () => p.manyToOne(Airport).ref(),
  },
})
class Leg extends legSchema.class {}
legSchema.setClass(Leg)

const resources = [
  defineResource(Leg, {
    type: 'legs',
    readOnly: true,
    fields: ({ id, integer, belongsTo }) => [id(), integer('number'), belongsTo('airport', 'airports')],
    policy: open,
  }),
  defineResource(Hangar, {
    type: 'hangars',
    fields: ({ id, belongsTo }) => [id(), belongsTo('keeper', 'keepers').required()],
    policy: open,
  }),
  defineResource(Keeper, {
    type: 'keepers',
    fields: ({ id, belongsTo }) => [id(), belongsTo('hangar', 'hangars').required()],
    policy: open,
  }),
  defineResource(Ticket, {
    type: 'tickets',
    fields: ({ id, string, integer, date, arrayList, belongsTo }) => [
      id(),
      string('mail').required(),
      string('number').required(),
      integer('seats').required(),
      date('soldOn'),
      date('usedOn').required(),
      arrayList('flags').required(),
      belongsTo('airport', 'airports'),
      belongsTo('currency', 'currencies'),
    ],
    policy: open,
  }),
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

  const execute = (sql: string) => database.orm.em.getConnection().execute(sql)

  before(async () => {
    database = await openTestDatabase({
      entities: [Airline, Airport, Currency, Bank, Gate, Flight, Ticket, Hangar, Keeper, Leg],
      migrations: [],
    })
    await database.orm.schema.create()
    for (const table of ['airports', 'currencies']) {
      await execute(`alter table ${table} add constraint ${table}_code_is_short check (code ~ '^[A-Z]{3}$')`)
    }
    await execute(`alter table airlines add constraint airlines_code_is_known check (md5(code) = 'a')`)
    await execute(`create domain mail as text check (value ~ '^[^@\\s]+@[^@\\s]+$')`)
    await execute('alter table tickets alter column mail type mail')
    await execute(`alter table tickets add check (number ~ '^(?:[A-Z]{2}-)?\\d{4}$' and length(number) > 4),
      add check (seats % 5 = 0 and seats > 0), add check (used_on >= sold_on), add check (cardinality(flags) > 0),
      add check (num_nonnulls(airport_id, currency_id) = 1)`)
    await execute(`alter table legs add unique (airport_id, number),
      add foreign key (airport_id, previous) references legs (airport_id, number)`)
    await execute(`create function note_gate() returns trigger language plpgsql as
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
    const { body } = await testApp.client.get('/airports')
    const codes = body.data.map(({ attributes }: { attributes: { code: string } }) => attributes.code)
    expect(codes).to.deep.equal(['TXL', 'TXL', 'TXL', 'TXL'])
  })

  it('creates rows with different values that match pattern()', async () => {
    const { body } = await testApp.client.get('/currencies')
    const codes: string[] = body.data.map(({ attributes }: { attributes: { code: string } }) => attributes.code)
    expect(new Set(codes)).to.have.property('size', 4)
  })

  it('creates rows whose values satisfy comparisons, patterns, lengths and domains of the database', async () => {
    const { body } = await testApp.client.get('/tickets')
    expect(body.data).to.have.length(4)
    for (const { attributes } of body.data) expect(attributes.number).to.match(/^[A-Z]{2}-\d{4}$/)
  })

  it('inserts rows whose first one refers to no row of its own table', async () => {
    expect(await countOf('/legs')).to.equal(4)
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
    expect(faults[0]?.message).to.include(
      `no generated value of code satisfies the check airlines_code_is_known, CHECK (`,
    )
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

  it('names types that require a row of each other, of which none can be the first', async () => {
    const { app, client } = testApp
    const conforms = conformanceTo(app)
    const names = ['hangars', 'keepers']
    const { faults, unchecked } = await prove({ app, client, conforms, emptyTypes, principals: [null] }, names)
    expect(faults).to.deep.equal([])
    expect(unchecked).to.deep.equal([
      { url: '/hangars', reason: 'it requires a row of keepers, which has none' },
      { url: '/keepers', reason: 'it requires a row of hangars, which has none' },
    ])
  })
})
