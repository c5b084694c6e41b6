import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource, type Principal, type ResourceDeclaration } from '#kernel'
import type { Database } from '#store'
import { startApp } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { Policy, type PolicyRow } from '../index.ts'

// A policy receives the same values whether its row was built from a record, a locked row or an entity.

describe('The row a policy method receives', () => {
  let database: Database
  const execute = (sql: string) => database.orm.em.getConnection().execute(sql)
  before(async () => {
    database = await openTestDatabase({ entities: [Letter, Sender, Address], migrations: [] })
    await database.orm.schema.create()
  })
  beforeEach(async () => {
    received.length = 0
    await execute('truncate letters, senders restart identity cascade')
    await execute("insert into senders (name) values ('Ada')")
    await execute(`insert into letters (subject, body, from_city, target, sender_id)
      values ('Hello', 'Dear Bob', 'Rome', '{"city": "Oslo"}', 1)`)
  })
  after(() => database.close())

  for (const [name, hooks] of [
    ['without hooks', {}],
    ['with hooks that receive entities', { beforeUpdate() {}, beforeDelete() {} }],
  ] as const) {
    it(`holds the stored values on reads, updates, relationship writes and deletes of a type ${name}`, async () => {
      const resources = declare(hooks).map((resource) => ({
        file: 'plugins/authorization/test/row-values.test.ts',
        resource,
      }))
      const { client, close } = await startApp({ resources, database, onWrite: () => {} })
      const change = { data: { type: 'letters', id: '1', attributes: { subject: 'Hi' } } }
      const statuses = [
        (await client.get('/letters/1')).status,
        (await client.patch('/letters/1', change)).status,
        (await client.patch('/senders/1/relationships/letters', { data: [] })).status,
        (await client.delete('/letters/1')).status,
      ]
      await close()
      expect(statuses).to.deep.equal([200, 200, 200, 204])
      expect(received).to.have.length(6)
      for (const row of received) {
        expect(row).to.deep.equal({ body: 'Dear Bob', from_city: 'Rome', target: { city: 'Oslo' } })
      }
    })
  }
})

const addressSchema = defineEntity({ name: 'Address', embeddable: true, properties: { city: p.text().nullable() } })
class Address extends addressSchema.class {}
addressSchema.setClass(Address)

const letterSchema = defineEntity({
  name: 'Letter',
  tableName: 'letters',
  properties: {
    id: p.integer().primary(),
    subject: p.text(),
    body: p.text().lazy().ref().nullable(),
    from: () => p.embedded(Address).nullable(),
    target: () => p.embedded(Address).object().nullable(),
    sender: () => p.manyToOne(Sender).ref().nullable(),
  },
})
class Letter extends letterSchema.class {}
letterSchema.setClass(Letter)

const senderSchema = defineEntity({
  name: 'Sender',
  tableName: 'senders',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    letters: () => p.oneToMany(Letter).mappedBy('sender'),
  },
})
class Sender extends senderSchema.class {}
senderSchema.setClass(Sender)

const received: object[] = []
const needed = ['body', 'from_city', 'target']

class LetterPolicy extends Policy<Letter> {
  static override readonly needs = { view: needed, update: needed, delete: needed, check: needed }
  override scope = () => true
  override viewAny = () => true
  override view = this.#record
  override create = () => true
  override update = this.#record
  override delete = this.#record
  override check = this.#record

  #record(_: Principal | null, row: PolicyRow<Letter>): boolean {
    received.push({ ...row })
    return true
  }
}

function declare(hooks: Partial<ResourceDeclaration<Letter>>) {
  return [
    defineResource(Letter, {
      type: 'letters',
      fields: ({ id, string, belongsTo }) => [id(), string('subject'), belongsTo('sender', 'senders')],
      policy: LetterPolicy,
      ...hooks,
    }),
    defineResource(Sender, {
      type: 'senders',
      fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('letters', 'letters')],
    }),
  ]
}
