import { defineEntity, p, quote } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { cursor } from '#plugins/cursor-profile/index.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'

// A formula of an entity is an attribute that SQL computes.

const orderSchema = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: p.integer().primary(),
    net: p.integer(),
    Label: p.text().fieldName('Label'),
    lines: () => p.oneToMany(Line).mappedBy('order'),
    // A number of rows is an int8, which the declared type is not.
    lineCount: p.integer().formula((columns: Columns) => {
      return `select count(*) from lines where lines.order_id = ${columns.id}`
    }),
    gross: p
      .decimal('number')
      .precision(10)
      .scale(2)
      .formula((columns: Columns) => `${columns.net} * 1.5`),
    shout: p.text().formula((columns: Columns) => quote`upper(${columns.Label as string})`),
    lastShippedAt: p
      .datetime(3)
      .nullable()
      .formula((columns: Columns) => `select max(shipped_at) from lines where lines.order_id = ${columns.id}`),
    siblings: p.integer().formula((columns: Columns) => {
      return `select count(*) from orders o where o.net = ${columns.net} and o.id <> ${columns.id}`
    }),
  },
})
class Order extends orderSchema.class {}
orderSchema.setClass(Order)
type Columns = Readonly<Record<string, string>>

const lineSchema = defineEntity({
  name: 'Line',
  tableName: 'lines',
  properties: {
    id: p.integer().primary(),
    order: () => p.manyToOne(Order).ref(),
    shippedAt: p.datetime(3).nullable(),
  },
})
class Line extends lineSchema.class {}
lineSchema.setClass(Line)

const orders = defineResource(Order, {
  type: 'orders',
  policy: open,
  fields: ({ id, integer, decimal, string, dateTime, hasMany }) => [
    id().allowClientId(),
    integer('net'),
    string('label').storedAs('Label'),
    integer('lineCount').sortable(),
    decimal('gross').sortable(),
    string('shout'),
    dateTime('lastShippedAt').sortable(),
    integer('siblings'),
    hasMany('lines', 'lines'),
  ],
  filters: ({ where, range }) => [where('lineCount'), where('shout'), range('gross'), range('lastShippedAt')],
  pagination: () => cursor({ size: 2 }),
})
const lines = defineResource(Line, {
  type: 'lines',
  policy: open,
  fields: ({ id, belongsTo, integer }) => [
    id(),
    belongsTo('order', 'orders'),
    integer('ordered')
      .on('order')
      .storedAs('lineCount' as never),
  ],
  filters: ({ whereThrough }) => [whereThrough('count', 'order.lineCount')],
})

describe('A formula as an attribute', () => {
  let database: TestDatabase
  let app: TestApp

  before(async () => {
    database = await openTestDatabase({ entities: [Order, Line], migrations: [] })
    await database.orm.schema.create()
    const resources = [orders, lines].map((resource) => ({ file: 'orders.ts', resource }))
    app = await startApp({ database, resources, onWrite: () => {} })
  })
  beforeEach(async () => {
    const connection = database.orm.em.getConnection()
    await connection.execute('truncate orders, lines cascade')
    await connection.execute(
      `insert into orders (id, net, "Label") values (1, 10, 'a'), (2, 20, 'b'), (3, 10, 'c'), (4, 5, 'd')`,
    )
    await connection.execute(
      `insert into lines (id, order_id, shipped_at) values
        (1, 1, '2024-01-01T00:00:00Z'), (2, 1, '2024-02-01T00:00:00Z'), (3, 2, null)`,
    )
  })
  after(async () => {
    await app.close()
    await database.close()
  })

  const get = async (path: string) => {
    const { status, body, text } = await app.client.get(path)
    expect(status, text).to.equal(200)
    return body
  }
  const idsOf = async (path: string) => (await get(path)).data.map(({ id }: { id: string }) => id)

  it('is read with the value and the type that the property declares', async () => {
    expect((await get('/orders/1')).data.attributes).to.deep.equal({
      net: 10,
      label: 'a',
      lineCount: 2,
      gross: 15,
      shout: 'A',
      lastShippedAt: '2024-02-01T00:00:00+00:00',
      siblings: 1,
    })
    expect((await get('/orders/4')).data.attributes).to.include({ lineCount: 0, lastShippedAt: null })
  })

  it('is read in fieldsets, includes, related resources and through on()', async () => {
    const { data } = await get('/orders/1?fields[orders]=lineCount,gross')
    expect(data.attributes).to.deep.equal({ lineCount: 2, gross: 15 })
    const { data: line, included } = await get('/lines/3?include=order&fields[orders]=lineCount')
    expect(included[0].attributes).to.deep.equal({ lineCount: 1 })
    expect(line.attributes).to.deep.equal({ ordered: 1 })
    expect((await get('/lines?include=order')).included[0].attributes).to.include({ lineCount: 2, shout: 'A' })
    expect((await get('/lines/1/order')).data.attributes).to.include({ lineCount: 2 })
  })

  it('is filtered and sorted by', async () => {
    expect(await idsOf('/orders?filter[lineCount]=2')).to.deep.equal(['1'])
    expect(await idsOf('/orders?filter[shout]=B')).to.deep.equal(['2'])
    expect(await idsOf('/orders?filter[gross][min]=15.5')).to.deep.equal(['2'])
    expect(await idsOf('/orders?filter[lastShippedAt][max]=2024-03-01T00:00:00Z')).to.deep.equal(['1'])
    expect(await idsOf('/lines?filter[count]=2')).to.deep.equal(['1', '2'])
    expect((await app.client.get('/orders?filter[lineCount]=two')).status).to.equal(400)
    expect(await idsOf('/orders?sort=-lineCount,-gross')).to.deep.equal(['1', '2'])
  })

  it('is the order of pages by cursor, nulls included', async () => {
    for (const sort of ['lineCount', '-lineCount', 'lastShippedAt', '-lastShippedAt']) {
      const seen: string[] = []
      let next: string | undefined = `/orders?sort=${sort}`
      while (next) {
        const { data, links }: { data: { id: string }[]; links: { next?: string } } = await get(next)
        seen.push(...data.map(({ id }) => id))
        next = links.next && new URL(links.next).pathname + new URL(links.next).search
      }
      expect(seen.toSorted(), sort).to.deep.equal(['1', '2', '3', '4'])
    }
  })

  it('is ignored in a create and an update, whose responses have the value after the write', async () => {
    const attributes = { net: 20, label: 'e', lineCount: 9, gross: 1, shout: 'X' }
    const created = await app.client.post('/orders', { data: { type: 'orders', id: '5', attributes } })
    expect(created.status, created.text).to.equal(201)
    const expected = { net: 20, label: 'e', lineCount: 0, gross: 30, shout: 'E', lastShippedAt: null, siblings: 1 }
    expect(created.body.data.attributes).to.deep.equal(expected)
    const changed = { type: 'orders', id: '5', attributes: { net: 10, gross: 1 } }
    const { body } = await app.client.patch('/orders/5', { data: changed })
    expect(body.data.attributes).to.deep.equal({ ...expected, net: 10, gross: 15, siblings: 2 })
  })

  it('is described in responses, not in the bodies of requests', async () => {
    const { schemas } = JSON.parse((await app.client.get('/docs.json')).text).components
    const names = Object.keys(schemas).filter((name) => 'lineCount' in (schemas[name].properties ?? {}))
    const others = Object.keys(schemas).filter((name) => 'net' in (schemas[name].properties ?? {}))
    expect(names).to.have.length(1)
    expect(others).to.include.members(names)
    expect(others).to.have.length.above(1)
  })
})
