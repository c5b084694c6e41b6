import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { startApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { blog } from '#test/template/support/existing/blog.ts'
import { dumpDatabase } from '#test/template/support/existing/dump.ts'
import { odd } from '#test/template/support/existing/odd.ts'
import { shop } from '#test/template/support/existing/shop.ts'
import { baselineStatements } from '../../../scripts/database/baseline-source.ts'
import { missingExtensions } from '../../../scripts/database/generate.ts'
import { type CatalogRelation, introspect } from '../../../scripts/database/introspect.ts'
import { TypeNamer } from '../../../scripts/database/names.ts'
import { planDatabase } from '../../../scripts/database/plan.ts'
import type { DatabasePlan } from '../../../scripts/database/plan-types.ts'

const schemas: Readonly<Record<string, readonly string[]>> = { blog, shop, odd }

describe('npm run make -- resource --from-database', () => {
  for (const [name, statements] of Object.entries(schemas)) {
    it(`generates a baseline that creates the same schema: ${name}`, async () => {
      const [existing, empty] = [await openEmpty(), await openEmpty()]
      await execute(existing, statements)
      const { first, tables } = baselineStatements(await introspect(existing.orm), new Set())
      await execute(empty, [...first, ...[...tables.values()].flat()])
      expect(await definitionsOf(empty)).to.deep.equal(await definitionsOf(existing))
      await Promise.all([existing.close(), empty.close()])
    })
  }

  it('plans relations for foreign keys and join tables, and read-only types for other keys and views', async () => {
    const { types, remarks } = await planOf(shop, new Map([['sales', 'sku']]))
    const fieldsOf = (table: string) => {
      const type = types.find(({ relation }) => relation.name === table)
      return [...(type?.toOnes ?? []), ...(type?.toManys ?? [])].map(({ property }) => property)
    }
    expect(fieldsOf('orders')).to.deep.equal(['customer', 'shipments', 'products'])
    expect(fieldsOf('products')).to.deep.equal(['prices', 'orders'])
    expect(fieldsOf('customer_profiles')).to.deep.equal(['customer'])
    expect(fieldsOf('customers')).to.include.members(['customerProfile', 'loyaltyCard'])
    const readOnly = types.filter(({ isReadOnly }) => isReadOnly).map(({ names }) => names.type)
    expect(readOnly).to.have.members(['payments', 'prices', 'sales', 'shipments', 'warehouses'])
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.include.members([
      'shipments: Read-only: its key is order_id, number; ids join these values with dots',
      'products.photo: The type bytea has no form in JSON',
      'bins: Not mapped: it reads tables of another schema',
      'warehouses.address: The type address has no form in JSON',
      'warehouses.warehouses_bin_fkey: Not a relation: it refers to another schema',
      'warehouses.warehouses_owner_vat_fkey: Not a relation: it refers to customers.vat_id, which is not the key',
      'shipment_events.shipment_events_order_id_shipment_number_fkey: Not a relation: it has several columns (order_id, shipment_number)',
    ])
  })

  it('names inverse relations after the type, after the column if two have the same target, and children of parent', async () => {
    const { types } = await planOf(blog)
    const toManys = (table: string) =>
      types.find(({ relation }) => relation.name === table)?.toManys.map(({ property }) => property)
    expect(toManys('categories')).to.deep.equal(['children', 'posts'])
    expect(toManys('authors')).to.deep.equal(['authorPosts', 'editorPosts', 'followeds', 'followers'])
    expect(toManys('comments')).to.deep.equal(['replyToComments'])
    expect(toManys('posts')).to.deep.equal(['comments', 'labels'])
  })

  it('maps limits, intervals and JSON, and reports what it could not map', async () => {
    const { types, remarks } = await planOf(shop)
    const products = types.find(({ relation }) => relation.name === 'products')
    const fields = new Map(
      products?.attributes.map(({ property, mapping, rules }) => [property, { ...mapping, rules }]),
    )
    expect(fields.get('stock')?.rules).to.equal('.min(0).max(1000)')
    expect(fields.get('cost')?.rules).to.match(/\.rule\(\(value\) => \(Number\(value\) >= 0 \? undefined : '.+'\)\)$/)
    expect(fields.get('lead')).to.include({ builder: 'string', isWritable: true })
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.include.members([
      'products.extras: Requests must contain an object; other stored JSON values are shown',
      'products.products_check: Not a rule: PostgreSQL evaluates CHECK ((width > weight)), and a violation is a 422 without a pointer to the member',
    ])
  })

  it('reports extensions that the embedded database does not contain', async () => {
    const remarks = await missingExtensions(['citext', 'postgis', 'uuid-ossp'])
    expect(remarks.map(({ member }) => member)).to.deep.equal(['extension postgis'])
  })

  it('gives tables and columns with odd names free and valid names', async () => {
    const { types, remarks } = await planOf(odd)
    expect(types).to.have.length(64)
    for (const { names, attributes, toOnes, toManys } of types) {
      expect(names.type).to.match(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
      const properties = [...attributes, ...toOnes, ...toManys].map(({ property }) => property)
      expect(new Set(properties).size).to.equal(properties.length)
      for (const property of properties) expect(property).to.match(/^[a-z][A-Za-z0-9]*$/)
    }
    expect(new Set(types.map(({ names }) => names.type)).size).to.equal(64)
    expect(new Set(types.map(({ names }) => names.entity)).size).to.equal(64)
    const digit = 'a name begins with a digit, which MikroORM cannot map'
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.have.members([
      'People.ID: Named personId2: another property is named personId',
      'People._id: Named personId3: another property is named personId',
      'people.person: Named person2: another property is named person',
      'user.user_name: Named userName2: another property is named userName',
      'user.USER_NAME: Named userName3: another property is named userName',
      '2fa_codes: Read-only: the column 1st has no property',
      `2fa_codes.1st: Not an attribute: ${digit}`,
      `2fa_uses.2fa_uses_code_fkey: Not a relation: ${digit}`,
      'no_key: Not mapped: it has no primary key and no unique columns',
      'select: Read-only: MikroORM cannot compare constructor, which every object of JavaScript has',
    ])
  })
})

describe('A type whose key is computed from several columns', () => {
  const schema = defineEntity({
    name: 'Shipment',
    tableName: 'shipments',
    view: true,
    expression: 'select * from shipments',
    properties: {
      id: p
        .text()
        .primary()
        .formula((columns) => `${columns.orderId}::text || '.' || ${columns.number}::text`),
      orderId: p.integer(),
      number: p.integer(),
    },
  })
  class Shipment extends schema.class {}
  schema.setClass(Shipment)
  const resource = defineResource(Shipment, {
    type: 'shipments',
    readOnly: true,
    fields: ({ id, integer }) => [id(), integer('number').sortable()],
    policy: open,
  })

  it('returns collections, pages and single resources by the computed id', async () => {
    const database = await openTestDatabase({ entities: [Shipment], migrations: [] })
    await execute(database, [
      'create table shipments (order_id int, number int, primary key (order_id, number))',
      'insert into shipments values (1, 1), (1, 2), (2, 1)',
    ])
    const { client, close } = await startApp({ database, resources: [{ file: 'shipments.ts', resource }] })
    const { body } = await client.get('/shipments?sort=-number')
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1.2', '2.1', '1.1'])
    expect((await client.get('/shipments/2.1')).body.data.attributes).to.deep.equal({ number: 1 })
    expect((await client.get('/shipments/2.2')).status).to.equal(404)
    expect((await client.post('/shipments', { data: { type: 'shipments' } })).status).to.equal(405)
    await close()
    await database.close()
  })
})

describe('A table with an exclusion constraint', () => {
  const schema = defineEntity({
    name: 'Booking',
    tableName: 'bookings',
    properties: { id: p.integer().primary().autoincrement(), room: p.integer() },
  })
  class Booking extends schema.class {}
  schema.setClass(Booking)
  const resource = defineResource(Booking, {
    type: 'bookings',
    fields: ({ id, integer }) => [id(), integer('room').required()],
    policy: open,
  })

  it('returns 409 when a new resource is excluded by a row', async () => {
    const database = await openTestDatabase({ entities: [Booking], migrations: [] })
    await execute(database, [
      'create table bookings (id serial primary key, room int, exclude using hash (room with =))',
      'insert into bookings (room) values (1)',
    ])
    const { client, close } = await startApp({ database, resources: [{ file: 'bookings.ts', resource }] })
    const create = (room: number) => client.post('/bookings', { data: { type: 'bookings', attributes: { room } } })
    expect((await create(2)).status).to.equal(201)
    const { status, body } = await create(1)
    expect(status).to.equal(409)
    expect(body.errors[0].code).to.equal('CONFLICT')
    await close()
    await database.close()
  })
})

/** Declares the extensions of the schemas for the embedded database. It is never applied. */
const Extensions = Object.assign(class {}, { extensions: ['citext', 'uuid-ossp'] })

function openEmpty(): Promise<TestDatabase> {
  return openTestDatabase({ entities: [], migrations: [{ name: 'extensions', class: Extensions }] })
}

async function execute({ orm }: TestDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await orm.em.getConnection().execute(statement)
}

/** The definitions without rows, without the order in which objects were created, and without references to other schemas. */
async function definitionsOf(database: TestDatabase): Promise<unknown> {
  const { kept, own, others } = JSON.parse(await dumpDatabase(database))
  const tables = kept.filter(({ readsOtherSchema }: CatalogRelation) => !readsOtherSchema)
  return { tables: tables.map(withoutOtherSchemas), own, others }
}

function withoutOtherSchemas({ oid: _, constraints, ...table }: CatalogRelation): object {
  return { ...table, constraints: constraints.filter(({ kind, target }) => kind !== 'foreign key' || target !== null) }
}

async function planOf(statements: readonly string[], viewKeys = new Map<string, string>()): Promise<DatabasePlan> {
  const database = await openEmpty()
  try {
    await execute(database, statements)
    const catalog = await introspect(database.orm)
    const names = new Set(catalog.relations.map(({ name }) => name))
    return planDatabase(catalog, { namer: new TypeNamer(['docs'], []), names, viewKeys, existing: new Map() })
  } finally {
    await database.close()
  }
}
