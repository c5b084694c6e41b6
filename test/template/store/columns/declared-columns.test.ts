import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { add, sendBatch } from '#test/support/batch.ts'
import { type BothPaths, create, startBothPaths } from '#test/template/support/both-paths.ts'

// `columnType()` declares a type of PostgreSQL by its name, which may be quoted and may have a length.

const schema = defineEntity({
  name: 'Gauge',
  tableName: 'gauges',
  properties: {
    id: p.integer().primary().autoincrement(),
    mood: p.string().columnType('"Mood"').nullable(),
    moods: p.array().columnType('"Mood"[]').nullable(),
    bits: p.string().columnType('bit(3)').nullable(),
    bitLists: p.array().columnType('bit(3)[]').nullable(),
    varbits: p.string().columnType('bit varying(5)').nullable(),
    codes: p.array().columnType('char(3)[]').nullable(),
    names: p.array().columnType('varchar(5)[]').nullable(),
    time: p.string().columnType('TIME(3)').nullable(),
  },
})
class Gauge extends schema.class {}
schema.setClass(Gauge)

const gauges = defineResource(Gauge, {
  type: 'gauges',
  policy: 'open',
  fields: ({ id, string, arrayList }) => [
    id(),
    string('mood').nullable(),
    arrayList('moods').nullable(),
    string('bits').nullable(),
    arrayList('bitLists').nullable(),
    string('varbits').nullable(),
    arrayList('codes').nullable(),
    arrayList('names').nullable(),
    string('time').nullable(),
  ],
  filters: ({ where }) => [where('codes'), where('names')],
})

const values = {
  mood: 'Happy',
  moods: ['Happy', 'sad'],
  bits: '101',
  bitLists: ['101', '000'],
  varbits: '10110',
  codes: ['abc', 'def'],
  names: ['Emma', 'Anne'],
  time: '12:00:00.123',
}

describe('A column with a declared type of PostgreSQL', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Gauge], [gauges], `create type "Mood" as enum ('Happy', 'sad')`)
  })
  beforeEach(() => app.execute('truncate gauges restart identity'))
  after(() => app.close())

  for (const path of ['fast', 'regular'] as const) {
    for (const [name, value] of Object.entries(values)) {
      it(`stores the value that is sent: ${name}, ${path} path`, async () => {
        const { status, body, text } = await create(app[path], 'gauges', { [name]: value })
        expect(status, text).to.equal(201)
        expect(body.data.attributes[name]).to.deep.equal(value)
        const data = { type: 'gauges', id: '1', attributes: { [name]: null } }
        expect((await app[path].client.patch('/gauges/1', { data })).body.data.attributes[name]).to.equal(null)
      })
    }
  }

  it('stores the values of a batch', async () => {
    const { status, text } = await sendBatch(app.fast.client, [add('gauges', values), add('gauges', values)])
    expect(status, text).to.equal(200)
    expect((await app.fast.client.get('/gauges/2')).body.data.attributes).to.deep.equal(values)
  })

  for (const [name, value] of Object.entries({
    bits: '1010',
    bitLists: ['10'],
    codes: ['abcd'],
    names: ['Knightley'],
  })) {
    it(`returns 422 for a value of another length: ${name}`, async () => {
      expect((await create(app.fast, 'gauges', { [name]: value })).status).to.equal(422)
    })
  }

  for (const filter of ['filter[codes]=def', 'filter[names]=Emma']) {
    it(`is filtered by an item: ${filter}`, async () => {
      await create(app.fast, 'gauges', values)
      expect((await app.fast.client.get(`/gauges?${filter}`)).body.data).to.have.length(1)
    })
  }
})
