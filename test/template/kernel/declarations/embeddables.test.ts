import { defineEntity, type EntityName, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource, type Resource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { buildApp, startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// An embeddable is one attribute: an object whose members are its properties, in columns of the entity or in one JSON column.

const pointSchema = defineEntity({
  name: 'Point',
  embeddable: true,
  properties: { latDeg: p.double(), lonDeg: p.double() },
})
class Point extends pointSchema.class {}
pointSchema.setClass(Point)

const addressSchema = defineEntity({
  name: 'Address',
  embeddable: true,
  properties: {
    street: p.string().length(10),
    zipCode: p.text().nullable(),
    floor: p.smallint().nullable(),
    rent: p.decimal().precision(8).scale(2).nullable(),
    meters: p.bigint().nullable(),
    since: p.datetime(3).nullable(),
    until: p.date().nullable(),
    tags: p.array().nullable(),
    secret: p.text().nullable(),
    point: () => p.embedded(Point).nullable(),
  },
})
class Address extends addressSchema.class {
  get label() {
    return `${this.street} ${this.zipCode}`
  }
}
addressSchema.setClass(Address)

const clubSchema = defineEntity({
  name: 'Club',
  tableName: 'clubs',
  properties: { id: p.integer().primary(), seat: () => p.embedded(Address).nullable() },
})
class Club extends clubSchema.class {}
clubSchema.setClass(Club)

const memberSchema = defineEntity({
  name: 'Member',
  tableName: 'members',
  properties: {
    id: p.integer().primary(),
    home: () => p.embedded(Address),
    work: () => p.embedded(Address).nullable(),
    file: () => p.embedded(Address).object().nullable(),
    club: () => p.manyToOne(Club).ref().nullable(),
    visits: () =>
      p
        .manyToMany(Club)
        .owner()
        .pivotEntity((): EntityName => Visit),
  },
})
class Member extends memberSchema.class {}
memberSchema.setClass(Member)

const visitSchema = defineEntity({
  name: 'Visit',
  tableName: 'visits',
  properties: {
    member: () => p.manyToOne(Member).primary(),
    club: () => p.manyToOne(Club).primary(),
    place: () => p.embedded(Point).nullable(),
  },
})
class Visit extends visitSchema.class {}
visitSchema.setClass(Visit)

// biome-ignore lint/suspicious/noExplicitAny: the fields of three attributes are declared by one function
type Builders = Record<string, any>

const addressFields = ({ string, integer, decimal, dateTime, date, arrayList, obj }: Builders) => [
  string('street').required().maxLength(8),
  string('zip').storedAs('zipCode').nullable(),
  integer('floor').nullable(),
  decimal('rent').nullable(),
  integer('meters').nullable(),
  dateTime('since').nullable(),
  date('until').nullable(),
  arrayList('tags').nullable(),
  string('secret').nullable().hidden(),
  obj('point', decimal('latDeg').required(), decimal('lonDeg').required()).nullable(),
]
const saved: string[] = []
const members = defineResource(Member, {
  type: 'members',
  policy: open,
  fields: (builders) => {
    const { id, obj, belongsTo, belongsToMany } = builders
    return [
      id().allowClientId(),
      obj('home', ...addressFields(builders)).required(),
      obj('work', ...addressFields(builders)).nullable(),
      obj('file', ...addressFields(builders)).nullable(),
      obj('seat', ...addressFields(builders))
        .on('club')
        .nullable(),
      belongsTo('club', 'clubs'),
      belongsToMany('visits', 'clubs')
        .through(Visit)
        .fields((pivot) => [
          pivot.obj('place', pivot.decimal('latDeg' as never), pivot.decimal('lonDeg' as never)).nullable(),
        ]),
    ]
  },
  sorts: { street: 'home_street' as never },
  filters: ({ where }) => [where('street', 'home_street' as never)],
  beforeSave: ({ home }) => void saved.push(home.label),
})
const clubs = defineResource(Club, {
  type: 'clubs',
  policy: open,
  fields: (builders) => [builders.id(), builders.obj('seat', ...addressFields(builders)).nullable()],
})

const declare = (...list: readonly unknown[]) =>
  list.map((resource) => ({ file: 'members.ts', resource: resource as Resource }))

const nowhere = {
  zip: null,
  floor: null,
  rent: null,
  meters: null,
  since: null,
  until: null,
  tags: null,
  point: null,
}
const full = {
  street: 'Low',
  zip: '3000',
  floor: 2,
  rent: 1250.5,
  meters: 9007199254740991,
  since: '2024-02-29T12:00:00.123+00:00',
  until: '2030-01-01',
  tags: ['a', 'b'],
  point: { latDeg: 46.9, lonDeg: 7.4 },
}

describe('An embeddable as an attribute', () => {
  let database: TestDatabase
  let app: TestApp

  before(async () => {
    database = await openTestDatabase({ entities: [Point, Address, Club, Member, Visit], migrations: [] })
    await database.orm.schema.create()
    app = await startApp({ database, resources: declare(members, clubs), onWrite: () => {} })
  })
  beforeEach(async () => {
    const connection = database.orm.em.getConnection()
    await connection.execute('truncate members, clubs, visits cascade')
    await connection.execute(`insert into clubs (id, seat_street) values (1, 'Main'), (2, null)`)
    await connection.execute(
      `insert into members (id, home_street, home_secret, club_id) values (1, 'Old', 'x', 1), (2, 'New', 'y', 2)`,
    )
    saved.length = 0
  })
  after(async () => {
    await app.close()
    await database.close()
  })

  const get = async (path: string) => {
    const { status, body, text } = await app.client.get(path)
    expect(status, text).to.equal(200)
    return body
  }
  const patch = (attributes: object, id = '1') =>
    app.client.patch(`/members/${id}`, { data: { type: 'members', id, attributes } })
  const patched = async (attributes: object) => {
    const { status, body, text } = await patch(attributes)
    expect(status, text).to.equal(200)
    expect((await get('/members/1')).data.attributes).to.deep.equal(body.data.attributes)
    return body.data.attributes
  }
  const row = async (id = 1) => {
    const [found] = await database.orm.em.getConnection().execute(`select * from members where id = ${id}`)
    return found
  }

  it('is read as an object; one that is nullable and has no value is null', async () => {
    expect((await get('/members/1')).data.attributes).to.deep.equal({
      home: { street: 'Old', ...nowhere },
      work: null,
      file: null,
      seat: { street: 'Main', ...nowhere },
    })
    expect((await get('/members/2')).data.attributes.seat).to.equal(null)
  })

  it('is read in fieldsets, includes and related resources', async () => {
    expect((await get('/members/1?fields[members]=home')).data.attributes).to.have.all.keys('home')
    const single = await get('/members/1?include=club')
    const several = await get('/members?include=club&sort=-street&filter[street]=Old')
    for (const { included } of [single, several]) {
      expect(included[0].attributes).to.deep.equal({ seat: { street: 'Main', ...nowhere } })
    }
    expect((await get('/members/1/club')).data.attributes.seat.street).to.equal('Main')
  })

  it('is created with values of all kinds, which hooks receive as an instance', async () => {
    const attributes = { home: full, work: { street: 'High' }, file: full }
    const created = await app.client.post('/members', { data: { type: 'members', id: '3', attributes } })
    expect(created.status, created.text).to.equal(201)
    const expected = { home: full, work: { street: 'High', ...nowhere }, file: full, seat: null }
    expect(created.body.data.attributes).to.deep.equal(expected)
    expect((await get('/members/3')).data.attributes).to.deep.equal(expected)
    expect(saved).to.deep.equal(['Low 3000'])
    const stored = await row(3)
    expect(stored).to.include({
      home_street: 'Low',
      home_zip_code: '3000',
      home_rent: '1250.50',
      home_point_lat_deg: 46.9,
    })
    expect(stored?.file).to.deep.include({ street: 'Low', zip_code: '3000', since: '2024-02-29T12:00:00.123Z' })
  })

  it('keeps members that an update does not send, and hidden ones', async () => {
    await patched({ home: full, file: full })
    const changed = await patched({ home: { floor: 3, point: { latDeg: 1 } }, file: { zip: null } })
    const { latDeg: _, ...point } = full.point
    expect(changed.home).to.deep.equal({ ...full, floor: 3, point: { ...point, latDeg: 1 } })
    expect(changed.file).to.deep.equal({ ...full, zip: null })
    expect(await row()).to.include({ home_secret: 'x' })
    expect(saved.at(-1)).to.equal('Low 3000')
  })

  it('is cleared by null, also inside of an object', async () => {
    await patched({ home: full, work: full, file: full })
    const cleared = await patched({ home: { point: null }, work: null, file: null })
    expect(cleared).to.deep.include({ home: { ...full, point: null }, work: null, file: null })
    expect(await row()).to.include({ work_street: null, work_point_lat_deg: null, file: null })
    expect((await patch({ home: null })).status).to.equal(422)
  })

  it('is written in the row of a related resource, and in the rows of a many-to-many', async () => {
    expect((await patched({ seat: { street: 'Top', rent: 1.25 } })).seat).to.deep.equal({
      street: 'Top',
      ...nowhere,
      rent: 1.25,
    })
    const place = { latDeg: 1.5, lonDeg: 2 }
    const data = [{ type: 'clubs', id: '1', meta: { pivot: { place } } }]
    const path = '/members/1/relationships/visits'
    expect((await app.client.patch(path, { data })).status).to.equal(200)
    expect((await get(path)).data).to.deep.equal(data)
  })

  it('returns 422 with the pointer of each member that breaks a rule or does not fit its column', async () => {
    const { status, body } = await patch({
      home: { street: 'much too long', floor: 70_000, since: 'today', point: { latDeg: '1' } },
      work: { zip: '1' },
    })
    expect(status).to.equal(422)
    const pointers = body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)
    expect(pointers).to.deep.equal([
      '/data/attributes/home/street',
      '/data/attributes/home/floor',
      '/data/attributes/home/since',
      '/data/attributes/home/point/latDeg',
      '/data/attributes/home/point',
      '/data/attributes/work',
    ])
  })

  it('is described like other objects', async () => {
    const { schemas } = JSON.parse((await app.client.get('/docs.json')).text).components
    const described = JSON.stringify(schemas)
    for (const name of ['zip', 'latDeg', 'since']) expect(described).to.contain(`"${name}":`)
    expect(described).not.to.contain('"secret"')
  })

  describe('declared wrongly', () => {
    const faultsOf = (fields: (builders: Builders) => readonly unknown[]) =>
      buildApp({
        database,
        resources: declare({ entity: Club, declaration: { type: 'clubs', policy: open, fields } }),
      }).then(
        () => [],
        ({ message }: Error) => message.split('\n'),
      )

    it('is a boot error when it is no object, or a member is no property of it', async () => {
      expect(await faultsOf(({ id, string }) => [id(), string('seat')])).to.deep.equal([
        'clubs.seat (members.ts): It is an embeddable: declare it as obj() with its properties.',
      ])
      const fields = ({ id, map, obj, string, decimal }: Builders) => [
        id(),
        obj('seat', string('stret'), map('point', decimal('latDeg')), obj('point', decimal('lat')), string('point')),
      ]
      expect(await faultsOf(fields)).to.deep.equal([
        "clubs.seat.stret (members.ts): The embeddable has no property 'stret'. Did you mean 'street'?",
        'clubs.seat.point (members.ts): It is an embeddable: declare it as obj() with its properties.',
        "clubs.seat.point.lat (members.ts): The embeddable has no property 'lat'.",
        'clubs.seat.point (members.ts): It is an embeddable: declare it as obj() with its properties.',
      ])
    })
  })
})
