import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import type { Database } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'

const schema = defineEntity({
  name: 'Ticket',
  tableName: 'tickets',
  properties: {
    id: p.integer().primary(),
    state: p.enum(['open', 'closed']).default('open'),
    level: p.enum([1, 2]).default(1),
    topics: p.enum(['bug', 'idea']).array().default([]),
  },
})
class Ticket extends schema.class {}
schema.setClass(Ticket)

for (const [path, hooks] of [
  ['fast', {}],
  ['regular', { beforeSave: () => {} }],
] as const) {
  describe(`Attributes of enum columns without .enum(), on the ${path} path`, () => {
    let database: Database
    let app: TestApp
    const create = (attributes: object) => app.client.post('/tickets', { data: { type: 'tickets', attributes } })

    before(async () => {
      const tickets = defineResource(Ticket, {
        type: 'tickets',
        fields: ({ id, string, integer, arrayList }) => [
          id(),
          string('state'),
          integer('level'),
          arrayList('topics'),
          string('word')
            .storedAs('state')
            .deserializeUsing((value) => String(value).toLowerCase()),
        ],
        policy: open,
        ...hooks,
      })
      database = await openTestDatabase({ entities: [Ticket], migrations: [] })
      await database.orm.schema.create()
      app = await startApp({ resources: [{ file: 'tickets.ts', resource: tickets }], database, onWrite: () => {} })
    })

    after(async () => {
      await app.close()
      await database.close()
    })

    it('returns 422 with a pointer and the accepted values when the column cannot hold the value', async () => {
      for (const [attributes, pointer, detail] of [
        [{ state: 'closd' }, 'state', "'state' must be one of open, closed. Did you mean 'closed'?"],
        [{ level: 3 }, 'level', "'level' must be one of 1, 2."],
        [{ topics: ['bug', 'ida'] }, 'topics', "Each item of 'topics' must be one of bug, idea. Did you mean 'idea'?"],
      ] as const) {
        const { status, body, text } = await create(attributes)
        expect(status, text).to.equal(422)
        expect(body.errors).to.have.lengthOf(1)
        expect(body.errors[0]).to.deep.include({ detail, source: { pointer: `/data/attributes/${pointer}` } })
      }
    })

    it('returns 201 when the column holds the value', async () => {
      const { status, body, text } = await create({ state: 'closed', level: 2, topics: ['idea'] })
      expect(status, text).to.equal(201)
      expect(body.data.attributes).to.include({ state: 'closed', level: 2 })
    })

    it('lists the values in the OpenAPI document', async () => {
      const { schemas } = JSON.parse((await app.client.get('/docs.json')).text).components
      const { properties } = schemas.TicketsCreateAttributes
      expect(properties.state).to.deep.include({ enum: ['open', 'closed'] })
      expect(properties.level).to.deep.include({ enum: [1, 2] })
      expect(properties.topics.items).to.deep.equal({ enum: ['bug', 'idea'] })
      expect(properties.word).not.to.have.property('enum')
    })

    it('checks the value that deserializeUsing() returns', async () => {
      expect((await create({ word: 'CLOSED' })).status).to.equal(201)
      const { status, text } = await create({ word: 'LOST' })
      expect(status, text).to.equal(422)
    })
  })
}
