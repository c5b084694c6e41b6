import { defineEntity, p, ref } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource, type Principal, type ResourceDeclaration } from '#kernel'
import type { Database } from '#store'
import { startApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Policy, type PolicyClass, type PolicyRow } from '../index.ts'

// A policy receives the same values whether its row was built from a record, a locked row or an entity.

describe('The row a policy method receives', () => {
  let database: Database
  const execute = (sql: string) => database.orm.em.getConnection().execute(sql)
  before(async () => {
    database = await openTestDatabase({ entities: [Letter, Sender, Address], migrations: [] })
    await database.orm.schema.create()
  })
  const fill = async () => {
    received.length = 0
    await execute('truncate letters, senders restart identity cascade')
    await execute("insert into senders (name) values ('Ada')")
    await execute(`insert into letters (subject, sent_at, body, from_city, target, stops, sender_id)
      values ('Hello', '2020-01-01', 'Dear Bob', 'Rome', '{"city": "Oslo"}', '[{"city": "Kiel"}]', 1),
        ('Void', null, null, null, null, null, null)`)
  }
  beforeEach(fill)
  after(() => database.close())

  const withApp = async <Result>(resources: ReturnType<typeof declare>, run: (client: Client) => Promise<Result>) => {
    const declared = resources.map((resource) => ({ file: 'plugins/authorization/test/row-values.test.ts', resource }))
    const { client, close } = await startApp({ resources: declared, database, onWrite: () => {} })
    try {
      return await run(client)
    } finally {
      await close()
    }
  }

  for (const [name, hooks] of [
    ['without hooks', {}],
    ['with hooks that receive entities', { beforeUpdate() {}, beforeDelete() {} }],
  ] as const) {
    it(`holds the stored values on reads, updates, relationship writes and deletes of a type ${name}`, async () => {
      const statuses = await withApp(declare(hooks), async (client) => [
        (await client.get('/letters/1')).status,
        (await client.patch('/letters/1', change(1))).status,
        (await client.patch('/senders/1/relationships/letters', { data: [] })).status,
        (await client.delete('/letters/1')).status,
      ])
      expect(statuses).to.deep.equal([200, 200, 200, 204])
      expect(received).to.have.length(6)
      for (const row of received) {
        expect(row).to.deep.equal({
          body: 'Dear Bob',
          from_city: 'Rome',
          target: { city: 'Oslo' },
          stops: [{ city: 'Kiel' }],
        })
        expect(row.target?.constructor).to.equal(Object)
        expect(row.stops?.[0]?.constructor).to.equal(Object)
      }
    })
  }

  it('holds the stored values of a letter whose hook has filled it', async () => {
    const beforeCreate = (letter: Letter) => {
      Object.assign(letter, { body: ref('Dear Cy'), target: Object.assign(new Address(), { city: 'Bern' }) })
    }
    const document = { data: { type: 'letters', attributes: { subject: 'New' } } }
    const { status } = await withApp(declare({ beforeCreate }), (client) => client.post('/letters', document))
    expect(status).to.equal(201)
    expect(received.length).to.be.greaterThan(0)
    for (const row of received) {
      expect(row).to.deep.equal({ body: 'Dear Cy', from_city: null, target: { city: 'Bern' }, stops: null })
      expect(row.target?.constructor).to.equal(Object)
    }
  })

  describe('needs no further statement', () => {
    const count = async (needs: string[], run: (client: Client) => Promise<unknown>, hooks = {}) => {
      const policy = class extends LetterPolicy {
        static override readonly needs = { ...noNeeds, view: needs, update: needs }
      }
      await fill()
      return withApp(declare(hooks, policy), async (client) => (await statementsOf(() => run(client))).length)
    }

    for (const id of [1, 2]) {
      it(`when a record of letter ${id} is read`, async () => {
        const read = (client: Client) => client.get(`/letters/${id}`)
        const expected = await count([], read)
        for (const path of ['subject', 'sentAt', 'body', 'from_city', 'target', 'stops', 'sender.id']) {
          expect(await count([path], read), path).to.equal(expected)
        }
      })

      it(`when a hook has loaded the entity of letter ${id}, except for values of other tables and wrapped values`, async () => {
        const update = (client: Client) => client.patch(`/letters/${id}`, change(id))
        const hooks = { beforeUpdate() {} }
        const expected = await count([], update, hooks)
        for (const path of ['subject', 'sentAt', 'sender.id', ...(id === 2 ? ['target'] : [])]) {
          expect(await count([path], update, hooks), path).to.equal(expected)
        }
        expect(await count(['sender.name'], update, hooks)).to.equal(expected + 1)
        expect(await count(['target'], update, hooks)).to.equal(expected + (id === 1 ? 1 : 0))
      })
    }
  })
})

const change = (id: number) => ({ data: { type: 'letters', id: String(id), attributes: { subject: 'Hi' } } })

const addressSchema = defineEntity({ name: 'Address', embeddable: true, properties: { city: p.text().nullable() } })
class Address extends addressSchema.class {}
addressSchema.setClass(Address)

const letterSchema = defineEntity({
  name: 'Letter',
  tableName: 'letters',
  properties: {
    id: p.integer().primary(),
    subject: p.text(),
    sentAt: p.datetime().nullable(),
    body: p.text().lazy().ref().nullable(),
    from: () => p.embedded(Address).nullable(),
    target: () => p.embedded(Address).object().nullable(),
    stops: () => p.embedded(Address).array().nullable(),
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

const received: PolicyRow<Letter>[] = []
const needed = ['body', 'from_city', 'target', 'stops']
const noNeeds = { view: [] as string[], update: [] as string[], delete: [], check: [] }

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

function declare(hooks: Partial<ResourceDeclaration<Letter>>, policy: PolicyClass<Letter> = LetterPolicy) {
  return [
    defineResource(Letter, {
      type: 'letters',
      fields: ({ id, string, belongsTo }) => [id(), string('subject'), belongsTo('sender', 'senders')],
      policy,
      ...hooks,
    }),
    defineResource(Sender, {
      type: 'senders',
      fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('letters', 'letters')],
    }),
  ]
}
