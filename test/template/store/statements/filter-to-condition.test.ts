import { raw } from '@mikro-orm/core'
import { expect } from 'chai'
import { all, any, type Condition, compare, isIn, isNull, native, never, not } from '#app/kernel/schema/condition.ts'
import { filterToCondition, scopeCondition } from '#app/kernel/schema/filter-to-condition.ts'

const isColumn = (name: string) => name.length === 1
const date = new Date(0)

describe('A MikroORM filter', () => {
  const converted: readonly (readonly [filter: object, condition: Condition])[] = [
    [{}, all()],
    [{ a: 1 }, compare('a', '=', 1)],
    [{ a: 'x', b: true }, all(compare('a', '=', 'x'), compare('b', '=', true))],
    [{ a: 1n, b: date }, all(compare('a', '=', 1n), compare('b', '=', date))],
    [{ a: null }, isNull('a')],
    [{ a: { $eq: null } }, isNull('a')],
    [{ a: { $ne: null } }, not(isNull('a'))],
    [{ a: { $eq: 1 } }, compare('a', '=', 1)],
    [{ a: { $ne: 1 } }, compare('a', '!=', 1)],
    [{ a: { $gt: 1, $lt: 3 } }, all(compare('a', '>', 1), compare('a', '<', 3))],
    [{ a: { $gte: 1, $lte: 3 } }, all(compare('a', '>=', 1), compare('a', '<=', 3))],
    [{ a: { $in: [1, 2] } }, isIn('a', [1, 2])],
    [{ $and: [{ a: 1 }, { b: 2 }] }, all(compare('a', '=', 1), compare('b', '=', 2))],
    [{ $or: [{ a: 1 }, { b: 2 }] }, any(compare('a', '=', 1), compare('b', '=', 2))],
  ]
  for (const [filter, condition] of converted) {
    it(`is converted to a condition: ${printValue(filter)}`, () => {
      expect(filterToCondition(filter, isColumn)).to.deep.equal(condition)
    })
  }

  const kept: readonly unknown[] = [
    { shelf: 1 },
    { shelf: null },
    { a: 1, shelf: 1 },
    { a: [1] },
    { a: { $like: 'x' } },
    { a: { $gt: null } },
    { a: { $gt: 1, $like: 'x' } },
    { a: { $in: [1, null] } },
    { a: { $in: 1 } },
    { a: { $in: new Set([1]) } },
    { a: { $nin: [1] } },
    { a: new Map() },
    { $and: { a: 1 } },
    { $and: [{ a: 1 }, { shelf: 1 }] },
    { $and: [[{ a: 1 }]] },
    { $or: [{ shelf: 1 }, { a: 1 }] },
    { $not: { a: 1 } },
    { a: 1, [raw('b')]: 2 },
    { a: { $gt: 1, [raw('b')]: 2 } },
    [{ a: 1 }],
    'a',
    null,
  ]
  for (const filter of kept) {
    it(`is left to MikroORM: ${printValue(filter)}`, () => {
      expect(filterToCondition(filter, isColumn)).to.equal(null)
    })
  }
})

describe('The result of a scope', () => {
  it('matches all rows if it is true', () => {
    expect(scopeCondition(true)).to.equal(undefined)
  })

  for (const filter of [
    { a: 1 },
    Object.assign(Object.create(null), { a: 1 }),
    { $or: [{ a: 1 }] },
    { a: { $some: {} } },
    { a: { $in: [] } },
  ]) {
    it(`matches the rows of a filter: ${printValue(filter)}`, () => {
      expect(scopeCondition(filter)).to.deep.equal(native(filter))
    })
  }

  for (const value of [
    false,
    null,
    undefined,
    1,
    'true',
    [{ a: 1 }],
    new Map([['a', 1]]),
    {},
    { a: undefined },
    { a: {} },
    { a: 1, b: undefined },
    { $and: [] },
    { $or: [] },
  ]) {
    it(`matches no row otherwise: ${printValue(value)}`, () => {
      expect(scopeCondition(value)).to.equal(never)
    })
  }
})

function printValue(value: unknown): string {
  const isRaw = typeof value === 'object' && value !== null && Object.getOwnPropertySymbols(value).length > 0
  const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part)) ?? 'undefined'
  return isRaw ? `${text} and raw SQL` : text
}
