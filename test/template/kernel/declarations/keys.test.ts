import { defineEntity, type EntityName, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource, defineType, type Resource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { buildApp, startApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// A type has one id, so its entity has one key column. Join tables are no types: their keys may have several columns.

const roomSchema = defineEntity({
  name: 'Room',
  tableName: 'rooms',
  properties: {
    id: p.integer().primary(),
    guests: () =>
      p
        .manyToMany(Guest)
        .owner()
        .pivotEntity((): EntityName => Stay),
    stays: () => p.oneToMany(Stay).mappedBy('room'),
  },
})
class Room extends roomSchema.class {}
roomSchema.setClass(Room)

const guestSchema = defineEntity({ name: 'Guest', tableName: 'guests', properties: { id: p.integer().primary() } })
class Guest extends guestSchema.class {}
guestSchema.setClass(Guest)

const staySchema = defineEntity({
  name: 'Stay',
  tableName: 'stays',
  properties: {
    room: () => p.manyToOne(Room).primary(),
    guest: () => p.manyToOne(Guest).primary(),
    nights: p.integer().default(1),
  },
})
class Stay extends staySchema.class {}
staySchema.setClass(Stay)

const billSchema = defineEntity({
  name: 'Bill',
  tableName: 'bills',
  properties: { stay: () => p.oneToOne(Stay).primary(), total: p.integer() },
})
class Bill extends billSchema.class {}
billSchema.setClass(Bill)

const rooms = defineResource(Room, {
  type: 'rooms',
  fields: ({ id, belongsToMany }) => [
    id(),
    belongsToMany('guests', 'guests')
      .through(Stay)
      .fields(({ integer }) => [integer('nights')]),
  ],
  policy: open,
})
const guests = defineResource(Guest, { type: 'guests', fields: ({ id }) => [id()], policy: open })
const stays = defineResource(Stay, {
  type: 'stays',
  fields: ({ id, integer }) => [id(), integer('nights')],
  policy: open,
})
const bills = defineResource(Bill, {
  type: 'bills',
  fields: ({ id, integer }) => [id(), integer('total')],
  policy: open,
})
/** Types that are a view of the entity of the first relation. */
const roomsWithStays = defineResource(Room, {
  type: 'rooms',
  fields: ({ id, hasMany }) => [id(), hasMany('stays', 'visits')],
  policy: open,
})
const visits = defineType<Stay>({ type: 'visits', serializer: { attributes: { nights: ({ nights }) => nights } } })

const declare = (...list: readonly unknown[]) =>
  list.map((resource) => ({ file: 'hotel/resource.ts', resource: resource as Resource }))

describe('A key of several columns', () => {
  let database: TestDatabase

  before(async () => {
    database = await openTestDatabase({ entities: [Room, Guest, Stay, Bill], migrations: [] })
    await database.orm.schema.create()
  })
  after(() => database.close())

  const faultOf = (...list: readonly unknown[]) =>
    buildApp({ database, resources: declare(...list) }).then(
      () => null,
      ({ message }: Error) => message,
    )
  const columns = 'room_id, guest_id'
  const accepted = (list: string) =>
    `a type has one id. Accepted: one key column, such as a generated id, with a unique constraint on (${list}).`

  it('is a boot error with type and file when the entity of a type has it', async () => {
    expect(await faultOf(stays)).to.equal(
      `stays (hotel/resource.ts): The key of Stay has several columns (${columns}); ${accepted(columns)}`,
    )
  })

  it('is a boot error when the key is a reference to such an entity', async () => {
    const own = 'stay_room_id, stay_guest_id'
    expect(await faultOf(bills)).to.equal(
      `bills (hotel/resource.ts): The key of Bill has several columns (${own}); ${accepted(own)}`,
    )
  })

  it('is a boot error when a type takes the entity from a relation', async () => {
    expect(await faultOf(roomsWithStays, visits)).to.equal(
      `visits (hotel/resource.ts): The key of Stay has several columns (${columns}); ${accepted(columns)}`,
    )
  })

  it('is accepted for the rows of a many-to-many that are no type', async () => {
    const connection = database.orm.em.getConnection()
    await connection.execute('insert into rooms values (1)')
    await connection.execute('insert into guests values (1), (2)')
    const { client, close } = await startApp({ database, resources: declare(rooms, guests), onWrite: () => {} })
    const data = ['1', '2'].map((id) => ({ type: 'guests', id, meta: { pivot: { nights: Number(id) } } }))
    expect((await client.post('/rooms/1/relationships/guests', { data })).status).to.equal(200)
    expect((await client.get('/rooms/1/relationships/guests')).body.data).to.deep.equal(data)
    await close()
  })
})
