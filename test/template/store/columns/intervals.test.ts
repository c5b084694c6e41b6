import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { type BothPaths, create, startBothPaths } from '#test/template/support/both-paths.ts'

// MikroORM reads an interval as an object; documents show the text of PostgreSQL.

const schema = defineEntity({
  name: 'Break',
  tableName: 'breaks',
  properties: {
    id: p.integer().primary().autoincrement(),
    span: p.interval().nullable(),
    pause: p.interval().nullable(),
    days: p.interval().nullable().$type<{ readonly days: number } | null>(),
    next: () => p.manyToOne(Break).ref().nullable(),
  },
})
class Break extends schema.class {}
schema.setClass(Break)

const breaks = defineResource(Break, {
  type: 'breaks',
  policy: 'open',
  fields: ({ id, string, integer, belongsTo }) => [
    id(),
    string('span').nullable(),
    integer('days')
      .nullable()
      .readOnly()
      .extractUsing(({ days }) => days?.days ?? null)
      .needs('days'),
    string('pause').nullable(),
    belongsTo('next', 'breaks'),
  ],
})

describe('An interval', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Break], [breaks])
  })
  beforeEach(() => app.execute('truncate breaks restart identity'))
  after(() => app.close())

  for (const path of ['fast', 'regular'] as const) {
    for (const [sent, shown] of Object.entries({
      '1 day': '1 day',
      PT1H30M: '01:30:00',
      '1 year 2 mons -3 days 04:05:06.7': '1 year 2 mons -3 days +04:05:06.7',
      '0': '00:00:00',
    })) {
      it(`is shown as the text of PostgreSQL: ${sent}, ${path} path`, async () => {
        const { status, body, text } = await create(app[path], 'breaks', { span: sent })
        expect(status, text).to.equal(201)
        expect(body.data.attributes.span).to.equal(shown)
        const { client } = app[path]
        expect((await client.get('/breaks')).body.data[0].attributes.span).to.equal(shown)
        const data = { type: 'breaks', id: '1', attributes: { span: '2 days' } }
        expect((await client.patch('/breaks/1', { data })).body.data.attributes.span).to.equal('2 days')
      })
    }
  }

  for (const path of ['fast', 'regular'] as const) {
    it(`is a 422 with a pointer if it is malformed: ${path} path`, async () => {
      for (const span of ['soon', '1 day x', '999999999999 years']) {
        const created = await create(app[path], 'breaks', { span })
        expect(created.status, created.text).to.equal(422)
        expect(created.body.errors[0].source, created.text).to.deep.equal({ pointer: '/data/attributes/span' })
      }
      await app.execute("insert into breaks (span) values ('1 day')")
      const [row] = await app.execute('select max(id) as id from breaks')
      const data = { type: 'breaks', id: String(row?.id), attributes: { span: 'soon' } }
      const updated = await app[path].client.patch(`/breaks/${row?.id}`, { data })
      expect(updated.body.errors?.[0].source, updated.text).to.deep.equal({ pointer: '/data/attributes/span' })
    })

    it(`is a 422 without a pointer if several were sent: ${path} path`, async () => {
      const { status, body } = await create(app[path], 'breaks', { span: '1 day', pause: 'soon' })
      expect(status).to.equal(422)
      expect(body.errors[0]).not.to.have.property('source')
    })
  }

  it('is shown as a text in an included resource', async () => {
    await app.execute("insert into breaks (span, next_id) values ('1 day', null), ('2 days', 1)")
    const { body } = await app.fast.client.get('/breaks/2?include=next')
    expect(body.included[0].attributes.span).to.equal('1 day')
  })

  it('is an object for the functions of a resource', async () => {
    await app.execute("insert into breaks (days) values ('3 days')")
    expect((await app.fast.client.get('/breaks/1')).body.data.attributes.days).to.equal(3)
  })
})
