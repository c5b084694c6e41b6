import { expect } from 'chai'
import { defineResource, type Principal, type Provider } from '#kernel'
import { addSteps, type DeclaredResource, type Plugin } from '#kernel/plugin'
import { sqlProvider } from '#store/read/sql-provider.ts'
import type { TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import type { PolicyClass } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

// Reads of rows of a type whose policy returns neither true nor a filter.

const red = '11111111-1111-4111-8111-111111111111'

/** Requests whose responses contain rows of `books` if the policy allows them. */
const indirectReads: readonly string[] = [
  '/shelves/1?include=books',
  '/shelves?include=books.tags',
  '/shelves/1/books',
  '/shelves/1/relationships/books',
  `/tags/${red}?include=books`,
  `/tags/${red}/relationships/books`,
  '/shelves?filter[books]',
  '/shelves?filter[books.title]=Emma',
  '/shelves?withCount=books',
  '/shelves/1/books?withCount=_self_',
]

const unexpectedValues: readonly (readonly [name: string, value: unknown])[] = [
  ['false', false],
  ['null', null],
  ['undefined', undefined],
  ['0', 0],
  ["'yes'", 'yes'],
  ['an empty filter', {}],
  ['a filter with an undefined value', { title: undefined }],
  ['a filter with a nested undefined value', { $or: [{ title: undefined }] }],
  ['a filter with an empty alternative', { $or: [{ title: 'Nothing' }, {}] }],
  ['a filter with an undefined value of a relation', { shelf: { name: undefined } }],
  ['a filter with an undefined value in a list', { title: { $in: ['Nothing', undefined] } }],
  ['a filter with an empty list of conditions', { $and: [] }],
  ['a filter with an empty list of alternatives', { $or: [] }],
  ['a filter with an empty condition for all related rows', { tags: { $all: {} } }],
  ['a filter with an empty condition for a property', { title: {} }],
  ['a filter with an empty condition for a relation', { shelf: {} }],
  ['a list', [{ title: 'Emma' }]],
]

describe('A policy that returns an unexpected value', () => {
  let library: TestApp | null = null
  const get = async (path: string) => {
    const { status, text } = await (library as TestApp).client.get(path, as('ada'))
    return { status, text }
  }
  const start = async (policy: PolicyClass<Book>) => {
    library = await startLibrary({ resources: declare(policy), plugins: pluginsWithTokens('ada') })
  }
  before(fillLibrary)
  afterEach(async () => {
    await library?.close()
    library = null
  })
  after(emptyLibrary)

  it('is compared with a policy that shows the rows in every request of the list', async () => {
    await start(scopedBy(true))
    for (const path of indirectReads) {
      const { status, text } = await get(path)
      expect(status, `${path} ${text}`).to.equal(200)
      expect(text, path).to.match(/"type":"books"|"id":"1"|"total":2/)
    }
  })

  for (const [name, value] of unexpectedValues) {
    it(`returns no row through another type when scope returns ${name}`, async () => {
      await start(scopedBy(value))
      for (const path of indirectReads) expectNoBook(path, await get(path))
      expect((await get('/books')).text).to.include('"data":[]')
      expect((await get('/books/1')).status).to.equal(404)
    })
  }

  for (const [name, value] of unexpectedValues) {
    it(`returns no row through another type when a view that reads no row returns ${name}`, async () => {
      await start(viewedBy(value))
      for (const path of indirectReads) expectNoBook(path, await get(path))
      expect((await get('/books')).text).to.include('"data":[]')
      expect((await get('/books/1')).status).to.equal(403)
    })
  }

  for (const [name, value] of unexpectedValues.filter(([, unexpected]) => unexpected !== undefined)) {
    it(`returns 403, and no row through another type, when before returns ${name}`, async () => {
      await start(
        class extends OpenPolicy {
          override before = () => value as boolean
        },
      )
      for (const path of indirectReads) expectNoBook(path, await get(path))
      expect((await get('/books')).status).to.equal(403)
      expect((await get('/books/1')).status).to.equal(403)
    })
  }

  it('returns 404 for linkage to a row when a view that reads no row denies', async () => {
    await start(viewedBy(false))
    const linkage = { data: [{ type: 'books', id: '1' }] }
    const { status, body } = await (library as unknown as TestApp).client.post(
      '/shelves/1/relationships/books',
      linkage,
      as('ada'),
    )
    expect([status, body.errors[0].source.pointer]).to.deep.equal([404, '/data/0'])
  })

  it('returns 500 without any row or the error message when scope throws', async () => {
    await start(
      class extends OpenPolicy {
        override scope(): boolean {
          throw new Error('The directory service is unavailable.')
        }
      },
    )
    for (const path of indirectReads) {
      const { status, text } = await get(path)
      expect(status, path).to.equal(500)
      expect(text).not.to.match(/Emma|Ulysses|directory/)
    }
  })

  it('returns 500 and deletes nothing when the provider leaves out a value that the policy has to read', async () => {
    class ShelfNamePolicy extends OpenPolicy {
      static override readonly needs = { ...OpenPolicy.needs, delete: ['shelf.name'] }
      override delete = () => true
    }
    const provider: Provider = {
      ...sqlProvider,
      async many(...request) {
        const rows = await sqlProvider.many(...request)
        return rows.map(({ 'shelf.name': _, ...row }) => row)
      },
    }
    const resources = declare(ShelfNamePolicy).map(({ file, resource }) => {
      const isBook = resource.declaration.type === 'books'
      // The columns of a locked entity are not those that the policy reads: the provider is asked for them.
      const declaration = { ...resource.declaration, ...(isBook && { provider, writer: 'entities' as const }) }
      return { file, resource: { ...resource, declaration } }
    })
    library = await startLibrary({ resources, plugins: pluginsWithTokens('ada') })
    expect((await library.client.delete('/books/1', undefined, as('ada'))).status).to.equal(500)
    expect((await get('/books/1')).status).to.equal(200)
  })

  it('returns 404 when a hook has deleted the row that the policy has read', async () => {
    class ShelfNamePolicy extends OpenPolicy {
      static override readonly needs = { ...OpenPolicy.needs, delete: ['shelf.name'] }
      override delete = () => true
    }
    const deleting: Plugin = {
      name: 'deleting',
      plan: addSteps({
        async check({ context: { unit } }) {
          await unit.run('delete from books where id = 1', [])
          return undefined
        },
      }),
    }
    const plugins = pluginsWithTokens('ada').flatMap((plugin) =>
      plugin.name === 'authorization' ? [deleting, plugin] : [plugin],
    )
    library = await startLibrary({ resources: declare(ShelfNamePolicy), plugins })
    expect((await library.client.delete('/books/1', undefined, as('ada'))).status).to.equal(404)
  })

  it('returns no row to an anonymous caller when scope returns undefined without a principal', async () => {
    await start(
      class extends OpenPolicy {
        override scope(principal: Principal | null) {
          return (principal ? { title: 'Emma' } : undefined) as never
        }
      },
    )
    expect((await get('/shelves/1?include=books')).text)
      .to.include('Emma')
      .and.not.include('Ulysses')
    const { text } = await (library as unknown as TestApp).client.get('/shelves/1?include=books')
    expect(text).not.to.match(/Emma|Ulysses/)
  })
})

function expectNoBook(path: string, { status, text }: { status: number; text: string }): void {
  expect(status, path).to.equal(200)
  expect(text, path).not.to.match(/"type":"books"|"title":"|"total":[1-9]/)
  if (path.includes('filter[')) expect(text, path).to.include('"data":[]')
}

function scopedBy(value: unknown): PolicyClass<Book> {
  return class extends OpenPolicy {
    override scope = () => value as boolean
  }
}

function viewedBy(value: unknown): PolicyClass<Book> {
  return class extends OpenPolicy {
    override view = () => value as boolean
  } as unknown as PolicyClass<Book>
}

function declare(policy: PolicyClass<Book>): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    countable: true,
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id(),
      string('title').required(),
      belongsTo('shelf', 'shelves'),
      belongsToMany('tags', 'tags'),
    ],
    policy,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books').countable()],
    filters: ({ whereHas, whereThrough }) => [whereHas('books'), whereThrough('books.title')],
  })
  const tags = defineResource(Tag, {
    type: 'tags',
    fields: ({ id, string, belongsToMany }) => [id(), string('name'), belongsToMany('books', 'books').withData()],
  })
  return [books, shelves, tags].map((resource) => ({
    file: 'plugins/authorization/test/fail-closed.test.ts',
    resource,
  }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction')")
  await connection.execute("insert into books (title, shelf_id) values ('Ulysses', 1), ('Emma', 1)")
  await connection.execute(`insert into tags (id, name) values ('${red}', 'red')`)
  await connection.execute(`insert into book_tags (book_id, tag_id) values (1, '${red}'), (2, '${red}')`)
}
