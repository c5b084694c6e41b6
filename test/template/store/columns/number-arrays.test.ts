import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { type BothPaths, create, startBothPaths } from '#test/template/support/both-paths.ts'

// Both databases show arrays of numbers in the same form: int8 as texts, which keep all digits, and others as numbers.

const schema = defineEntity({
  name: 'Series',
  tableName: 'series',
  properties: {
    id: p.integer().primary().autoincrement(),
    bigints: p.array<string>().columnType('bigint[]').nullable(),
    numerics: p.array<number>().columnType('numeric(10,2)[]').nullable(),
    integers: p.array<number>().columnType('int[]').nullable(),
    doubles: p.array<number>().columnType('double precision[]').nullable(),
    total: p.integer().columnType('bigint').nullable(),
  },
})
class Series extends schema.class {}
schema.setClass(Series)

const series = defineResource(Series, {
  type: 'series',
  policy: 'open',
  fields: ({ id, arrayList, integer }) => [
    id(),
    arrayList('bigints').nullable(),
    arrayList('numerics').nullable(),
    arrayList('integers').nullable(),
    arrayList('doubles').nullable(),
    integer('total').nullable(),
  ],
})

const sent = { bigints: [1, '-9007199254740993'], numerics: [1.5, '2.50'], integers: [1], doubles: [0.1], total: 5 }
const shown = { ...sent, bigints: ['1', '-9007199254740993'], numerics: [1.5, 2.5] }

describe('An array of numbers', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Series], [series])
  })
  after(() => app.close())

  for (const path of ['fast', 'regular'] as const) {
    it(`is shown in the same form by every database: ${path} path`, async () => {
      const { status, body, text } = await create(app[path], 'series', sent)
      expect(status, text).to.equal(201)
      expect(body.data.attributes).to.deep.equal(shown)
      expect((await app[path].client.get(`/series/${body.data.id}`)).body.data.attributes).to.deep.equal(shown)
    })
  }

  it('has items of the type of its column in the OpenAPI document, in responses also null', async () => {
    const { schemas } = JSON.parse((await app.fast.client.get('/docs.json')).text).components
    const itemsOf = (name: string) =>
      Object.keys(sent)
        .filter((key) => key !== 'total')
        .map((key) => schemas[name].properties[key].items.type)
    const types = [['number', 'string'], ['number', 'string'], 'integer', 'number']
    expect(itemsOf('SeriesUpdateAttributes')).to.deep.equal(types)
    expect(itemsOf('SeriesAttributes')).to.deep.equal(types.map((type) => [...[type].flat(), 'null']))
  })

  it('with null is shown with null', async () => {
    await app.execute("insert into series (id, bigints, numerics) values (100, '{NULL,1}', '{NULL}')")
    const { body } = await app.fast.client.get('/series/100')
    expect(body.data.attributes).to.deep.include({ bigints: [null, '1'], numerics: [null] })
  })
})
