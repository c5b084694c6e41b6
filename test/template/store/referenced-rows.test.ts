import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import { open } from '#plugins/authorization/index.ts'
import { toRelationError } from '#store/errors/write-errors.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// Foreign keys to unique columns that are not the key. An error of a foreign key says in words only whether the row that is
// referred to is missing, or still needed.

const makerSchema = defineEntity({
  name: 'Maker',
  tableName: 'makers',
  properties: { id: p.integer().primary(), products: () => p.oneToMany(Product).mappedBy('maker').orphanRemoval() },
})
class Maker extends makerSchema.class {}
makerSchema.setClass(Maker)

const productSchema = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    id: p.integer().primary().autoincrement(),
    code: p.text().unique(),
    successorCode: p.text().nullable(),
    maker: () => p.manyToOne(Maker).ref().joinColumn('makerId').nullable(),
  },
})
class Product extends productSchema.class {}
productSchema.setClass(Product)

const manualSchema = defineEntity({ name: 'Manual', tableName: 'manuals', properties: { id: p.integer().primary() } })
class Manual extends manualSchema.class {}
manualSchema.setClass(Manual)

const declarations = [
  defineResource(Maker, {
    type: 'makers',
    fields: ({ id, hasMany }) => [id(), hasMany('products', 'products')],
    policy: open,
  }),
  defineResource(Product, {
    type: 'products',
    fields: ({ id, string, belongsTo }) => [
      id(),
      string('code'),
      string('successorCode').nullable(),
      belongsTo('maker', 'makers'),
    ],
    policy: open,
  }),
  defineResource(Manual, { type: 'manuals', fields: ({ id }) => [id().requireClientId()], policy: open }),
]
const resources = declarations.map((resource) => ({ file: 'test/template/store/referenced-rows.test.ts', resource }))

const constraints = [
  'alter table products add foreign key (successor_code) references products (code)',
  'alter table manuals add foreign key (id) references products (id)',
  'create table prices (code text references products (code))',
  'create table ratings (product_id int references products)',
  'insert into makers values (1), (2)',
  `insert into products (code, successor_code, "makerId") values ('A', null, null), ('C', null, null), ('B', 'C', 1)`,
  `insert into prices values ('A')`,
  'insert into ratings values (3)',
]

/** Deletes the maker 2 during every write. */
const removing: Plugin = {
  name: 'removing',
  plan: addSteps({
    beforeSave: async ({ context }) => void (await context.unit.run('delete from makers where id = 2', [])),
  }),
}

for (const [path, list] of [
  ['fast', plugins],
  ['regular', [...plugins, removing]],
] as const) {
  describe(`Foreign keys to unique columns, on the ${path} path`, () => {
    let database: TestDatabase
    let app: TestApp

    before(async () => {
      database = await openTestDatabase({ entities: [Maker, Product, Manual], migrations: [] })
      await database.orm.schema.create()
      for (const statement of constraints) await database.orm.em.getConnection().execute(statement)
      app = await startApp({ database, resources, plugins: list, onWrite: () => {} })
    })
    after(async () => {
      await app.close()
      await database.close()
    })

    const change = (id: string, attributes: object) =>
      app.client.patch(`/products/${id}`, { data: { type: 'products', id, attributes } })
    const create = (attributes: object, relationships: object = {}) =>
      app.client.post('/products', { data: { type: 'products', attributes, relationships } })

    for (const [title, id] of [
      ['a row of another table', '1'],
      ['a row of the same table', '2'],
    ] as const) {
      it(`returns 409 when a resource is deleted that ${title} refers to`, async () => {
        expectReferenced(await app.client.delete(`/products/${id}`))
      })

      it(`returns 409 when a value is changed that ${title} refers to`, async () => {
        expectReferenced(await change(id, { code: 'X' }))
      })
    }

    it('returns 409 when a member is deleted as an orphan and another row refers to its key', async () => {
      const body = { data: [{ type: 'products', id: '3' }] }
      expectReferenced(await app.client.send('DELETE', '/makers/1/relationships/products', { body }))
    })

    it('returns 404 when an attribute refers to a value that no row has', async () => {
      expectMissing(await create({ code: 'D', successorCode: 'missing' }))
      expectMissing(await change('1', { successorCode: 'missing' }))
    })

    it('returns 404 when the id refers to a row that does not exist', async () => {
      expectMissing(await app.client.post('/manuals', { data: { type: 'manuals', id: '99' } }))
    })

    if (path === 'regular') {
      it('returns 404 with a pointer to the relationship when its target is deleted during the write', async () => {
        const answer = await create({ code: 'E' }, { maker: { data: { type: 'makers', id: '2' } } })
        expectMissing(answer)
        expect(answer.body.errors[0].source).to.deep.equal({ pointer: '/data/relationships/maker/data' })
      })
    }
  })
}

describe('The error of a foreign key, in the language of the server', () => {
  const member = { type: { name: 'products', codec: { encode: String } }, key: 7, pointer: '/data/0' }
  const errorOf = (message: string, detail: string) => {
    const error = Object.assign(new Error(message), { code: '23503', detail })
    return toRelationError(error, [member as never], {} as never)
  }

  for (const [language, missing, referenced, detail] of [
    [
      'English',
      'insert or update on table "prices" violates foreign key constraint "prices_fkey"',
      'update or delete on table "products" violates foreign key constraint "prices_fkey" on table "prices"',
      'Key (id)=(7) is not present in table "products".',
    ],
    [
      'French',
      'une instruction insert ou update sur la table « prices » viole la contrainte de clé\nétrangère « prices_fkey »',
      'UPDATE ou DELETE sur la table « products » viole la contrainte de clé étrangère « prices_fkey » de la table « prices »',
      "La clé (id)=(7) n'est pas présente dans la table « products ».",
    ],
    [
      'German',
      'Einfügen oder Aktualisieren in Tabelle »prices« verletzt Fremdschlüssel-Constraint »prices_fkey«',
      'Aktualisieren oder Löschen in Tabelle »products« verletzt Fremdschlüssel-Constraint »prices_fkey« von Tabelle »prices«',
      'Schlüssel (id)=(7) ist nicht in Tabelle »products« vorhanden.',
    ],
    [
      'Japanese',
      'テーブル"prices"への挿入、更新は外部キー制約"prices_fkey"に違反しています',
      'テーブル"products"の更新または削除は、テーブル"prices"の外部キー制約"prices_fkey"に違反します',
      'テーブル"products"にキー(id)=(7)がありません',
    ],
  ] as const) {
    it(`is a 404 of the member if its row is missing, and a 409 if rows refer to it: ${language}`, () => {
      expect(errorOf(missing, detail)).to.include({ status: 404 })
      expect(errorOf(referenced, detail)).to.include({ status: 409 })
    })
  }
})

function expectReferenced({ status, body }: ClientResponse): void {
  expect(status).to.equal(409)
  expect(body.errors[0]).to.include({ code: 'CONFLICT', detail: 'Another resource still refers to this one.' })
}

function expectMissing({ status, body }: ClientResponse): void {
  expect(status).to.equal(404)
  expect(body.errors[0]).to.include({ code: 'RESOURCE_NOT_FOUND' })
}
