import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { Paginator } from '#kernel/queries'
import { Policy } from '#plugins/authorization/index.ts'
import { buildApp, type TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Box } from '#test/template/support/library/boxes.ts'
import { Book, Label } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { cursor, menu, offset, page } from '../index.ts'

describe('Pagination of a polymorphic to-many', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (paginator?: Paginator, hides = false) => {
    const library = await startLibrary({ resources: declare(paginator, hides) })
    started.push(library)
    client = library.client
  }
  const members = async (path: string) => {
    const { status, body } = await client.get(path)
    expect(status, path).to.equal(200)
    return body.data.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)
  }

  before(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    const em = orm.em.fork()
    await em.insertMany(Book, [
      { id: 1, title: 'Emma' },
      { id: 2, title: 'Howl' },
    ])
    await em.insertMany(Label, [{ id: 1, text: 'A' }])
    await em.insertMany(Box, [
      { id: 1, name: 'Attic' },
      { id: 2, name: 'Cellar' },
    ])
    await em.execute(
      `insert into box_items (id, box_id, thing_type, thing_id, position) values
        (1, 1, 'books', 2, 1), (2, 1, 'labels', 1, 2), (3, 1, 'books', 1, 3), (4, 1, 'books', 2, 4)`,
    )
  })
  afterEach(async () => {
    for (const library of started.splice(0)) await library.close()
  })
  after(emptyLibrary)

  it('returns pages in the stored order of the members, and each member once', async () => {
    await start(page({ size: 2 }))
    expect(await members('/boxes/1/contents')).to.deep.equal(['books 2', 'labels 1'])
    expect(await members('/boxes/1/contents?page[number]=2')).to.include('books 1')
    expect(await members('/boxes/1/relationships/contents')).to.deep.equal(['books 2', 'labels 1', 'books 1'])
    expect(await members('/boxes/1/relationships/contents?page[size]=1')).to.deep.equal(['books 2'])
    await start(offset())
    expect(await members('/boxes/1/contents?page[offset]=1&page[limit]=2')).to.deep.equal(['labels 1', 'books 1'])
  })

  it('counts members of all types, each once', async () => {
    await start(page({ size: 1 }))
    const { body } = await client.get('/boxes/1/contents?withCount=_self_')
    expect(body.meta.total).to.equal(3)
    expect(body.meta.page.lastPage).to.equal(3)
    expect((await client.get('/boxes/1/contents?withCount=_self_&page[size]=0')).body.meta.total).to.equal(3)
    const statements = await statementsOf(async () => {
      const boxes = await client.get('/boxes?withCount=contents')
      const totals = boxes.body.data.map((box: Resource) => box.relationships.contents.meta.total)
      expect(totals).to.deep.equal([3, 0])
    })
    expect(statements).to.have.length(2)
  })

  it('counts only members in the scope of the caller', async () => {
    await start(page(), true)
    expect((await client.get('/boxes/1?withCount=contents')).body.data.relationships.contents.meta.total).to.equal(2)
    expect(await members('/boxes/1/contents')).to.deep.equal(['labels 1', 'books 1'])
  })

  it('returns 400 for filter, sort, and withCount of linkage', async () => {
    await start()
    for (const path of ['/boxes/1/contents', '/boxes/1/relationships/contents']) {
      for (const [family, query] of [
        ['filter', 'filter[title]=x'],
        ['sort', 'sort=title'],
      ]) {
        const { status, body } = await client.get(`${path}?${query}`)
        expect(status).to.equal(400)
        expect(body.errors[0]).to.deep.include({ code: 'QUERY_PARAM_UNRECOGNIZED', source: { parameter: family } })
      }
    }
    const { status, body } = await client.get('/boxes/1/relationships/contents?withCount=_self_')
    expect(status).to.equal(400)
    expect(body.errors[0].code).to.equal('RELATIONSHIP_COUNT_NOT_ALLOWED')
  })

  it('fails the boot when a menu offers a cursor', async () => {
    const options = { servers: { default: {} }, database: await libraryDatabase() }
    const boot = () => buildApp({ ...options, resources: declare(menu(page(), cursor())) })
    const failure = await boot().then(() => null, String)
    expect(failure).to.include('boxes.contents (boxes.ts): A polymorphic relation cannot be paged by cursor.')
  })
})

class FirstOnly extends Policy<Book> {
  static override readonly needs = { view: [], update: [], delete: [] }
  override scope = () => ({ id: 1 })
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
}

interface Resource {
  readonly relationships: { readonly contents: { readonly meta: { readonly total: number } } }
}

function declare(paginator: Paginator = page(), hides = false): readonly DeclaredResource[] {
  const boxes = defineResource(Box, {
    type: 'boxes',
    fields: ({ id, string, morphToMany }) => [
      id(),
      string('name'),
      morphToMany('contents', ['books', 'labels']).throughProperty('thing').paginate(paginator).countable(),
    ],
  })
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string }) => [id(), string('title').sortable()],
    filters: ({ where }) => [where('title')],
    ...(hides && { policy: FirstOnly }),
  })
  const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })
  return [boxes, books, labels].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}
