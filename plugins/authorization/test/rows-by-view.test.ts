import { expect } from 'chai'
import { defineResource, type Principal, type Provider, type Relation, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { cursor, page } from '#plugins/pagination/index.ts'
import { sqlProvider } from '#store/read/sql-provider.ts'
import { buildApp, type TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { open, type PolicyClass, type PolicyRow } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

const red = '11111111-1111-4111-8111-111111111111'
const plugins = pluginsWithTokens('ada')
const ada = as('ada')

describe('A policy with rowsByView', () => {
  let library: TestApp
  const get = async (path: string) => (await library.client.get(path, ada)).body
  const idsOf = (data: { id: string }[]) => data.map(({ id }) => id)
  before(async () => {
    await fillLibrary()
    library = await startLibrary({ resources: declare({ books: { policy: NotEmma } }), plugins })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('omits rows that view denies from collections, related collections, linkage and includes', async () => {
    expect(idsOf((await get('/books')).data)).to.deep.equal(['1', '3'])
    expect(idsOf((await get('/shelves/1/books')).data)).to.deep.equal(['1'])
    expect(idsOf((await get('/shelves/1/relationships/books')).data)).to.deep.equal(['1'])
    expect(idsOf((await get('/shelves/1?include=books')).included)).to.deep.equal(['1'])
    expect(idsOf((await get(`/tags/${red}?include=books`)).included)).to.deep.equal(['1'])
    expect(idsOf((await get(`/tags/${red}`)).data.relationships.books.data)).to.deep.equal(['1'])
  })

  it('returns null linkage for a to-one whose target view denies', async () => {
    expect((await get('/labels/1')).data.relationships.shelf.data).to.deep.equal({ type: 'shelves', id: '1' })
    const closed = await startLibrary({ resources: declare({ shelves: { policy: NoFiction } }), plugins })
    const { body } = await closed.client.get('/labels/1?include=shelf', ada)
    const books = await closed.client.get('/books/1?include=shelf', ada)
    await closed.close()
    expect([body.data.relationships.shelf.data, body.included]).to.deep.equal([null, []])
    expect([books.body.data.relationships.shelf.data, books.body.included]).to.deep.equal([null, []])
  })

  it('returns 404 for linkage to a row that view denies', async () => {
    const body = { data: [{ type: 'books', id: '2' }] }
    const { status, body: document } = await library.client.post(`/tags/${red}/relationships/books`, body, ada)
    expect([status, document.errors[0].source.pointer]).to.deep.equal([404, '/data/0'])
  })

  it('returns the same 404 for linkage to a missing row and to a denied row of a type of another server', async () => {
    const resources = declare({ shelves: { server: 'admin', policy: NoFiction } })
    const closed = await startLibrary({ resources, plugins })
    const create = (id: string) => {
      const relationships = { shelf: { data: { type: 'shelves', id } } }
      return closed.client.post(
        '/labels',
        { data: { type: 'labels', attributes: { text: 'L–Z' }, relationships } },
        ada,
      )
    }
    const denied = await create('1')
    const missing = await create('99')
    await closed.close()
    expect([denied.status, missing.status]).to.deep.equal([404, 404])
    expect(JSON.stringify(denied.body).replaceAll("'1'", "'99'")).to.equal(JSON.stringify(missing.body))
  })

  it('throws from countThrough, because the count would include rows that view denies', async () => {
    const messages: string[] = []
    const provider: Partial<Provider> = {
      async complete(type, shelves, _, context) {
        const path = [type.fields.get('books') as Relation]
        await context.app.store.countThrough(path, shelves, context).catch(({ message }) => messages.push(message))
      },
    }
    const declared = { books: { policy: NotEmma }, shelves: { provider: { ...sqlProvider, ...provider } } }
    const counting = await startLibrary({ resources: declare(declared), plugins })
    await counting.client.get('/shelves', ada)
    await counting.close()
    expect(messages).to.deep.equal([
      "Cannot count through 'books': its policy sets rowsByView. Give the policy a scope instead.",
    ])
  })

  it('runs as many statements as an open policy', async () => {
    const unrestricted = await startLibrary({ resources: declare({ books: { policy: open } }), plugins })
    for (const path of ['/books', '/shelves/1?include=books', `/tags/${red}?include=books`]) {
      const without = await statementsOf(() => unrestricted.client.get(path, ada))
      const statements = await statementsOf(() => library.client.get(path, ada))
      expect(statements, path).to.have.length(without.length)
    }
    await unrestricted.close()
  })
})

describe('Boot with a view that depends on the row', () => {
  const faultsOf = async (declared: Declared): Promise<string[]> => {
    const failure = await buildApp({ resources: declare(declared), database: await libraryDatabase(), plugins }).catch(
      (error) => error,
    )
    if (!(failure instanceof BootError)) {
      await failure.close()
      return []
    }
    return failure.message.split('\n').map((line) => line.replace(/ \(.*?\)/, ''))
  }

  it('fails without scope and without rowsByView', async () => {
    const [fault = '', ...others] = await faultsOf({ books: { policy: Undecided } })
    expect(others).to.deep.equal([])
    expect(fault).to.include("books.policy: Undecided.view depends on the row: add 'scope'")
  })

  it('succeeds with a scope', async () => {
    expect(
      await faultsOf({
        books: {
          countable: true,
          policy: class extends Undecided {
            override scope = () => true
          },
        },
      }),
    ).to.deep.equal([])
  })

  it('succeeds with rowsByView if view reads no row, because it then denies none', async () => {
    class OpenByView extends OpenPolicy {
      static override readonly rowsByView = true
    }
    expect(await faultsOf({ books: { policy: OpenByView, countable: true } })).to.deep.equal([])
  })

  it('fails with rowsByView when a count, a cursor or a filter would reveal rows that view denies', async () => {
    const policy = NotEmma
    const counted = 'The policy sets rowsByView: a count would include rows that view denies.'
    const paged = 'The policy sets rowsByView: page by number or offset, without counting.'
    expect(await faultsOf({ books: { policy, countable: true } })).to.deep.equal([`books.countable: ${counted}`])
    expect(await faultsOf({ books: { policy, pagination: () => cursor() } })).to.deep.equal([
      `books.pagination: ${paged}`,
    ])
    expect(await faultsOf({ books: { policy, pagination: () => page({ withCount: true }) } })).to.deep.equal([
      `books.pagination: ${paged}`,
    ])
    const filters: ResourceDeclaration<Shelf>['filters'] = ({ whereHas, whereThrough }) => [
      whereHas('books'),
      whereThrough('books.title'),
    ]
    const through = "reads 'books', whose policy sets rowsByView."
    expect(await faultsOf({ books: { policy }, shelves: { filters } })).to.deep.equal([
      `shelves.filters: The filter 'books' ${through}`,
      `shelves.filters: The filter 'books.title' ${through}`,
    ])
  })

  it('fails when needs names a method or a path that does not exist', async () => {
    class Wrong extends NotEmma {
      static override readonly needs = { view: ['titel'], upsert: [], update: ['shelf'], delete: ['shelf.nmae'] }
    }
    expect(await faultsOf({ books: { policy: Wrong } })).to.deep.equal([
      "books.policy: Wrong.needs.view names 'titel', but Book has no property 'titel'.",
      "books.policy: Wrong.needs names 'upsert', but Wrong has no such method.",
      "books.policy: Wrong.needs.update names 'shelf', but 'shelf' is a relation; name a property of it, as in 'shelf.id'.",
      "books.policy: Wrong.needs.delete names 'shelf.nmae', but Shelf has no property 'nmae'.",
    ])
  })

  it('fails when the policy is undefined, as after a circular import', async () => {
    const policy = undefined as unknown as PolicyClass<Book>
    expect(await faultsOf({ books: { policy } })).to.deep.equal([
      "books.policy: A policy is a class that extends Policy, or 'open'; check for a circular import.",
    ])
  })

  it('fails when a filter crosses a relation with a read ability and has no availableWhen()', async () => {
    const guarded: Partial<ResourceDeclaration<Book>> = {
      policy: Guarded,
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('title'),
        belongsTo('shelf', 'shelves').security({ read: 'onlyAda' }),
      ],
    }
    expect(
      await faultsOf({ books: { ...guarded, filters: ({ whereThrough }) => [whereThrough('shelf.name')] } }),
    ).to.deep.equal([
      "books.filters: The filter 'shelf.name' reads 'books.shelf', which security() protects: add availableWhen().",
    ])
    const limited: ResourceDeclaration<Book>['filters'] = ({ whereThrough }) => [
      whereThrough('shelf.name').availableWhen(({ principal }) => principal !== null),
    ]
    expect(await faultsOf({ books: { ...guarded, filters: limited } })).to.deep.equal([])
  })
})

/** Reads the whole row in view, without a scope. */
class Undecided extends OpenPolicy {
  static override readonly needs: Record<string, readonly string[]> = {}
  override view = (_: Principal | null, { title }: PolicyRow<Book>) => title !== 'Emma'
}

class NotEmma extends Undecided {
  static override readonly needs: Record<string, readonly string[]> = { ...OpenPolicy.needs, view: ['title'] }
  static override readonly rowsByView = true
}

class Guarded extends Undecided {
  static override readonly needs = { view: [], update: [], delete: [], onlyAda: [] }
  override view = () => true
  onlyAda = (principal: Principal | null) => principal?.identifier === 'ada'
}

class NoFiction extends OpenPolicy {
  static override readonly needs = { ...OpenPolicy.needs, view: ['name'] }
  static override readonly rowsByView = true
  override view = (_: Principal | null, { name }: PolicyRow<Shelf>) => name !== 'Fiction'
}

interface Declared {
  readonly books?: Partial<ResourceDeclaration<Book>>
  readonly shelves?: Partial<ResourceDeclaration<Shelf>>
}

function declare(declared: Declared): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id(),
      string('title').required(),
      belongsTo('shelf', 'shelves'),
      belongsToMany('tags', 'tags'),
    ],
    ...declared.books,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books')],
    ...declared.shelves,
  })
  const tags = defineResource(Tag, {
    type: 'tags',
    fields: ({ id, string, belongsToMany }) => [id(), string('name'), belongsToMany('books', 'books').withData()],
  })
  const labels = defineResource(Label, {
    type: 'labels',
    fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
  })
  return [books, shelves, tags, labels].map((resource) => ({ file: 'rows-by-view.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction')")
  await connection.execute("insert into books (title, shelf_id) values ('Ulysses', 1), ('Emma', 1), ('Howl', null)")
  await connection.execute("insert into labels (text, shelf_id) values ('A–K', 1)")
  await connection.execute(`insert into tags (id, name) values ('${red}', 'red')`)
  await connection.execute(`insert into book_tags (book_id, tag_id) values (1, '${red}'), (2, '${red}')`)
}
