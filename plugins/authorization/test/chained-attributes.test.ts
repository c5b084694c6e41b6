import { expect } from 'chai'
import { defineResource, type Principal } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Loan } from '#test/template/support/library/loans.ts'
import type { PolicyClass, PolicyRow, RelationSecurity } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

// Attributes declared with on() show values of related rows, which the policies of the related types may hide.

describe('GET of an attribute declared with on()', () => {
  let library: TestApp
  const start = async (declared: Declared) => {
    library = await startLibrary({ resources: declare(declared), plugins: pluginsWithTokens('ada', 'bob') })
  }
  const attributesOf = async (path: string, principal = 'bob') => {
    const { status, body } = await library.client.get(path, as(principal))
    expect(status, path).to.equal(200)
    return [body.data].flat().map(({ attributes }: Shown) => attributes)
  }
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  it('returns null when view denies the related row', async () => {
    await start({ books: NotEmma })
    const shown = [
      { reader: 'one', title: 'Ulysses', shelfName: 'Open' },
      { reader: 'two', title: null, shelfName: null },
      { reader: 'three', title: 'Howl', shelfName: 'Closed' },
    ]
    expect(await attributesOf('/loans')).to.deep.equal(shown)
    expect(await attributesOf('/loans/2')).to.deep.equal([shown[1]])
    expect(await attributesOf('/loans?fields[loans]=title')).to.deep.equal(shown.map(({ title }) => ({ title })))
  })

  it('returns null when view denies a row later on the path', async () => {
    await start({ shelves: NotClosed })
    const names = (await attributesOf('/loans')).map(({ shelfName }) => shelfName)
    expect(names).to.deep.equal(['Open', 'Open', null])
    expect((await attributesOf('/loans/3'))[0]).to.deep.include({ title: 'Howl', shelfName: null })
  })

  it('returns null in the response to PATCH /{type}/{id} when view denies the related row', async () => {
    await start({ books: NotEmma })
    const change = { data: { type: 'loans', id: '2', attributes: { reader: 'four' } } }
    const { body } = await library.client.patch('/loans/2', change, as('bob'))
    expect(body.data.attributes).to.deep.equal({ reader: 'four', title: null, shelfName: null })
  })

  it('returns null in included resources when view denies the related row', async () => {
    await start({ shelves: NotClosed })
    const { body } = await library.client.get('/loans/3?include=book', as('bob'))
    expect(body.included[0].attributes).to.deep.equal({ title: 'Howl', shelfName: null })
  })

  it('returns null when the read ability of the relation denies the parent', async () => {
    await start({ security: { read: 'isAda' } })
    expect(await attributesOf('/loans/1')).to.deep.equal([{ reader: 'one', title: null, shelfName: null }])
    expect((await attributesOf('/loans/1', 'ada'))[0]).to.deep.include({ title: 'Ulysses' })
  })

  it('runs one more statement per relation on the path when a view depends on the row, and none otherwise', async () => {
    const countOf = async (declared: Declared) => {
      await start(declared)
      const statements = await statementsOf(() => attributesOf('/loans?fields[loans]=title,shelfName'))
      await library.close()
      return statements.length
    }
    expect(await countOf({})).to.equal(1)
    expect(await countOf({ books: NotEmma })).to.equal(2)
    expect(await countOf({ shelves: NotClosed })).to.equal(3)
    await start({})
  })
})

interface Shown {
  readonly attributes: { readonly title?: string | null; readonly shelfName?: string | null }
}

class LoanPolicy extends OpenPolicy {
  static override readonly needs = { ...OpenPolicy.needs, isAda: [] }
  isAda = (principal: Principal | null) => principal?.identifier === 'ada'
}

class NotEmma extends OpenPolicy {
  static override readonly rowsByView = true
  static override readonly needs = { ...OpenPolicy.needs, view: ['title'] }
  override view(_: Principal | null, { title }: PolicyRow<Book>) {
    return title !== 'Emma'
  }
}

class NotClosed extends OpenPolicy {
  static override readonly rowsByView = true
  static override readonly needs = { ...OpenPolicy.needs, view: ['name'] }
  override view(_: Principal | null, { name }: PolicyRow<Shelf>) {
    return name !== 'Closed'
  }
}

interface Declared {
  readonly books?: PolicyClass<Book>
  readonly shelves?: PolicyClass<Shelf>
  readonly security?: RelationSecurity
}

function declare({ books = OpenPolicy, shelves = OpenPolicy, security = {} }: Declared): readonly DeclaredResource[] {
  const resources = [
    defineResource(Loan, {
      type: 'loans',
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('reader'),
        string('title').on('book'),
        string('shelfName')
          .on('book.shelf')
          .storedAs('name' as never),
        belongsTo('book', 'books').security(security),
      ],
      policy: LoanPolicy,
    }),
    defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('title'),
        string('shelfName')
          .on('shelf')
          .storedAs('name' as never),
        belongsTo('shelf', 'shelves').hidden(),
      ],
      policy: books,
    }),
    defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string }) => [id(), string('name')],
      policy: shelves,
    }),
  ]
  return resources.map((resource) => ({ file: 'plugins/authorization/test/chained-attributes.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Open'), ('Closed')")
  await connection.execute("insert into books (title, shelf_id) values ('Ulysses', 1), ('Emma', 1), ('Howl', 2)")
  await connection.execute("insert into loans (reader, book_id) values ('one', 1), ('two', 2), ('three', 3)")
}
