import { ArrayType, defineEntity, p, Type } from '@mikro-orm/core'
import { expect } from 'chai'
import { loadMigrations } from '#discovery'
import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import type { Database } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { createLibraryTables } from '#test/template/support/library/index.ts'
import { withPlugins } from '#test/template/support/recorded-library.ts'
import { history } from './index.ts'

/** Stores texts in reverse. */
class Mirrored extends Type<string, string> {
  override convertToDatabaseValue(value: string): string {
    return [...value].reverse().join('')
  }
  override convertToJSValue(value: string): string {
    if (value === 'broken') throw new Error('The value has a former form.')
    return [...value].reverse().join('')
  }
  override getColumnType(): string {
    return 'text'
  }
}

class ShortMirrored extends Mirrored {
  override getColumnType(): string {
    return 'varchar(20)'
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

class Inverted extends Type<boolean, boolean> {
  override convertToDatabaseValue(value: boolean): boolean {
    return !value
  }
  override convertToJSValue(value: boolean): boolean {
    return !value
  }
  override getColumnType(): string {
    return 'boolean'
  }
}

/** Masks its texts by an SQL function. */
class Masked extends Type<string, string> {
  override convertToJSValueSQL(column: string): string {
    return `left(${column}, 1)`
  }
  override getColumnType(): string {
    return 'text'
  }
}

/** Shows whether a stored JSON value has a secret. */
class Sealed extends Type<object, string> {
  override convertToDatabaseValue(value: object): string {
    return JSON.stringify(value)
  }
  override convertToJSValue(value: unknown): object {
    return { isSealed: Object.hasOwn(value as object, 'secret') }
  }
  override getColumnType(): string {
    return 'jsonb'
  }
}

/** The log has another form of times than the driver. */
class Year extends Type<string, string> {
  override convertToDatabaseValue(value: string): string {
    return `${value}-03-04`
  }
  override convertToJSValue(value: string): string {
    return value.slice(0, 4)
  }
  override getColumnType(): string {
    return 'timestamptz'
  }
}

/** Has another name, and no conversion of its own. */
class Plain extends Type<string, string> {
  override getColumnType(): string {
    return 'text'
  }
}

const schema = defineEntity({
  name: 'Coupon',
  tableName: 'coupons',
  properties: {
    id: p.integer().primary().autoincrement(),
    code: p.type(Mirrored).$type<string>(),
    short: p.type(ShortMirrored).$type<string>(),
    amount: p.type(Cents).$type<number>(),
    isOpen: p.type(Inverted).$type<boolean>(),
    owner: p.type(Masked).$type<string>(),
    seal: p.type(Sealed).$type<object>(),
    since: p.type(Year).$type<string>(),
    note: p.type(Plain).$type<string>(),
    words: p.type(new ArrayType((item) => item.toUpperCase())).$type<readonly string[]>(),
    days: p.json<readonly string[]>(),
    price: p.decimal('number').precision(6).scale(2),
    clicks: p.bigint('number'),
  },
})
class Coupon extends schema.class {}
schema.setClass(Coupon)

const coupons = defineResource(Coupon, {
  type: 'coupons',
  changes: true,
  history: true,
  policy: open,
  fields: ({ id, string, decimal, boolean, arrayHash, arrayList, integer }) => [
    id(),
    string('code'),
    string('short'),
    decimal('amount'),
    boolean('isOpen'),
    string('owner'),
    arrayHash('seal'),
    string('since'),
    string('note'),
    arrayList('words'),
    arrayList('days'),
    decimal('price'),
    integer('clicks'),
  ],
})

describe('The history of values that a type converts', () => {
  let database: Database
  let started: TestApp
  const listed = withPlugins(history())
  before(async () => {
    const migrations = await loadMigrations({ root: '', folders: [] }, listed)
    database = await openTestDatabase({ entities: [Coupon], migrations })
    await createLibraryTables(database)
    const resources = [{ file: 'custom-types.test.ts', resource: coupons }]
    started = await startApp({ database, plugins: listed, resources, onWrite: () => {} })
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  const attributes = {
    code: 'abc',
    short: 'def',
    amount: 9.5,
    isOpen: true,
    owner: 'ada',
    seal: { secret: 'x' },
    since: '2026',
    note: 'n',
    words: ['a', 'b'],
    days: ['Monday'],
    price: 4.5,
    clicks: 12,
  }
  const latest = async (id: string) => {
    const { status, text, body } = await started.client.get(`/coupons/${id}/-history`)
    expect(status, text).to.equal(200)
    return { text, ...body.data[0].attributes }
  }

  it('has the values that documents show, and no value that it cannot convert', async () => {
    const created = await started.client.post('/coupons', { data: { type: 'coupons', attributes } })
    expect(created.status, created.text).to.equal(201)
    const { body } = await started.client.get('/coupons/1')
    const { owner, since, ...shown } = body.data.attributes
    expect([owner, since]).to.deep.equal(['a', '2026'])
    expect(shown).to.deep.include({ code: 'abc', amount: 9.5, seal: { isSealed: true }, words: ['A', 'B'] })
    const { text, members, after } = await latest('1')
    expect(after).to.deep.equal(shown)
    expect(members).to.include.members(['owner', 'since'])
    for (const stored of ['cba', '950', 'ada', 'secret', '-03-04']) expect(text).not.to.include(stored)
  })

  it('has null, and no value that the type does not convert any more', async () => {
    await started.app.store.query(`alter table coupons alter amount drop not null`)
    await started.app.store.query(`update coupons set code = 'broken', amount = null, owner = 'bob' where id = 1`)
    await started.app.store.query(`update coupons set code = 'z' where id = 1`)
    await started.app.store.query(`update change_log set after = after || '{"words": "{a,b"}' where kind = 'updated'`)
    const { body } = await started.client.get('/coupons/1/-history')
    const [{ attributes: last }, { attributes: first }] = body.data
    expect([last.before, last.after]).to.deep.equal([{}, { code: 'z' }])
    const { members, before, after } = first
    expect(members).to.deep.equal(['amount', 'code', 'owner'])
    expect([before, after]).to.deep.equal([{ code: 'abc', amount: 9.5 }, { amount: null }])
    expect(JSON.stringify(body)).not.to.match(/bob|broken|950/)
  })
})
