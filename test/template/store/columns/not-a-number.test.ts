import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { type BothPaths, startBothPaths } from '#test/template/support/both-paths.ts'

// A stored NaN is an unchanged value when another attribute is updated.

const schema = defineEntity({
  name: 'Reading',
  tableName: 'readings',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    ratio: p.decimal('number').precision(5).scale(2).nullable(),
    exact: p.decimal().nullable(),
    whole: p.decimal('number').precision(5).scale(0).nullable(),
    longitude: p.double().nullable(),
    height: p.float().nullable(),
    list: p
      .array((text) => Number(text))
      .columnType('float8[]')
      .nullable(),
  },
})
class Reading extends schema.class {}
schema.setClass(Reading)

const readings = defineResource(Reading, {
  type: 'readings',
  policy: 'open',
  fields: ({ id, string, decimal }) => [
    id(),
    string('name'),
    decimal('ratio').nullable(),
    decimal('longitude').nullable(),
  ],
})

describe('A row with NaN in columns of numbers', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Reading], [readings])
  })
  beforeEach(async () => {
    await app.execute('truncate readings restart identity')
    await app.execute(
      `insert into readings (name, ratio, exact, whole, longitude, height, list) ` +
        `values ('old', 'NaN', 'NaN', 'NaN', 'NaN', 'NaN', '{NaN,1}')`,
    )
  })
  after(() => app.close())

  const update = (path: 'fast' | 'regular', attributes: object) =>
    app[path].client.patch('/readings/1', { data: { type: 'readings', id: '1', attributes } })

  for (const path of ['fast', 'regular'] as const) {
    it(`is updated and keeps NaN when another attribute is sent, on the ${path} path`, async () => {
      const response = await update(path, { name: 'changed' })
      expect(response.status, response.text).to.equal(200)
      const [row] = await app.execute(
        `select name, ratio::text, exact::text, whole::text, longitude::text, height::text, list::text from readings`,
      )
      expect(row).to.deep.equal({
        name: 'changed',
        ratio: 'NaN',
        exact: 'NaN',
        whole: 'NaN',
        longitude: 'NaN',
        height: 'NaN',
        list: '{NaN,1}',
      })
    })

    it(`stores a number in place of NaN, on the ${path} path`, async () => {
      const response = await update(path, { ratio: 1.25, longitude: 0 })
      expect(response.status, response.text).to.equal(200)
      const [row] = await app.execute('select ratio::text, longitude from readings')
      expect(row).to.deep.equal({ ratio: '1.25', longitude: 0 })
    })
  }
})
