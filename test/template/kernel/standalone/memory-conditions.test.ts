import { expect } from 'chai'
import { all, any, type Condition, compare, defineType, isIn, native, not, type Provider, textMatch } from '#kernel'
import { ofPivot } from '#kernel/queries'
import { memoryProvider } from '#memory'
import type { TestApp } from '#test/support/app.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { readIds } from '#test/template/specification/support.ts'
import type { Book } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'

const may = new Date('2024-05-01T10:00:00Z')

const rows = [
  { id: 1, title: 'alpha', position: 1, rating: 1.5, printedAt: may, secret: 'Blue_1' },
  { id: 2, title: 'beta', position: 2, rating: null, printedAt: new Date('2024-06-01T10:00:00Z'), secret: null },
  { id: 3, title: 'gamma', position: 3, rating: 4.25, printedAt: null, secret: '100%' },
  { id: 4, title: 'Delta', position: -1, rating: 0, printedAt: may, secret: '' },
]

/** Comparisons of different types. A database rejects them; rows in memory have no column types. */
const incomparable: readonly Condition[] = (['=', '!=', '>', '>=', '<', '<='] as const)
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

/** Conditions that cannot be evaluated in memory. */
const unsupported: readonly Condition[] = [
  native<Book>({ title: { $like: '%a%' } }),
  native<Book>({ shelf: { name: 'Fiction' } }),
  native<Book>({ $not: { position: 1 } }),
  native<Book>({ title: undefined as never }),
  native('1 = 1' as never),
  ofPivot(compare('position', '=', 1)),
  { kind: 'something' } as never,
]

/** A condition as a plugin could add it; filters would reject most of these values. */
let added: Condition = all()
const inner = memoryProvider(rows)
const provider: Provider = {
  ...inner,
  collection: (type, query, context) => inner.collection(type, { ...query, where: [...query.where, added] }, context),
}

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
    provider,
    ...(scope && { scope: scope as never }),
  })

describe('Conditions on rows in memory', () => {
  let library: TestApp

  before(async () => {
    library = await startLibrary({ resources: declared(kept()) })
  })
  after(() => library.close())

  afterEach(() => {
    added = all()
  })

  const found = async (path: string) => readIds((await library.client.get(path)).body.data)
  const foundUnder = (condition: Condition) => {
    added = condition
    return found('/kept')
  }

  it('are false when the values cannot be compared, and their negation is true', async () => {
    for (const condition of incomparable) {
      expect(await foundUnder(condition), JSON.stringify(condition)).to.deep.equal([])
      expect(await foundUnder(not(condition)), JSON.stringify(condition)).to.have.length(rows.length)
    }
  })

  it('match no row when a part of the condition cannot be evaluated, negated or not', async () => {
    for (const condition of unsupported) {
      for (const whole of [condition, not(condition), any(all(), condition), all(not(any(condition)))]) {
        expect(await foundUnder(whole), JSON.stringify(whole)).to.deep.equal([])
      }
    }
  })

  it('match no row when a scope cannot be evaluated', async () => {
    const app = await startLibrary({ resources: declared(kept(() => ({ title: { $like: 'x' } }))) })
    try {
      expect((await app.client.get('/kept')).body.data).to.deep.equal([])
      expect((await app.client.get('/kept/1')).status).to.equal(404)
    } finally {
      await app.close()
    }
  })

  it('sort values that cannot be compared after comparable values, and null last', async () => {
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
    // NaN is shown as a text, which the document of a number does not describe.
    const app = await startLibrary({ resources: declared(resource), undescribed: ['default', 'admin'] })
    try {
      expect(readIds((await app.client.get('/odd?sort=value')).body.data)).to.deep.equal(['4', '3', '2', '1'])
    } finally {
      await app.close()
    }
  })
})
