import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { cursor } from '#plugins/pagination/index.ts'
import { type BothPaths, startBothPaths } from '#test/template/support/both-paths.ts'

// JSON has no number for NaN and infinities: their texts are shown, and are not accepted in requests.

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
  fields: ({ id, string, decimal, integer }) => [
    id(),
    string('name'),
    decimal('ratio').nullable().sortable(),
    decimal('longitude').nullable().sortable(),
    decimal('height').nullable().sortable(),
    integer('whole').nullable(),
  ],
  pagination: () => cursor({ size: 10 }),
})

describe('A row with NaN in columns of numbers', () => {
  let app: BothPaths
  before(async () => {
    // The document does not describe such values.
    app = await startBothPaths([Reading], [readings], undefined, { undescribed: ['default'] })
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

    it(`is shown with texts that are a 422 when they are sent back, on the ${path} path`, async () => {
      await app.execute(`update readings set longitude = 'Infinity', height = '-Infinity'`)
      const { body } = await app[path].client.get('/readings/1')
      const { name: _, ...numbers } = body.data.attributes
      expect(numbers).to.deep.equal({ ratio: 'NaN', longitude: 'Infinity', height: '-Infinity', whole: 'NaN' })
      const refused = await update(path, numbers)
      expect(refused.status).to.equal(422)
      expect(refused.body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)).to.deep.equal(
        Object.keys(numbers).map((name) => `/data/attributes/${name}`),
      )
    })

    it(`stores a number in place of NaN, on the ${path} path`, async () => {
      const response = await update(path, { ratio: 1.25, longitude: 0 })
      expect(response.status, response.text).to.equal(200)
      const [row] = await app.execute('select ratio::text, longitude from readings')
      expect(row).to.deep.equal({ ratio: '1.25', longitude: 0 })
    })
  }

  for (const sort of ['ratio', 'longitude', 'height'])
    it(`is a position of a cursor: sort=${sort}`, async () => {
      await app.execute(
        `insert into readings (name, ratio, longitude, height)
          values ('more', 'NaN', 'NaN', 'NaN'), ('one', 1, 1, 1), ('none', null, null, null)`,
      )
      await app.execute(`update readings set longitude = 'Infinity' where id = 1`)
      const ids: string[] = []
      for (let url = `/readings?sort=${sort}&page[size]=1`; url; ) {
        const { status, body, text } = await app.fast.client.get(url)
        expect(status, text).to.equal(200)
        ids.push(...body.data.map(({ id }: { id: string }) => id))
        url = body.links.next
      }
      expect(ids).to.deep.equal(['3', '1', '2', '4'])
    })
})
