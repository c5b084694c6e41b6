import { defineEntity, type EntityName, p } from '@mikro-orm/core'
import { expect } from 'chai'
import type { Resource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { buildApp, startApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// Properties whose column MikroORM writes with another property: those of an inline embeddable, and `persist(false)`.

const addressSchema = defineEntity({
  name: 'Address',
  embeddable: true,
  properties: { street: p.text().nullable(), city: p.text().nullable() },
})
class Address extends addressSchema.class {}
addressSchema.setClass(Address)

const clubSchema = defineEntity({
  name: 'Club',
  tableName: 'clubs',
  properties: { id: p.integer().primary(), seat: () => p.embedded(Address) },
})
class Club extends clubSchema.class {}
clubSchema.setClass(Club)

const playerSchema = defineEntity({
  name: 'Player',
  tableName: 'players',
  properties: {
    id: p.integer().primary(),
    home: () => p.embedded(Address),
    club: () => p.manyToOne(Club).ref().nullable(),
    clubId: p.integer().persist(false).fieldName('club_id').nullable(),
    matches: () =>
      p
        .manyToMany(Club)
        .owner()
        .pivotEntity((): EntityName => Match),
  },
})
class Player extends playerSchema.class {}
playerSchema.setClass(Player)

const matchSchema = defineEntity({
  name: 'Match',
  tableName: 'matches',
  properties: {
    player: () => p.manyToOne(Player).primary(),
    club: () => p.manyToOne(Club).primary(),
    venue: () => p.embedded(Address),
  },
})
class Match extends matchSchema.class {}
matchSchema.setClass(Match)

// biome-ignore lint/suspicious/noExplicitAny: the flattened properties are no properties of the class
type Builders = Record<string, any>

const clubs = { entity: Club, declaration: { type: 'clubs', policy: open, fields: ({ id }: Builders) => [id()] } }
const players = (fields: (builders: Builders) => readonly unknown[], keys: object = {}) => ({
  entity: Player,
  declaration: {
    type: 'players',
    policy: open,
    fields: (builders: Builders) => [builders.id(), builders.belongsTo('club', 'clubs'), ...fields(builders)],
    ...keys,
  },
})
const declare = (...list: readonly object[]) =>
  list.map((resource) => ({ file: 'players/resource.ts', resource: resource as Resource }))

const accepted = 'Accepted: readOnly(), or fillUsing() with a function that sets'

describe('An attribute whose column is written with another property', () => {
  let database: TestDatabase

  before(async () => {
    database = await openTestDatabase({ entities: [Address, Club, Player, Match], migrations: [] })
    await database.orm.schema.create()
    await database.orm.em.getConnection().execute('insert into clubs (id) values (1)')
  })
  after(() => database.close())

  const faultOf = (fields: (builders: Builders) => readonly unknown[], keys?: object) =>
    buildApp({ database, resources: declare(players(fields, keys), clubs) }).then(
      () => null,
      ({ message }: Error) => message,
    )

  const faults: Readonly<Record<string, readonly [(builders: Builders) => readonly unknown[], string]>> = {
    'of an inline embeddable': [
      ({ string }) => [string('street').storedAs('home_street')],
      `players.street (players/resource.ts): Player.home_street is written with 'home'. ${accepted} 'home'.`,
    ],
    'of an inline embeddable, as the member of a map': [
      ({ map, string }) => [map('address', string('street').storedAs('home_street'))],
      `players.street (players/resource.ts): Player.home_street is written with 'home'. ${accepted} 'home'.`,
    ],
    'that requesters may write under a condition': [
      ({ string }) => [
        string('street')
          .storedAs('home_street')
          .readOnly(() => true),
      ],
      `players.street (players/resource.ts): Player.home_street is written with 'home'. ${accepted} 'home'.`,
    ],
    'with persist(false)': [
      ({ integer }) => [integer('clubId').nullable()],
      `players.clubId (players/resource.ts): Player.clubId is written with 'club'. ${accepted} 'club'.`,
    ],
    'in a related row': [
      ({ string }) => [string('seat').on('club').storedAs('seat_city')],
      `players.seat (players/resource.ts): Club.seat_city is written with 'seat'. ${accepted} 'seat'.`,
    ],
    'in the rows of a many-to-many': [
      ({ belongsToMany }) => [
        belongsToMany('matches', 'clubs')
          .through(Match)
          .fields(({ string }: Builders) => [string('city').storedAs('venue_city')]),
      ],
      `players.matches (players/resource.ts): Match.venue_city is written with 'venue'. ${accepted} 'venue'.`,
    ],
  }
  for (const [title, [fields, fault]] of Object.entries(faults)) {
    it(`is a boot error with type, member and file: ${title}`, async () => {
      expect(await faultOf(fields)).to.equal(fault)
    })
  }

  it('is accepted in a type that is not written', async () => {
    expect(await faultOf(({ string }) => [string('street').storedAs('home_street')], { readOnly: true })).to.equal(null)
  })

  it('is read with readOnly(), and written with fillUsing()', async () => {
    await database.orm.em.getConnection().execute(`insert into players (id, home_city) values (1, 'Bern')`)
    const setStreet = ({ home }: Player, street: string) => Object.assign(home, { street })
    const resource = players(({ string, integer }) => [
      string('street').storedAs('home_street').nullable().fillUsing(setStreet),
      string('city').storedAs('home_city').nullable().readOnly().sortable(),
      integer('clubId').nullable().readOnly(),
    ])
    const { client, close } = await startApp({ database, resources: declare(resource, clubs), onWrite: () => {} })
    const relationships = { club: { data: { type: 'clubs', id: '1' } } }
    const attributes = { street: 'Low Street', city: 'Basel', clubId: 7 }
    const { status } = await client.patch('/players/1', {
      data: { type: 'players', id: '1', attributes, relationships },
    })
    expect(status).to.equal(200)
    const { body } = await client.get('/players?sort=city')
    expect(body.data[0].attributes).to.deep.equal({ street: 'Low Street', city: 'Bern', clubId: 1 })
    await close()
  })
})
