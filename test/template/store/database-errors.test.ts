import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { Logger } from '#kernel/plugin'
import { open } from '#plugins/authorization/index.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

const personSchema = defineEntity({
  name: 'Person',
  tableName: 'people',
  properties: { id: p.text().primary() },
})
class Person extends personSchema.class {}
personSchema.setClass(Person)

const seatSchema = defineEntity({
  name: 'Seat',
  tableName: 'seats',
  properties: {
    id: p.integer().primary(),
    row: p.text().default('-'),
    number: p.integer().default(0),
    tenant: p.integer().default(0),
    code: p.text().nullable(),
    level: p.integer().default(1),
    price: p.decimal('number').precision(5).scale(2).nullable(),
    personId: p.text().nullable(),
    roomId: p.text().nullable(),
    opensAt: p.integer().default(0),
    closesAt: p.integer().default(0),
    note: p.text().default('-'),
  },
})
class Seat extends seatSchema.class {}
seatSchema.setClass(Seat)

const constraints = [
  'create unique index seats_place on seats ("row", number) where number > 0',
  'create unique index seats_code on seats (tenant, lower(code))',
  'alter table seats add check (level > 0)',
  'alter table seats add constraint known_row check ("row" <> note or note = \'-\')',
  'alter table seats add foreign key (person_id) references people (id)',
  'create table rooms (id text primary key)',
  'alter table seats add foreign key (room_id) references rooms (id)',
  'alter table seats add exclude using gist (int4range(opens_at, closes_at) with &&)',
  `insert into seats ("row", number, code, opens_at, closes_at) values ('A', 1, 'x', 1, 9)`,
]

for (const [path, hooks] of [
  ['fast', {}],
  ['regular', { beforeSave: () => {} }],
] as const) {
  describe(`Errors of the database, on the ${path} path`, () => {
    let database: TestDatabase
    let app: TestApp
    const logged: object[] = []
    const warn = (details: object, message: string) => void logged.push({ ...details, message })
    const logger: Logger = { error: () => {}, info: () => {}, warn }

    const seats = defineResource(Seat, {
      type: 'seats',
      fields: ({ id, string, integer, decimal, map }) => [
        id(),
        map('place', string('row'), integer('number')),
        string('code').nullable(),
        integer('level'),
        decimal('price')
          .deserializeUsing((price) => Number(price) * 1000)
          .nullable(),
        string('person').storedAs('personId').nullable(),
        string('room').storedAs('roomId').nullable(),
        integer('opensAt'),
        integer('closesAt'),
        string('note'),
      ],
      policy: open,
      ...hooks,
    })
    const people = defineResource(Person, { type: 'people', fields: ({ id }) => [id().allowClientId()], policy: open })
    const resources = [seats, people].map((resource) => ({
      file: 'test/template/store/database-errors.test.ts',
      resource,
    }))

    const start = async (debug: boolean) => {
      app = await startApp({ database, resources, logger, config: { debug }, onWrite: () => {} })
    }
    const errorOf = async (attributes: object) => {
      const { body } = await app.client.post('/seats', { data: { type: 'seats', attributes } })
      const { status, detail, source, meta } = body.errors[0]
      return { status, detail, ...(source && { pointer: source.pointer }), ...(meta && { meta }) }
    }

    before(async () => {
      database = await openTestDatabase({ entities: [Person, Seat], migrations: [] })
      await database.orm.schema.create()
      for (const statement of constraints) await database.orm.em.getConnection().execute(statement)
    })
    beforeEach(() => {
      logged.length = 0
    })
    afterEach(() => app.close())
    after(() => database.close())

    it('names the members of a constraint, with the pointer of the first that was sent', async () => {
      await start(false)
      expect(await errorOf({ place: { row: 'A', number: 1 } })).to.deep.equal({
        status: '409',
        detail: 'The combination of row, number is already taken.',
        pointer: '/data/attributes/place/row',
      })
      expect(await errorOf({ code: 'X' })).to.deep.equal({
        status: '409',
        detail: 'The value of code is already taken.',
        pointer: '/data/attributes/code',
      })
      expect(await errorOf({ closesAt: 5 })).to.deep.equal({
        status: '409',
        detail: 'A resource with conflicting values of opensAt, closesAt already exists.',
        pointer: '/data/attributes/closesAt',
      })
      expect(await errorOf({ level: 0 })).to.deep.equal({
        status: '422',
        detail: 'The value of level is not allowed.',
        pointer: '/data/attributes/level',
      })
      expect(logged).to.deep.equal([])
    })

    it('returns 404 with the type of a missing row, and 422 when no type has its table', async () => {
      await start(false)
      expect(await errorOf({ person: 'missing' })).to.deep.equal({
        status: '404',
        detail: "There is no resource of type 'people' with the id 'missing'.",
        pointer: '/data/attributes/person',
      })
      expect(await errorOf({ room: 'nowhere' })).to.deep.equal({
        status: '422',
        detail: 'The value of room refers to a row that does not exist.',
        pointer: '/data/attributes/room',
      })
    })

    it('logs constraint and table when the response names no member, and hides them from the client', async () => {
      await start(false)
      expect(await errorOf({ place: { row: 'x' }, note: 'x' })).to.deep.equal({
        status: '422',
        detail: 'A stored value is not allowed.',
      })
      expect(await errorOf({ price: 1 })).to.deep.equal({
        status: '422',
        detail: 'A value does not fit its column: it is too large, too long or malformed.',
      })
      const message = 'The database rejected a write; the response names no member.'
      const request = { method: 'POST', path: '/seats', message }
      expect(logged).to.have.lengthOf(2)
      expect(logged[0]).to.include({ code: '23514', constraint: 'known_row', table: 'seats', ...request })
      expect(logged[1]).to.include({ code: '22003', ...request })
    })

    it('shows constraint and table in debug mode', async () => {
      await start(true)
      const { meta } = await errorOf({ level: 0 })
      expect(meta.database).to.include({ code: '23514', constraint: 'seats_level_check', table: 'seats' })
    })
  })
}
