import { expect } from 'chai'
import { compare, defineResource } from '#kernel'
import { all, any, isIn, isNull, native, never, not } from '#kernel/queries'
import { cursor, menu, offset, page } from '#plugins/pagination/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { readAs } from '#test/template/support/read-as.ts'

// Requests with the same names and other values share a plan, unless a value changes the statement or the document.

/** A condition of an author that has another form for each value. */
const forms = {
  null: isNull('rating'),
  notNull: not(isNull('rating')),
  one: compare('position', '=', 1),
  none: isIn('position', []),
  single: isIn('position', [2]),
  many: isIn('position', [2, 3]),
  most: isIn('position', [1, 2, 3]),
  any: any(isNull('rating'), compare('position', '>', 2)),
  all: all(compare('rating', '>=', 7), compare('position', '<', 3)),
  empty: all(),
  never,
  native: native<Book>({ title: { $like: '%a%' } }),
  otherNative: native<Book>({ position: { $gt: 1 }, shelf: { name: 'Fiction' } }),
  nullValue: compare('position', '!=', 0),
} as const

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, decimal, dateTime, belongsTo, belongsToMany }) => [
    id(),
    string('title').sortable(),
    integer('position').sortable(),
    decimal('rating').nullable().sortable(),
    dateTime('printedAt').nullable().sortable(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags').countable(),
  ],
  countable: true,
  filters: ({ where, whereIn, whereNotIn, whereIdIn, range, dateRange, whereHas, whereThrough, custom }) => [
    where('place', 'position').default(1),
    where('title').singular(),
    where('rating').deserializeUsing((text) => (text === 'none' ? null : Number(text))),
    where('notRating', 'rating', '!=').deserializeUsing((text) => (text === 'none' ? null : Number(text))),
    whereIn('positions', 'position'),
    whereNotIn('notPositions', 'position'),
    whereIdIn(),
    range('rated', 'rating'),
    dateRange('printedAt'),
    whereHas('shelf'),
    whereThrough('shelf.name'),
    custom('form').condition((value) => forms[String(value) as keyof typeof forms]),
    custom('words').handledBy('search', 'title', 'secret'),
  ],
  sorts: {
    score: { handler: (descending) => [{ property: 'rating', descending }] },
  },
  defaultIncludes: ['shelf'],
  pagination: () => menu(page({ size: 2 }), cursor({ size: 2 }), offset({ size: 3 })),
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany }) => [
    id(),
    string('name').sortable(),
    hasMany('books', 'books')
      .countable()
      .paginate(page({ size: 2 })),
  ],
  defaultIncludes: (shelf) => (shelf.name === 'Fiction' ? ['books'] : []),
})

/** The values of parameters, which are sent in pairs. */
const values: Readonly<Record<string, readonly string[]>> = {
  'a filter with a default': ['', 'filter[place]=2', 'filter[place]=', 'filter[place]=9'],
  'a singular filter': ['filter[place]=', 'filter[place]=&filter[title]=Emma', 'filter[place]=&filter[title]=Nope'],
  'a value that is null': ['filter[place]=&filter[rating]=7', 'filter[place]=&filter[rating]=none'],
  'a negated value that is null': ['filter[place]=&filter[notRating]=7', 'filter[place]=&filter[notRating]=none'],
  'the bounds of a range': [
    '[min]=7',
    '[max]=7',
    '[min]=7&R[max]=8',
    '[min]=&R[max]=8',
    '[min]=8&R[max]=',
    '[min]=',
  ].map((bounds) => `filter[place]=&R${bounds}`.replaceAll('R[', 'filter[rated][')),
  'the bounds of a range of dates': [
    '[min]=1850-01-01',
    '[max]=1850-01-01',
    '[min]=',
    '[min]=1800-01-01T00:00:00Z',
  ].map((bounds) => `filter[place]=&filter[printedAt]${bounds}`),
  'the length of a list': ['', '1', '1,2', '1,2,3', '3', '9'].map((list) => `filter[place]=&filter[positions]=${list}`),
  'the length of an excluded list': ['', '1', '1,2'].map((list) => `filter[place]=&filter[notPositions]=${list}`),
  'a list of ids': ['', '1', '1,2', '99'].map((list) => `filter[place]=&filter[id]=${list}`),
  'a related row': ['true', 'false', ''].map((value) => `filter[place]=&filter[shelf]=${value}`),
  'the words of a search': ['', 'emma', 'lady susan', 'a b c'].map((value) => `filter[place]=&filter[words]=${value}`),
  'a condition of an author': Object.keys(forms).map((form) => `filter[place]=&filter[form]=${form}`),
  'a refused condition': ['filter[form]=one', 'filter[form]=unknown'],
  'the size of a page': ['0', '1', '2', '50', '-1', 'x'].map((size) => `filter[place]=&page[size]=${size}`),
  'the number of a page': ['1', '2', '3', '99', '0'].map((number) => `filter[place]=&page[number]=${number}`),
  'the offset of a page': ['0', '1', '4'].map((from) => `filter[place]=&page[offset]=${from}`),
  'the limit of a page': ['0', '1', '3'].map((limit) => `filter[place]=&page[limit]=${limit}`),
  'the kind of a page': ['page', 'cursor', 'offset', 'other'].map((kind) => `filter[place]=&page[kind]=${kind}`),
  'an include': ['include=', 'include=shelf', 'include=tags', 'include=shelf.books', 'include=tags,shelf', ''],
  'a fieldset': ['fields[books]=', 'fields[books]=title', 'fields[books]=title,shelf', 'fields[books]=shelf,title', ''],
  'the fieldset of an include': ['fields[shelves]=name', 'fields[shelves]=', 'fields[shelves]=books', ''],
  'the order': ['sort=title', 'sort=-title', 'sort=', 'sort=rating,-title', 'sort=score', 'sort=-score'].map(
    (sort) => `filter[place]=&${sort}`,
  ),
  'a count': ['withCount=_self_', 'withCount=tags', 'withCount=tags,_self_', 'withCount='].map(
    (count) => `filter[place]=&${count}`,
  ),
}

