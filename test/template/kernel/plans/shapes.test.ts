import { expect } from 'chai'
import { defineResource } from '#kernel'
import { cursor, menu, page } from '#plugins/pagination/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

// Values share a plan; what changes a statement or the document does not.

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, decimal, belongsTo, belongsToMany }) => [
    id(),
    string('title').sortable(),
    integer('position').sortable(),
    decimal('rating').nullable().sortable(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags').countable(),
  ],
  countable: true,
  filters: ({ where, whereIn, range }) => [
    where('place', 'position').default(1),
    where('title').singular(),
    where('named', 'title'),
    whereIn('positions', 'position'),
    range('rated', 'rating'),
  ],
  pagination: () => menu(page({ size: 2 }), cursor({ size: 2 })),
})

const same: readonly (readonly [title: string, ...paths: string[]])[] = [
  ['ids', '/books/1', '/books/2', '/books/99'],
  ['values of a filter', '/books?filter[place]=1', '/books?filter[place]=2'],
  ['lists of several values', '/books?filter[positions]=1,2', '/books?filter[positions]=1,2,3,4'],
  ['bounds of a range', '/books?filter[rated][min]=1', '/books?filter[rated][min]=8.5'],
  ['numbers of a page', '/books?page[number]=2', '/books?page[number]=9'],
  ['sizes of a page', '/books?page[size]=1', '/books?page[size]=50'],
  ['texts in another order', '/books?fields[books]=title,shelf', '/books?fields[books]=shelf,title'],
]

const other: typeof same = [
  ['a default that is lifted', '/books', '/books?filter[place]='],
  ['a singular filter', '/books?filter[title]=Emma', '/books?filter[named]=Emma'],
  ['lists of none, one and several values', ...['', '1', '1,2'].map((list) => `/books?filter[positions]=${list}`)],
  ['open bounds', ...['[min]=1', '[max]=1', '[min]='].map((bound) => `/books?filter[rated]${bound}`)],
  ['an offset', '/books?page[number]=1', '/books?page[number]=2'],
  ['a page without rows', '/books?page[size]=0', '/books?page[size]=1'],
  ['a kind of page', '/books?page[kind]=cursor', '/books?page[kind]=page'],
  ['a count', '/books', '/books?withCount=_self_', '/books?withCount=tags'],
  ['an order', '/books?sort=title', '/books?sort=-title', '/books?sort=rating'],
  ['an include', '/books', '/books?include=', '/books?include=shelf', '/books?include=tags'],
  ['a fieldset', '/books', '/books?fields[books]=title', '/books?fields[books]=', '/books?fields[shelves]='],
  ['a related type', '/books/1/shelf', '/books/1/tags', '/books/1/relationships/tags', '/books/1'],
]

describe('The plans of an application', () => {
  let library: TestApp
  beforeEach(async () => {
    await fillLibrary()
    library = await startLibrary({ resources: libraryWith(books) })
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  const countPlans = async (paths: readonly string[]) => {
    const before = library.app.plans.sizes.plans
    for (const path of paths) await library.client.get(path)
    return library.app.plans.sizes.plans - before
  }

  for (const [title, ...paths] of same) {
    it(`are shared by other ${title}`, async () => {
      expect(await countPlans(paths)).to.equal(1)
    })
  }

  for (const [title, ...paths] of other) {
    it(`are not shared by requests that differ in ${title}`, async () => {
      expect(await countPlans(paths)).to.equal(paths.length)
    })
  }

  it('are shared by cursors, unless the value at their boundary is null', async () => {
    const next: string[] = []
    const previous: string[] = []
    for (let path = '/books?filter[place]=&page[kind]=cursor&page[size]=1&sort=rating'; path; ) {
      const { links } = (await library.client.get(path)).body
      if (links.prev) previous.push(links.prev)
      if (links.next) next.push(links.next)
      path = links.next
    }
    const [before8, beforeNull] = previous.slice(-2) as [string, string]
    await library.close()
    library = await startLibrary({ resources: libraryWith(books) })
    const paths = [...next, before8, beforeNull].map((link) => link.slice(link.indexOf('/books')))
    const counts: number[] = []
    for (const path of paths) counts.push(await countPlans([path]))
    expect(counts).to.deep.equal([1, 0, 0, 1, 1])
  })
})
