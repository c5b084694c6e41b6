import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { type BothPaths, create, startBothPaths } from '#test/template/support/both-paths.ts'

const schema = defineEntity({
  name: 'Shift',
  tableName: 'shifts',
  properties: {
    id: p.integer().primary().autoincrement(),
    startsAt: p.time().columnType('time'),
    endsAt: p.time().nullable(),
  },
})
class Shift extends schema.class {}
schema.setClass(Shift)

const shifts = defineResource(Shift, {
  type: 'shifts',
  policy: 'open',
  fields: ({ id, time }) => [id(), time('startsAt').sortable(), time('endsAt').nullable()],
  filters: ({ where }) => [where('startsAt')],
})

describe('A time of day', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Shift], [shifts])
  })
  beforeEach(() => app.execute('truncate shifts restart identity'))
  after(() => app.close())

  for (const path of ['fast', 'regular'] as const) {
    for (const startsAt of ['00:00:00', '10:00:00.5', '23:59:59.999999', '24:00:00']) {
      it(`is shown as it was sent, with its fraction, and accepted again: ${startsAt}, ${path} path`, async () => {
        const { status, text } = await create(app[path], 'shifts', { startsAt })
        expect(status, text).to.equal(201)
        const { body } = await app[path].client.get(`/shifts?filter[startsAt]=${startsAt}`)
        expect(body.data[0].attributes).to.deep.equal({ startsAt, endsAt: null })
        const updated = await app[path].client.patch('/shifts/1', { data: body.data[0] })
        expect(updated.body.data.attributes, updated.text).to.deep.equal({ startsAt, endsAt: null })
      })
    }
  }

  for (const startsAt of ['24:00:01', '10:00', '10:00:60', '10:00:00.', '10:00:00.1234567', '10:00:00+01'])
    it(`is a 422 in another form: ${startsAt}`, async () => {
      const { status, body } = await create(app.fast, 'shifts', { startsAt })
      expect(status).to.equal(422)
      expect(body.errors[0].source).to.deep.equal({ pointer: '/data/attributes/startsAt' })
    })

  for (const endsAt of ['10:00:00.5', '24:00:00'])
    it(`is a 422 with a fraction, or as the end of the day, if the column keeps whole seconds: ${endsAt}`, async () => {
      const { status, body } = await create(app.fast, 'shifts', { startsAt: '10:00:00', endsAt })
      expect(status).to.equal(422)
      expect(body.errors[0].source).to.deep.equal({ pointer: '/data/attributes/endsAt' })
    })
})
