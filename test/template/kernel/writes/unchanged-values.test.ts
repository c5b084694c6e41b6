import { defineEntity, p, Type } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { type BothPaths, create, startBothPaths } from '#test/template/support/both-paths.ts'

// A value has several spellings, such as 9.5 and 9.50. An update with another spelling keeps the version of the row.

class Cents extends Type<number, number> {
  override convertToDatabaseValue(value: number): number {
    return Math.round(value * 100)
  }
  override convertToJSValue(value: number): number {
    return value / 100
  }
  override getColumnType(): string {
    return 'int'
  }
}

const schema = defineEntity({
  name: 'Ware',
  tableName: 'wares',
  properties: {
    id: p.integer().primary().autoincrement(),
    price: p.decimal('number').precision(12).scale(2),
    cost: p.decimal('string').precision(12).scale(2),
    weight: p.decimal('string').columnType('numeric'),
    stock: p.bigint(),
    amount: p.type(Cents).$type<number>(),
    code: p.character().length(3),
    key: p.uuid(),
    sizes: p.array<string>().columnType('numeric(10,2)[]'),
    counts: p.array<string>().columnType('bigint[]'),
    steps: p.array<string>().columnType('jsonb[]'),
    facts: p.json<object>().nullable(),
    extra: p.json<object>().nullable(),
  },
})
class Ware extends schema.class {}
schema.setClass(Ware)

const wares = defineResource(Ware, {
  type: 'wares',
  policy: 'open',
  fields: ({ id, string, integer, decimal, arrayList, arrayHash, uuid }) => [
    id(),
    decimal('price'),
    decimal('cost'),
    decimal('weight'),
    integer('stock'),
    decimal('amount'),
    string('code'),
    uuid('key'),
    arrayList('sizes'),
    arrayList('counts'),
    arrayList('steps'),
    arrayHash('facts').nullable(),
    arrayHash('extra').nullable(),
  ],
  filters: ({ where }) => [where('code')],
})

const values = {
  price: 9.5,
  cost: 9.5,
  weight: 9.5,
  stock: 5,
  amount: 9.5,
  code: 'ab',
  key: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
  sizes: [1.5],
  counts: [5],
  steps: ['1'],
  facts: { size: 1 },
  extra: null,
}
const spellings: readonly (readonly [string, unknown])[] = [
  ...Object.entries(values),
  ['price', 9.501],
  ['cost', 9.501],
  ['amount', 9.501],
  ['code', 'ab '],
  ['key', values.key.toUpperCase()],
  ['sizes', ['1.50']],
  ['counts', ['5']],
]
const others: readonly (readonly [string, unknown])[] = [
  ['price', 9.51],
  ['cost', 9.51],
  ['weight', 9.501],
  ['stock', 6],
  ['amount', 9.51],
  ['code', ' ab'],
  ['key', values.key.replace('a', 'b')],
  ['sizes', [1.5, 1.5]],
  ['counts', [6]],
  ['steps', ['2']],
  ['facts', { size: 2 }],
  ['facts', null],
  ['extra', {}],
]

/** Without a condition the row is not read before. */
const requests = { unread: {}, read: { 'If-Match': '*' } }

describe('An update', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Ware], [wares])
  })
  beforeEach(async () => {
    await app.execute('truncate wares restart identity')
    expect((await create(app.fast, 'wares', values)).status).to.equal(201)
    await app.execute(`update wares set weight = 9.50, facts = '{"size": 1.0}', extra = 'null'`)
  })
  after(() => app.close())

  const keepsVersion = async (path: 'fast' | 'regular', name: string, value: unknown, headers: object) => {
    const version = () => app.execute('select xmin::text as version from wares')
    const before = await version()
    const data = { type: 'wares', id: '1', attributes: { [name]: value } }
    const { status, text } = await app[path].client.patch('/wares/1', { data }, headers as Record<string, string>)
    expect(status, text).to.equal(200)
    const [after] = await version()
    return after?.version === before[0]?.version
  }

  for (const [kind, headers] of Object.entries(requests)) {
    for (const [name, value] of spellings) {
      it(`with an equal value keeps the version of the row: ${name} ${JSON.stringify(value)}, ${kind}`, async () => {
        expect(await keepsVersion('fast', name, value, headers)).to.equal(true)
      })
    }
    for (const [name, value] of others) {
      it(`with another value changes the row: ${name} ${JSON.stringify(value)}, ${kind}`, async () => {
        expect(await keepsVersion('fast', name, value, headers)).to.equal(false)
      })
    }
  }

  for (const name of ['price', 'cost', 'weight', 'stock', 'amount'] as const) {
    it(`by MikroORM with an equal value keeps the version of the row: ${name}`, async () => {
      expect(await keepsVersion('regular', name, values[name], {})).to.equal(true)
    })
  }

  it('of another attribute keeps the stored form of an equal JSON value', async () => {
    const attributes = { stock: 6, facts: values.facts, extra: null }
    const { status } = await app.fast.client.patch('/wares/1', { data: { type: 'wares', id: '1', attributes } })
    expect(status).to.equal(200)
    const [row] = await app.execute('select facts::text, extra::text, stock::int from wares')
    expect(row).to.deep.equal({ facts: '{"size": 1.0}', extra: 'null', stock: 6 })
  })

  it('of a text with a fixed length is found by the value with and without its blanks', async () => {
    for (const code of ['ab', 'ab%20']) {
      expect((await app.fast.client.get(`/wares?filter[code]=${code}`)).body.data).to.have.length(1)
    }
  })
})
