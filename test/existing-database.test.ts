import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { baselineStatements } from '../scripts/database/baseline-source.ts'
import { introspect } from '../scripts/database/introspect.ts'
import { TypeNamer } from '../scripts/database/names.ts'
import { type DatabasePlan, planDatabase } from '../scripts/database/plan.ts'
import { startApp } from './support/app.ts'
import { openTestDatabase, type TestDatabase } from './support/database.ts'
import { blog } from './support/existing/blog.ts'
import { dumpDatabase } from './support/existing/dump.ts'
import { odd } from './support/existing/odd.ts'
import { shop } from './support/existing/shop.ts'

const schemas: Readonly<Record<string, readonly string[]>> = { blog, shop, odd }

describe('npm run make:resource -- --from-database', () => {
  for (const [name, statements] of Object.entries(schemas)) {
    it(`generates a baseline that creates the same schema: ${name}`, async () => {
      const [existing, empty] = [await openEmpty(), await openEmpty()]
      await execute(existing, statements)
      const { first, tables } = baselineStatements(await introspect(existing.orm), () => false)
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
    expect(fieldsOf('orders')).to.deep.equal(['customer', 'shipments', 'skus'])
    expect(fieldsOf('products')).to.deep.equal(['prices', 'orders'])
    expect(fieldsOf('customer_profiles')).to.deep.equal(['customer'])
    const readOnly = types.filter(({ isReadOnly }) => isReadOnly).map(({ names }) => names.type)
    expect(readOnly).to.have.members(['payments', 'prices', 'sales', 'shipments'])
    expect(remarks.map(({ member, text }) => `${member}: ${text}`)).to.include.members([
      'shipments: Read-only: its key is order_id, number; ids join these values with dots',
      'products.photo: The type bytea has no form in JSON',
      'shipment_events.shipment_events_order_id_shipment_number_fkey: Not a relation: it has several columns (order_id, shipment_number)',
    ])
  })

  it('gives tables and columns with odd names free and valid names', async () => {
    const { types, remarks } = await planOf(odd)
    expect(types).to.have.length(60)
    for (const { names, attributes, toOnes, toManys } of types) {
      expect(names.type).to.match(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
      const properties = [...attributes, ...toOnes, ...toManys].map(({ property }) => property)
      expect(new Set(properties).size).to.equal(properties.length)
      for (const property of properties) expect(property).to.match(/^[a-z][A-Za-z0-9]*$/)
    }
    expect(new Set(types.map(({ names }) => names.type)).size).to.equal(60)
    expect(remarks).to.deep.equal([
      { member: 'no_key', text: 'Not mapped: it has no primary key and no unique columns' },
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

function openEmpty(): Promise<TestDatabase> {
  return openTestDatabase({ entities: [], migrations: [] })
}

async function execute({ orm }: TestDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await orm.em.getConnection().execute(statement)
}

/** The definitions without rows, and without the order in which objects were created. */
async function definitionsOf(database: TestDatabase): Promise<unknown> {
  const { kept, own, others } = JSON.parse(await dumpDatabase(database))
  return { tables: kept.map(({ oid: _, ...table }: { oid: number }) => table), own, others }
}

async function planOf(statements: readonly string[], viewKeys = new Map<string, string>()): Promise<DatabasePlan> {
  const database = await openEmpty()
  try {
    await execute(database, statements)
    const catalog = await introspect(database.orm)
    const names = new Set(catalog.relations.map(({ name }) => name))
    return planDatabase(catalog, { namer: new TypeNamer(['docs'], []), names, viewKeys })
  } finally {
    await database.close()
  }
}
