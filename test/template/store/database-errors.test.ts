import { closeSync } from 'node:fs'
import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { Logger } from '#kernel/plugin'
import { open } from '#plugins/authorization/index.ts'
import { createStore } from '#store'
import { isRowRefusal } from '#store/errors/sql-state.ts'
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
  `create function refuse() returns trigger language plpgsql as $$ begin
    if old.note like 'kept%' then raise exception '% is kept', old.note using errcode = substr(old.note, 6); end if;
    if tg_op = 'DELETE' then return old; end if;
    return new; end $$`,
  'create trigger refuse before update or delete on seats for each row execute function refuse()',
  `create function refuse_late() returns trigger language plpgsql as $$ begin
    if new.note = 'late' then raise exception 'too late'; end if;
    return null; end $$`,
  'create constraint trigger refuse_late after insert on seats initially deferred for each row execute function refuse_late()',
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

    it('returns 422 without the raised message when a trigger raises P0001 or a code of its own, and logs the message', async () => {
      await start(false)
      const detail = 'A rule of the database rejects the write.'
      for (const code of ['P0001', 'ZZ999', 'EH001', 'T0001']) {
        const note = `kept ${code}`
        const { body } = await app.client.post('/seats', { data: { type: 'seats', attributes: { note } } })
        const url = `/seats/${body.data.id}`
        const attributes = { level: 2 }
        const updated = await app.client.patch(url, { data: { type: 'seats', id: body.data.id, attributes } })
        const deleted = await app.client.delete(url)
        for (const response of [updated, deleted]) {
          expect(response.status, response.text).to.equal(422)
          expect(response.body.errors).to.have.lengthOf(1)
          expect(response.body.errors[0]).to.deep.include({ code: 'VALIDATION_FAILED', detail })
          expect(response.body.errors[0]).not.to.have.any.keys('source', 'meta')
        }
        const [update, removal] = logged.splice(0) as { readonly code: string; readonly reason: string }[]
        expect([update?.code, removal?.code]).to.deep.equal([code, code])
        expect(update?.reason).to.include(`${note} is kept`)
      }
      expect(await errorOf({ note: 'late' })).to.deep.equal({ status: '422', detail })
    })

    it('returns 500 when a function of a trigger fails with a code of PostgreSQL', async () => {
      await start(false)
      for (const code of ['P0002', '09000', '38000', 'XX000', '42P01']) {
        const { body } = await app.client.post('/seats', {
          data: { type: 'seats', attributes: { note: `kept ${code}` } },
        })
        expect((await app.client.delete(`/seats/${body.data.id}`)).status, code).to.equal(500)
      }
    })

    it('shows constraint and table in debug mode', async () => {
      await start(true)
      const { meta } = await errorOf({ level: 0 })
      expect(meta.database).to.include({ code: '23514', constraint: 'seats_level_check', table: 'seats' })
    })
  })
}

describe('An error with a code', () => {
  const withCode = (code: string) => Object.assign(new Error('x'), { code })
  const isRefused = (code: string) => isRowRefusal(withCode(code))

  it('is the refusal of a row if the database reports it for the values', () => {
    expect(['23505', '23514', '22P02', 'P0001'].filter(isRefused)).to.have.length(4)
  })

  it('is the refusal of a row if a trigger raises it with a code of its own, also one that begins with an E', () => {
    expect(['EH001', 'ERROR', 'T0001'].filter(isRefused)).to.have.length(3)
  })

  it('is no refusal if the transaction is repeated, or the statement may have been executed', () => {
    expect(['40001', '40P01', '08006', '57P01', '53300', '58030', 'XX000', ''].filter(isRefused)).to.be.empty
  })

  it('is no refusal if a row was locked too long, or the transaction was idle too long', () => {
    expect(['55P03', '25P03'].filter(isRefused)).to.be.empty
  })

  it('is no refusal if a table was altered, so that the transaction is repeated', () => {
    const changedPlan = Object.assign(withCode('0A000'), { routine: 'RevalidateCachedQuery' })
    expect(isRowRefusal(changedPlan)).to.equal(false)
    expect(isRefused('0A000')).to.equal(true)
  })

  it('is no refusal if the operating system reports it', () => {
    for (const code of ['EPIPE', 'EBADF']) {
      const error = Object.assign(withCode(code), { errno: -1, syscall: 'write' })
      expect(isRowRefusal(error), code).to.equal(false)
    }
    expect(() => closeSync(1_000_000))
      .to.throw()
      .that.satisfies((error: unknown) => !isRowRefusal(error))
      .and.includes({ code: 'EBADF' })
  })
})

describe('A statement outside of any unit', () => {
  let database: TestDatabase
  before(async () => {
    database = await openTestDatabase({ entities: [Person], migrations: [] })
  })
  after(() => database.close())

  /** Runs a statement that the database refuses with this code. */
  const refusal = (code: string) =>
    createStore(database)
      .query(`do $$ begin raise exception 'out of order' using errcode = '${code}'; end $$`)
      .then(
        () => null,
        (error: unknown) =>
          error as Error & {
            readonly status?: number
            readonly code?: string
            readonly headers: Record<string, string>
            readonly cause: Error
          },
      )

  it('is a 503 if the database cannot answer, with the error as its cause', async () => {
    const lost = createStore({ ...database, query: () => Promise.reject(new Error('Connection terminated')) })
    const errors = [
      await refusal('53300'),
      await refusal('40001'),
      await lost.query('select 1').catch((error) => error),
    ]
    expect(errors.map((error) => error?.status)).to.deep.equal([503, 503, 503])
    expect(errors.map((error) => error?.headers['Retry-After'])).to.deep.equal(['5', '1', '5'])
    expect(errors.map((error) => error?.cause.message.split(' - ')[0])).to.deep.equal([
      'out of order',
      'out of order',
      'Connection terminated',
    ])
  })

  it('has the code of other errors of the database', async () => {
    const error = await refusal('23505')
    expect([error?.status, error?.code]).to.deep.equal([undefined, '23505'])
  })
})
