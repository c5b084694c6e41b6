import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// The columns of an entity with joined inheritance (MikroORM: table per type) are in its own table and in that of its parent.

const vehicleSchema = defineEntity({
  name: 'Vehicle',
  tableName: 'vehicles',
  inheritance: 'tpt',
  properties: { id: p.integer().primary().autoincrement(), name: p.text() },
})
class Vehicle extends vehicleSchema.class {}
vehicleSchema.setClass(Vehicle)

const carSchema = defineEntity({
  name: 'Car',
  tableName: 'cars',
  extends: vehicleSchema,
  properties: { doors: p.integer() },
})
class Car extends carSchema.class {}
carSchema.setClass(Car)

const resources: readonly DeclaredResource[] = [
  defineResource(Vehicle, {
    type: 'vehicles',
    policy: 'open',
    fields: ({ id, string }) => [id(), string('name').sortable()],
  }),
  defineResource(Car, {
    type: 'cars',
    policy: 'open',
    fields: ({ id, string, integer }) => [id(), string('name').sortable(), integer('doors').sortable()],
    filters: ({ where }) => [where('name'), where('doors').integer()],
  }),
].map((resource) => ({ file: 'joined-inheritance.test.ts', resource }))

describe('A type whose entity has joined inheritance', () => {
  let database: TestDatabase
  let app: TestApp

  before(async () => {
    database = await openTestDatabase({ entities: [Vehicle, Car], migrations: [] })
    await database.orm.schema.create()
    app = await startApp({ database, resources, onWrite: () => {} })
  })
  after(async () => {
    await app?.close()
    await database?.close()
  })

  const create = async (name: string, doors: number) => {
    const data = { type: 'cars', attributes: { name, doors } }
    const { status, body } = await app.client.post('/cars', { data })
    expect(status).to.equal(201)
    return body.data.id as string
  }

  it('returns the columns of both tables', async () => {
    const id = await create('Beetle', 3)
    const { body } = await app.client.get(`/cars/${id}`)
    expect(body.data.attributes).to.deep.equal({ name: 'Beetle', doors: 3 })
    expect((await app.client.get(`/vehicles/${id}`)).body.data.attributes).to.deep.equal({ name: 'Beetle' })
  })

  it('filters and sorts by the columns of both tables, on later pages too', async () => {
    for (const [name, doors] of [
      ['Mini', 2],
      ['Polo', 5],
      ['Golf', 5],
    ] as const)
      await create(name, doors)
    const names = async (query: string) => {
      const { body } = await app.client.get(`/cars?${query}`)
      return body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)
    }
    expect(await names('filter[doors]=5&sort=name')).to.deep.equal(['Golf', 'Polo'])
    expect(await names('filter[name]=Mini')).to.deep.equal(['Mini'])
    expect(await names('sort=-doors,name&page[size]=2&page[number]=2')).to.deep.equal(['Beetle', 'Mini'])
  })

  for (const attributes of [{ name: 'New' }, { doors: 9 }]) {
    it(`changes the version when ${Object.keys(attributes)} changes, and returns 412 for the old one`, async () => {
      const id = await create('Old', 1)
      const tag = (await app.client.get(`/cars/${id}`)).headers.get('etag') as string
      const patch = () =>
        app.client.patch(`/cars/${id}`, { data: { type: 'cars', id, attributes } }, { 'if-match': tag })
      expect((await patch()).status).to.equal(200)
      expect((await patch()).status).to.equal(412)
      expect((await app.client.get(`/cars/${id}`)).headers.get('etag')).not.to.equal(tag)
    })
  }

  it('deletes the rows of both tables', async () => {
    const id = await create('Gone', 1)
    expect((await app.client.delete(`/cars/${id}`)).status).to.equal(204)
    expect((await app.client.get(`/vehicles/${id}`)).status).to.equal(404)
  })
})
