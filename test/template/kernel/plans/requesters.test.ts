import { expect } from 'chai'
import { type Caller, compare, defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

// A query that was read for one requester is used for others: what depends on the requester must not be.

const isRoot = (caller: Caller | null) => caller?.principal?.identifier === 'root'
const isStaff = ({ header }: Caller) => header('x-staff') === 'yes'

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, decimal, belongsTo, belongsToMany }) => [
    id(),
    string('title').sortable(),
    integer('position'),
    string('note')
      .storedAs('secret')
      .nullable()
      .hidden((book, caller) => book.title === 'Emma' && !isRoot(caller)),
    decimal('rating')
      .nullable()
      .sortable()
      .hiddenFor((caller) => !isRoot(caller)),
    belongsTo('shelf', 'shelves').hiddenFor((caller) => !isRoot(caller)),
    belongsToMany('tags', 'tags')
      .countable()
      .withData()
      .cannotBeIncluded((_, caller) => !isStaff(caller)),
  ],
  countable: true,
  sorts: { place: { property: 'position', availableWhen: isStaff } },
  filters: ({ where, range, custom }) => [
    where('title').availableWhen(isRoot),
    range('rating'),
    where('place', 'position').default(1).availableWhen(isStaff),
    custom('near').condition((value, caller) => compare('position', isRoot(caller) ? '=' : '>', Number(value))),
  ],
  defaultIncludes: (book) => (book.title === 'Emma' ? ['shelf'] : []),
  meta: (_, caller) => ({ reader: caller?.principal?.identifier ?? null }),
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books').countable()],
  scope: (caller) => isRoot(caller) || { name: 'Fiction' },
})

const profiles = ['relationship-queries', 'countable']
  .map((name) => `https://haddowg.github.io/json-api/profiles/${name}/`)
  .join(' ')

const requesters: Readonly<Record<string, Record<string, string>>> = {
  anonymous: {},
  ann: as('ann'),
  root: as('root'),
  staff: { 'x-staff': 'yes' },
  'ann with profiles': { ...as('ann'), accept: `application/vnd.api+json;profile="${profiles}"` },
}

const paths = [
  '/books',
  '/books?sort=-rating',
  '/books?sort=place',
  '/books?filter[title]=Emma',
  '/books?filter[rating][min]=1',
  '/books?filter[place]=2',
  '/books?filter[near]=2',
  '/books?fields[books]=title,rating,shelf',
  '/books?include=shelf',
  '/books?include=tags',
  '/books?include=',
  '/books?withCount=tags,_self_',
  '/books?relatedQuery[tags][sort]=name',
  '/books/1',
  '/books/1?fields[books]=rating',
  '/books/1/shelf',
  '/books/1/relationships/tags',
  '/shelves',
  '/shelves/1?include=books',
  '/shelves/1/books?sort=title',
  '/shelves/1/relationships/books',
  '/shelves/2/books',
]

describe('A query that was read before', () => {
  const open: TestApp[] = []
  const start = async (): Promise<TestApp> => {
    const app = await startLibrary({
      resources: libraryWith(books, shelves),
      plugins: pluginsWithTokens('root', 'ann'),
    })
    open.push(app)
    return app
  }
  after(async () => {
    for (const app of open) await app.close()
    await emptyLibrary()
  })

  /** Each application has seen a path at most once: no query is kept. */
  const expected = new Map<string, unknown>()
  before(async () => {
    await fillLibrary()
    for (const [name, headers] of Object.entries(requesters)) {
      const { client, app } = await start()
      for (const path of paths) expected.set(`${name} ${path}`, await read(client, path, headers))
      expect(app.plans.sizes.queries).to.equal(0)
    }
  })

  for (const [name, headers] of Object.entries(requesters)) {
    it(`for ${name} returns to every other requester what it returns without it`, async () => {
      const { client, app } = await start()
      for (const path of paths) {
        for (let time = 0; time < 3; time++) await client.get(path, headers)
        for (const [other, otherHeaders] of Object.entries(requesters)) {
          for (const state of ['read for another', 'admitted', 'kept']) {
            const response = await read(client, path, otherHeaders)
            expect(response, `${path} of ${other}, ${state}`).to.deep.equal(expected.get(`${other} ${path}`))
          }
        }
      }
      expect(app.plans.sizes.queries).to.be.above(10)
    })
  }
})

async function read(client: Client, path: string, headers: Record<string, string>) {
  const { status, text, headers: received } = await client.get(path, headers)
  const shown = text.replaceAll(client.url, '').replace(/"id":"[\w-]{36}"/g, '') // ids of errors
  return { status, text: shown, vary: received.get('vary'), etag: received.get('etag') !== null }
}
