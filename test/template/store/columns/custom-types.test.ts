import { defineEntity, p, Type } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { buildApp } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { type BothPaths, create, startBothPaths } from '#test/template/support/both-paths.ts'

// The type of a property may store another form of its values than the entity has. Conditions compare stored forms.

class Mirrored extends Type<string, string> {
  override convertToDatabaseValue(value: string): string {
    return [...value].reverse().join('')
  }
  override convertToJSValue(value: string): string {
    return [...value].reverse().join('')
  }
  override getColumnType(): string {
    return 'text'
  }
}

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

/** Converts by SQL functions. */
class Shouted extends Type<string, string> {
  override convertToDatabaseValueSQL(value: string): string {
    return `lower(${value})`
  }
  override convertToJSValueSQL(column: string): string {
    return `upper(${column})`
  }
  override getColumnType(): string {
    return 'text'
  }
}

const couponSchema = defineEntity({
  name: 'Coupon',
  tableName: 'coupons',
  properties: {
    id: p.integer().primary().autoincrement(),
    code: p.type(Mirrored).$type<string>(),
    amount: p.type(Cents).$type<number>(),
    days: p.json<readonly string[]>().nullable(),
  },
})
class Coupon extends couponSchema.class {}
couponSchema.setClass(Coupon)

const coupons = defineResource(Coupon, {
  type: 'coupons',
  policy: 'open',
  fields: ({ id, string, decimal, arrayList }) => [
    id(),
    string('code').uniqueEntity(['code']),
    decimal('amount'),
    arrayList('days').nullable().uniqueEntity(['days']),
  ],
  filters: ({ where, whereIn }) => [
    where('code'),
    whereIn('codes', 'code'),
    where('amount'),
    whereIn('amounts', 'amount'),
  ],
})

const cheerSchema = defineEntity({
  name: 'Cheer',
  tableName: 'cheers',
  properties: { id: p.integer().primary().autoincrement(), word: p.type(Shouted).$type<string>() },
})
class Cheer extends cheerSchema.class {}
cheerSchema.setClass(Cheer)

const cheers = defineResource(Cheer, {
  type: 'cheers',
  policy: 'open',
  fields: ({ id, string }) => [id(), string('word').uniqueEntity(['word'])],
  filters: ({ where, whereIn }) => [where('word'), whereIn('words', 'word')],
})

const badgeSchema = defineEntity({
  name: 'Badge',
  tableName: 'badges',
  properties: { id: p.type(Mirrored).$type<string>().primary(), name: p.text() },
})
class Badge extends badgeSchema.class {}
badgeSchema.setClass(Badge)

const badges = defineResource(Badge, {
  type: 'badges',
  policy: 'open',
  fields: ({ id, string }) => [id().requireClientId(), string('name')],
})

describe('A property whose type converts values', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Coupon, Cheer], [coupons, cheers])
    for (const attributes of [
      { code: 'abc', amount: 9.5 },
      { code: 'xyz', amount: 12, days: ['Monday'] },
    ]) {
      expect((await create(app.fast, 'coupons', attributes)).status).to.equal(201)
    }
    for (const word of ['GOAL', 'BRAVO']) expect((await create(app.fast, 'cheers', { word })).status).to.equal(201)
  })
  after(() => app.close())

  const found = async (path: string) => {
    const { status, body, text } = await app.fast.client.get(path)
    expect(status, text).to.equal(200)
    return body.data.map(({ id }: { id: string }) => id)
  }

  for (const [filter, ids] of Object.entries({
    'coupons?filter[code]=abc': ['1'],
    'coupons?filter[code]=cba': [],
    'coupons?filter[codes]=abc,xyz': ['1', '2'],
    'coupons?filter[codes]=cba,xyz': ['2'],
    'coupons?filter[amount]=9.5': ['1'],
    'coupons?filter[amount]=950': [],
    'coupons?filter[amounts]=9.5,12': ['1', '2'],
    'cheers?filter[word]=GOAL': ['1'],
    'cheers?filter[words]=GOAL,BRAVO': ['1', '2'],
  })) {
    it(`is filtered by the value that documents show: ${filter}`, async () => {
      expect(await found(`/${filter}`)).to.deep.equal(ids)
    })
  }

  for (const text of ['90000000', 'many']) {
    it(`cannot be filtered by a value that its column cannot hold: ${text}`, async () => {
      const { status, body } = await app.fast.client.get(`/coupons?filter[amount]=${text}`)
      expect([status, body.errors[0].source]).to.deep.equal([400, { parameter: 'filter[amount]' }])
    })
  }

  for (const [name, type, attributes] of [
    ['code', 'coupons', { code: 'abc', amount: 1 }],
    ['days', 'coupons', { code: 'def', amount: 1, days: ['Monday'] }],
    ['word', 'cheers', { word: 'GOAL' }],
  ] as const) {
    for (const path of ['fast', 'regular'] as const) {
      it(`and that must be unique is a 422 if another resource has the value: ${name}, ${path} path`, async () => {
        const { status, body } = await create(app[path], type, attributes)
        expect(status).to.equal(422)
        expect(body.errors[0].source).to.deep.equal({ pointer: `/data/attributes/${name}` })
      })
    }
  }
})

describe('A key whose type converts values', () => {
  it('ends the start of the application', async () => {
    const database = await openTestDatabase({ entities: [Badge], migrations: [] })
    const build = buildApp({
      database,
      resources: [{ file: 'test/template/store/columns/custom-types.test.ts', resource: badges }],
    })
    const message = await build.then(
      () => null,
      (error: Error) => error.message,
    )
    await database.close()
    expect(message).to.equal(
      "The key 'id' of Badge has the type Mirrored, which converts values. Use a type that stores them unchanged; `id().encodeUsing()` shows them in another form.",
    )
  })
})
