import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource, type ResourceDeclaration } from '#kernel'
import type { Database } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { openTestDatabase } from '#test/support/database.ts'

// Modifiers of relations that hold without plugins: cannotReplace, cannotRemove, and types that share an entity.

describe('Relations', () => {
  let database: Database
  let app: TestApp
  before(async () => {
    database = await openTestDatabase({ entities: [Person, Place, Visit], migrations: [] })
    await database.orm.schema.create()
  })
  beforeEach(async () => {
    const connection = database.orm.em.getConnection()
    await connection.execute('truncate visits, people, places restart identity cascade')
    await connection.execute(`insert into people (name, staff) values ('Ada', true), ('Bob', false)`)
    await connection.execute(`insert into places (name) values ('Rome'), ('Oslo')`)
    await connection.execute(
      `insert into visits (place_id, subject_type, subject_id) values
        (1, 'people', 1), (1, 'people', 2), (2, 'places', 2), (null, null, null)`,
    )
  })
  afterEach(() => app.close())
  after(() => database.close())

  const start = async (fields: ResourceDeclaration<Visit>['fields']) => {
    const visits = defineResource(Visit, { type: 'visits', fields })
    const resources = [visits, staff, guests, places].map((resource) => ({
      file: 'test/template/kernel/declarations/relations.test.ts',
      resource,
    }))
    app = await startApp({ resources, database, onWrite: () => {} })
  }
  const replace = (id: string, data: unknown) => app.client.patch(`/visits/${id}/relationships/place`, { data })
  const embed = (id: string, data: unknown) =>
    app.client.patch(`/visits/${id}`, { data: { type: 'visits', id, relationships: { place: { data } } } })
  const oslo = { type: 'places', id: '2' }

  describe('cannotReplace', () => {
    beforeEach(() => start(({ id, belongsTo }) => [id(), belongsTo('place', 'places').cannotReplace()]))

    it('returns 403 for another member, at the relationship endpoint and in a resource document', async () => {
      expectRefusal(await replace('1', oslo), 'FULL_REPLACEMENT_PROHIBITED', '/data')
      expectRefusal(await embed('1', oslo), 'FULL_REPLACEMENT_PROHIBITED', '/data/relationships/place')
      expect((await app.client.get('/visits/1')).body.data.relationships.place.data.id).to.equal('1')
    })

    it('accepts null, and accepts a member when the resource is created', async () => {
      expect((await replace('1', null)).status).to.equal(200)
      const data = { type: 'visits', relationships: { place: { data: oslo } } }
      expect((await app.client.post('/visits', { data })).status).to.equal(201)
    })

    it('returns 403 before it checks the type of the member', async () => {
      expectRefusal(await replace('1', { type: 'unknown', id: '1' }), 'FULL_REPLACEMENT_PROHIBITED', '/data')
    })
  })

  it('cannotRemove returns 403 for null and accepts another member', async () => {
    await start(({ id, belongsTo }) => [id(), belongsTo('place', 'places').cannotRemove()])
    expectRefusal(await replace('1', null), 'REMOVAL_PROHIBITED', '/data')
    expectRefusal(await embed('1', null), 'REMOVAL_PROHIBITED', '/data/relationships/place')
    expect((await replace('1', oslo)).status).to.equal(200)
  })

  it('cannotReplace calls its function with the resource and the request', async () => {
    const seen: unknown[] = []
    await start(({ id, belongsTo }) => [
      id(),
      belongsTo('place', 'places').cannotReplace((visit, caller) => {
        seen.push([visit?.id, caller?.method])
        return visit?.id === 1
      }),
    ])
    expectRefusal(await replace('1', oslo), 'FULL_REPLACEMENT_PROHIBITED', '/data')
    expect((await replace('2', oslo)).status).to.equal(200)
    expect(seen).to.deep.equal([
      [1, 'PATCH'],
      [2, 'PATCH'],
    ])
  })

  it('readOnly ignores linkage in a resource document and returns 403 at the relationship endpoint', async () => {
    await start(({ id, belongsTo }) => [id(), belongsTo('place', 'places').readOnly().cannotReplace()])
    expect((await embed('1', oslo)).status).to.equal(200)
    expectRefusal(await replace('1', oslo), 'FULL_REPLACEMENT_PROHIBITED', '/data')
  })

  it('morphTo returns for each row the type of its typeOf function when types share an entity', async () => {
    await start(({ id, morphTo }) => [id(), morphTo('subject', ['staff', 'guests', 'places'])])
    const { body } = await app.client.get('/visits?include=subject')
    const linkage = body.data.map(({ relationships }: Shown) => relationships.subject.data)
    expect(linkage).to.deep.equal([{ type: 'staff', id: '1' }, { type: 'guests', id: '2' }, oslo, null])
    const included = body.included.map(({ type, attributes }: Shown) => [type, attributes])
    expect(included).to.have.deep.members([
      ['staff', { name: 'Ada' }],
      ['guests', { nickname: 'Bob' }],
      ['places', { name: 'Oslo' }],
    ])
    expect((await app.client.get('/visits/2/subject')).body.data.type).to.equal('guests')
  })

  it('returns 404 RESOURCE_NOT_FOUND at the URL of a type whose typeOf function returns another type', async () => {
    await start(({ id, morphTo }) => [id(), morphTo('subject', ['staff', 'guests', 'places'])])
    const { client } = app
    const renamed = { data: { type: 'staff', id: '2', attributes: { name: 'Eve' } } }
    const responses = [
      await client.get('/staff/2'),
      await client.get('/staff/2/boss'),
      await client.get('/staff/2/relationships/boss'),
      await client.patch('/staff/2', renamed),
      await client.patch('/staff/2/relationships/boss', { data: null }),
      await client.post('/staff/2/relationships/places', { data: [oslo] }),
      await client.delete('/staff/2'),
    ]
    for (const { status, body } of responses) {
      expect(status).to.equal(404)
      expect(body.errors[0]).to.include({ code: 'RESOURCE_NOT_FOUND' })
    }
    expect((await client.get('/guests/2')).body.data.attributes).to.deep.equal({ nickname: 'Bob' })
    expect((await client.patch('/guests/2', { data: { ...renamed.data, type: 'guests' } })).status).to.equal(200)
  })
})