describe('Values that share a plan', () => {
  const open: TestApp[] = []
  const start = async (options: TestAppOptions = {}): Promise<TestApp> => {
    const app = await startLibrary({ resources: libraryWith(books, shelves), ...options })
    open.push(app)
    return app
  }
  /** Without kept plans, applications still cache statements: one receives the values in the reverse order. */
  let reference: TestApp
  let reversed: TestApp
  before(async () => {
    await fillLibrary()
    reference = await start({ maxPlans: 0 })
    reversed = await start({ maxPlans: 0 })
  })
  after(async () => {
    for (const app of open) await app.close()
    await emptyLibrary()
  })

  const expectEqual = async (paths: readonly string[], requester = {}) => {
    const { client } = await start()
    const expected = new Map<string, unknown>()
    for (const path of paths) expected.set(path, await readAs(reference.client.url, path, requester))
    for (const path of paths.toReversed())
      expect(await readAs(reversed.client.url, path, requester), path).to.deep.equal(expected.get(path))
    const distinct = new Set([...expected.values()].map((response) => JSON.stringify(response)))
    expect(distinct.size, 'distinct responses').to.be.above(1)
    for (const path of requestSequence(paths))
      expect(await readAs(client.url, path, requester), path).to.deep.equal(expected.get(path))
  }

  for (const [title, queries] of Object.entries(values)) {
    it(`return what they return without a kept plan: ${title}`, () =>
      expectEqual(queries.map((query) => `/books?${encodeURI(query)}`)))
  }

  it('return what they return without a kept plan: the boundary of a cursor, which may be null', async () => {
    for (const sort of ['rating', '-rating', 'printedAt,-rating']) {
      const first = `/books?filter[place]=&page[kind]=cursor&page[size]=1&sort=${sort}`
      const pages = [first]
      for (let next: string | null = first; next && pages.length < 6; ) {
        const { body } = await reference.client.get(next)
        next = body.links.next ? String(body.links.next).replace(reference.client.url, '') : null
        if (next)
          pages.push(next, ...(body.links.prev ? [String(body.links.prev).replace(reference.client.url, '')] : []))
      }
      expect(pages.length, 'pages').to.be.above(3)
      await expectEqual(pages)
    }
  })

  it('return what they return without a kept plan: rows with other default includes', () =>
    expectEqual([
      '/shelves/1',
      '/shelves/2',
      '/shelves?sort=name',
      '/shelves?sort=-name',
      '/shelves/99',
      '/books/1/shelf',
    ]))

  it('return what they return without a kept plan: queries of a relation', async () => {
    const accept = `application/vnd.api+json;profile="https://haddowg.github.io/json-api/profiles/relationship-queries/"`
    const queries = [
      '[sort]=title',
      '[sort]=-title',
      '[filter][place]=2',
      '[filter][place]=',
      '[filter][positions]=1,2',
    ]
    const paths = queries.map((query) => `/shelves?include=books&relatedQuery[books]${query}`)
    await expectEqual([...paths, '/shelves?include=books'].map(encodeURI), { accept })
  })
})

/** Every pair of values as A, A, B, B, A, and the reverse order. */
function requestSequence(paths: readonly string[]): string[] {
  const pairs = paths.flatMap((one, index) => paths.slice(index + 1).map((other) => [one, one, other, other, one]))
  return [...pairs.flat(), ...paths.toReversed()]
}
