import { expect } from 'chai'
import { type Caller, compare, defineResource, type Principal } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Book, Label, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { type Received, type Requester, readAs } from '#test/template/support/read-as.ts'

// A query that was read for one requester is used for others: what depends on the requester must not be.

const isRoot = (caller: Caller | null) => caller?.principal?.identifier === 'root'
const isStaff = ({ header }: Caller) => header('x-staff') === 'yes'

const server = ['default', 'admin']

const books = defineResource(Book, {
  type: 'books',
  server,
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
    where('named', 'title').singular(),
    range('rating'),
    where('place', 'position').default(1).availableWhen(isStaff),
    custom('near').condition((value, caller) => compare('position', isRoot(caller) ? '=' : '>', Number(value))),
  ],
  defaultIncludes: (book) => (book.title === 'Emma' ? ['shelf'] : []),
  meta: (_, caller) => ({ reader: caller?.principal?.identifier ?? null }),
  links: (book, caller) => (isRoot(caller) ? { edit: `/books/${book.id}/edit` } : {}),
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  server,
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name'),
    hasMany('books', 'books').countable(),
    hasOne('label', 'labels'),
  ],
  scope: (caller) => isRoot(caller) || (caller?.principal ? { name: 'Fiction' } : { books: { title: 'Emma' } }),
})

class LabelPolicy extends Policy<Label> {
  static override readonly needs = { view: [], viewTrashed: [], restore: [], forceDelete: [] }

  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  viewTrashed = (principal: Principal | null) => principal?.identifier === 'root'
  restore = (principal: Principal | null) => principal?.identifier === 'root'
  forceDelete = (principal: Principal | null) => principal !== null
}

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text').sortable(), belongsTo('shelf', 'shelves')],
  policy: LabelPolicy,
  softDeletes: { property: 'removedAt' },
})

const profiles = ['relationship-queries', 'countable']
  .map((name) => `https://haddowg.github.io/json-api/profiles/${name}/`)
  .join(' ')

const requesters: Readonly<Record<string, Requester>> = {
  anonymous: {},
  ann: as('ann'),
  root: as('root'),
  staff: { 'x-staff': 'yes' },
  'ann with profiles': { ...as('ann'), accept: `application/vnd.api+json;profile="${profiles}"` },
  'ann in German': { ...as('ann'), 'accept-language': 'de' },
  'root at another host': { ...as('root'), host: 'other.example:8080' },
}

const paths = [
  '/books',
  '/books?sort=-rating',
  '/books?sort=place',
  '/books?filter[title]=Emma',
  '/books?filter[named]=Emma',
  '/books?filter[rating][min]=1',
  '/books?filter[place]=2',
  '/books?filter[near]=2',
  '/books?fields[books]=title,rating,shelf',
  '/books?include=shelf',
  '/books?include=tags',
  '/books?include=',
  '/books?withCount=tags,_self_',
  '/books?page[size]=1&page[number]=2',
  '/books?relatedQuery[tags][sort]=name',
  '/books/1',
  '/books/99',
  '/books/1?fields[books]=rating',
  '/books/1/shelf',
  '/books/1/relationships/tags',
  '/shelves',
  '/shelves/1?include=books',
  '/shelves/1/books?sort=title',
  '/shelves/1/relationships/books',
  '/shelves/1/label',
  '/shelves/2/books',
  '/shelves?include=label',
  '/labels',
  '/labels?filter[trashed]=with',
  '/labels?filter[trashed]=only&sort=text',
  '/labels/1',
  '/labels/2',
  '/labels/2?filter[trashed]=with',
  '/admin/books',
  '/admin/books/1?include=shelf',
  '/admin/shelves/1/books',
]

describe('A plan that was made for another requester', () => {
  const open: TestApp[] = []
  const start = async (options: TestAppOptions = {}): Promise<TestApp> => {
    const app = await startLibrary({
      resources: libraryWith(books, shelves, labels),
      plugins: pluginsWithTokens('root', 'ann'),
      servers: {
        default: {},
        admin: { prefix: '/admin', baseUri: 'https://admin.example/api/admin', maxIncludeDepth: 1 },
      },
      ...options,
    })
    open.push(app)
    return app
  }
  after(async () => {
    for (const app of open) await app.close()
    await emptyLibrary()
  })

  const expected = new Map<string, Received>()
  before(async () => {
    await fillLibrary()
    const { orm } = await libraryDatabase()
    await orm.em.execute(`insert into labels (id, text, removed_at, shelf_id) values (2, 'P', '2000-01-01', 2)`)
    const { app, client } = await start({ maxPlans: 0 })
    for (const [name, headers] of Object.entries(requesters))
      for (const path of paths) expected.set(`${name} ${path}`, await readAs(client.url, path, headers))
    expect(app.plans.sizes.queries).to.equal(0)
  })

  it('is compared with responses of which each requester receives some of its own', () => {
    for (const name of Object.keys(requesters)) {
      const others = Object.keys(requesters).filter((other) => other !== name)
      for (const other of others) {
        const isOther = (path: string) => {
          const [one, another] = [name, other].map((each) => JSON.stringify(expected.get(`${each} ${path}`)))
          return one !== another
        }
        expect(paths.filter(isOther), `${name} and ${other}`).not.to.be.empty
      }
    }
  })

  for (const name of ['anonymous', 'ann', 'root', 'staff', 'ann with profiles']) {
    it(`returns to each requester what an application without kept plans returns: made for ${name}`, async () => {
      const { client, app } = await start()
      for (const path of paths)
        for (let time = 0; time < 2; time++) await readAs(client.url, path, requesters[name] ?? {})
      for (const time of ['first', 'second']) {
        for (const [other, otherHeaders] of Object.entries(requesters)) {
          for (const path of paths) {
            const received = await readAs(client.url, path, otherHeaders)
            expect(received, `${path} of ${other}, ${time}`).to.deep.equal(expected.get(`${other} ${path}`))
          }
        }
      }
      expect(app.plans.sizes.queries).to.be.above(10)
    })
  }
})