// biome-ignore lint/suspicious/noExplicitAny: tests read documents without types
type Shown = any

function expectRefusal({ status, body }: ClientResponse, code: string, pointer: string): void {
  expect(status).to.equal(403)
  expect(body.errors).to.have.length(1)
  expect(body.errors[0]).to.deep.include({ code, source: { pointer } })
}

const personSchema = defineEntity({
  name: 'Person',
  tableName: 'people',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    staff: p.boolean(),
    boss: () => p.manyToOne(Person).ref().nullable(),
    places: () => p.manyToMany(Place).owner(),
  },
})
class Person extends personSchema.class {}
personSchema.setClass(Person)

const placeSchema = defineEntity({
  name: 'Place',
  tableName: 'places',
  properties: { id: p.integer().primary(), name: p.text() },
})
class Place extends placeSchema.class {}
placeSchema.setClass(Place)

const visitSchema = defineEntity({
  name: 'Visit',
  tableName: 'visits',
  properties: {
    id: p.integer().primary(),
    place: () => p.manyToOne(Place).ref().nullable(),
    subject: () => p.manyToOne([Person, Place]).ref().nullable(),
  },
})
class Visit extends visitSchema.class {}
visitSchema.setClass(Visit)

const staff = defineResource(Person, {
  type: 'staff',
  fields: ({ id, string, belongsTo, belongsToMany }) => [
    id(),
    string('name'),
    belongsTo('boss', 'staff'),
    belongsToMany('places', 'places'),
  ],
  typeOf: (person) => (person.staff ? 'staff' : ''),
})
const guests = defineResource(Person, {
  type: 'guests',
  fields: ({ id, string }) => [id(), string('nickname').storedAs('name')],
  typeOf: (person) => (person.staff ? '' : 'guests'),
})
const places = defineResource(Place, { type: 'places', fields: ({ id, string }) => [id(), string('name')] })
