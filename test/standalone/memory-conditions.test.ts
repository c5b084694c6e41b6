import { expect } from 'chai'
import {
  all,
  any,
  type Condition,
  compare,
  defineResource,
  defineType,
  isIn,
  isNull,
  native,
  never,
  not,
  type Provider,
  textMatch,
} from '#kernel'
import { ofPivot } from '#kernel/plugin'
import { memoryProvider } from '#memory'
import { declared } from '#test/specification/library-app.ts'
import { idsOf } from '#test/specification/support.ts'
import type { TestApp } from '#test/support/app.ts'
import { Book } from '#test/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/support/library/index.ts'

const may = new Date('2024-05-01T10:00:00Z')
const june = new Date('2024-06-01T10:00:00Z')

const rows = [
  { id: 1, title: 'alpha', position: 1, rating: 1.5, printedAt: may, secret: 'Blue_1' },
  { id: 2, title: 'beta', position: 2, rating: null, printedAt: june, secret: null },
  { id: 3, title: 'gamma', position: 3, rating: 4.25, printedAt: null, secret: '100%' },
  { id: 4, title: 'Delta', position: -1, rating: 0, printedAt: may, secret: '' },
]

const comparisons = (['=', '!=', '>', '>=', '<', '<='] as const).flatMap((operator) => [
  compare('position', operator, 2),
  compare('rating', operator, 1.5),
  compare('rating', operator, null),
  compare('secret', operator, '100%'),
  compare('printedAt', operator, may),
  compare('printedAt', operator, '2024-05-01T10:00:00.000Z'),
])

const simple: readonly Condition[] = [
  ...comparisons,
  isIn('position', []),
  isIn('position', [2]),
  isIn('position', [1, 3, 9]),
  isIn('rating', [0, null]),
  isIn('printedAt', [may]),
  isIn('printedAt', [june, new Date('1999-01-01T00:00:00Z')]),
  isNull('rating'),
  isNull('title'),
  textMatch('secret', 'contains', 'BLUE_'),
  textMatch('secret', 'contains', ''),
  textMatch('secret', 'ends', '%'),
  textMatch('title', 'starts', 'd'),
  textMatch('position', 'contains', '1'),
  textMatch('printedAt', 'contains', '2024'),
  native<Book>({ rating: { $ne: 1.5 } }),
  native<Book>({ $or: [{ rating: null }, { position: { $gte: 3 } }] }),
  native<Book>({ printedAt: { $in: [may] } }),
  native<Book>({ printedAt: may }),
  never,
  all(),
  any(),
]

const conditions: readonly Condition[] = [
  ...simple,
  ...simple.map((condition) => not(condition)),
  ...simple.map((condition) => not(not(condition))),
  ...simple.map((condition) => all(condition, not(isNull('rating')))),
  ...simple.map((condition) => not(any(condition, compare('rating', '>', 4)))),
]

/** What the database refuses or what its column types rule out; rows in memory have no columns. */
const undecidable: readonly Condition[] = (['=', '!=', '>', '>=', '<', '<='] as const)
  .flatMap((operator) =>
    [Number.NaN, '2', true, undefined, {}, new Date(Number.NaN), may].map((value) =>
      compare('position', operator, value),
    ),
  )
  .concat(
    compare('printedAt', '=', new Date(Number.NaN)),
    compare('printedAt', '<', 'tomorrow'),
    compare('printedAt', '>', 5),
    isIn('position', [Number.NaN, '1', true]),
    isIn('rating', [null, undefined]),
    textMatch('title', 'contains', 5 as never),
    textMatch('position', 'contains', '1'),
    compare('title', '~' as never, 'alpha'),
  )

/** Conditions that rows in memory cannot be read under at all. */
const impossible: readonly Condition[] = [
  native<Book>({ title: { $like: '%a%' } }),
  native<Book>({ shelf: { name: 'Fiction' } }),
  native<Book>({ $not: { position: 1 } }),
  native<Book>({ title: undefined as never }),
  native('1 = 1' as never),
  ofPivot(compare('position', '=', 1)),
  { kind: 'something' } as never,
]

const filters = ({
  custom,
}: {
  custom: (key: string) => { condition(make: (value: unknown) => Condition): unknown }
}) => [custom('condition').condition((index) => conditions[Number(index)] as Condition)]

/** A condition as a plugin or a provider could make it: filters would refuse most of the values. */
let added: Condition = all()
const inner = memoryProvider(rows)
const provider: Provider = {
  ...inner,
  collection: (type, query, context) => inner.collection(type, { ...query, where: [...query.where, added] }, context),
}

const stored = defineResource(Book, {
  type: 'stored',
  fields: ({ id, string }) => [id(), string('title')],
  filters: filters as never,
})
const kept = (scope?: () => object) =>
  defineType<(typeof rows)[number]>({
    type: 'kept',
    operations: ['FetchCollection', 'FetchOne'],
    fields: ({ id, string, integer, decimal, dateTime }) => [
      id(),
      string('title').sortable(),
      integer('position'),
      decimal('rating').sortable(),
      dateTime('printedAt').sortable(),
    ],
    filters: filters as never,
    provider,
    ...(scope && { scope: scope as never }),
  })

describe('Conditions on rows in memory', () => {
  let library: TestApp

  before(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    await orm.em.fork().insertMany(Book, rows)
    library = await startLibrary({ resources: declared(stored, kept()) })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  afterEach(() => {
    added = all()
  })

  const found = async (path: string) => idsOf((await library.client.get(path)).body.data)
  const foundUnder = (condition: Condition) => {
    added = condition
    return found('/kept')
  }

  it('hold for the same rows as in the store', async () => {
    for (const [index, condition] of conditions.entries()) {
      const path = `?filter[condition]=${index}`
      expect(await found(`/kept${path}`), JSON.stringify(condition)).to.have.members(await found(`/stored${path}`))
    }
  })

  it('are false when the values cannot be compared, and their negation is true', async () => {
    for (const condition of undecidable) {
      expect(await foundUnder(condition), JSON.stringify(condition)).to.deep.equal([])
      expect(await foundUnder(not(condition)), JSON.stringify(condition)).to.have.length(rows.length)
    }
  })

  it('hold for no row when a part of the condition cannot be evaluated, negated or not', async () => {
    for (const condition of impossible) {
      for (const whole of [condition, not(condition), any(all(), condition), all(not(any(condition)))]) {
        expect(await foundUnder(whole), JSON.stringify(whole)).to.deep.equal([])
      }
    }
  })

  it('hold for no row when a scope cannot be evaluated', async () => {
    const app = await startLibrary({ resources: declared(kept(() => ({ title: { $like: 'x' } }))) })
    try {
      expect((await app.client.get('/kept')).body.data).to.deep.equal([])
      expect((await app.client.get('/kept/1')).status).to.equal(404)
    } finally {
      await app.close()
    }
  })

  it('sorts values that cannot be compared after the others, and null last', async () => {
    const odd = [
      { id: 1, value: null },
      { id: 2, value: Number.NaN },
      { id: 3, value: 7 },
      { id: 4, value: 3 },
    ]
    const resource = defineType<(typeof odd)[number]>({
      type: 'odd',
      operations: ['FetchCollection'],
      fields: ({ id, decimal }) => [id(), decimal('value').sortable()],
      provider: memoryProvider(odd),
    })
    const app = await startLibrary({ resources: declared(resource) })
    try {
      expect(idsOf((await app.client.get('/odd?sort=value')).body.data)).to.deep.equal(['4', '3', '2', '1'])
    } finally {
      await app.close()
    }
  })
})
