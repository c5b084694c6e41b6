import { expect } from 'chai'
import { type Caller, defineResource, type Principal } from '#kernel'
import { toApiErrors } from '#kernel/errors'
import { type App, isData, listMembers } from '#kernel/plugin'
import { Policy } from '#plugins/authorization/index.ts'
import type { Instruction } from '#program'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

// Operations of a program have no scope and no hidden fields, unless it names a principal; those of requests have.

const isRoot = (caller: Caller | null) => caller?.principal?.identifier === 'root'

class BookPolicy extends Policy<Book> {
  static override readonly needs = { view: [], update: [], delete: [] }

  override scope = (principal: Principal | null) => principal?.identifier === 'root' || { title: 'Emma' }
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
}

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, decimal, belongsTo }) => [
    id(),
    string('title').sortable(),
    decimal('rating')
      .nullable()
      .sortable()
      .hiddenFor((caller) => !isRoot(caller)),
    belongsTo('shelf', 'shelves'),
  ],
  policy: BookPolicy,
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
})

const ann: Principal = { identifier: 'ann', roles: [] } as never
const root: Principal = { identifier: 'root', roles: [] } as never

const instructions: readonly Instruction[] = [
  { kind: 'FetchCollection', type: 'books', query: 'sort=title' },
  { kind: 'FetchCollection', type: 'books', query: 'sort=-rating' },
  { kind: 'FetchOne', type: 'books', id: '2' },
  { kind: 'FetchRelated', type: 'shelves', id: '1', relation: 'books' },
  { kind: 'FetchRelationship', type: 'shelves', id: '1', relation: 'books' },
]

/** Programs without a principal, with none, and with two principals. */
const dispatchers: readonly Partial<Instruction>[] = [{}, { principal: null }, { principal: ann }, { principal: root }]

const paths = [
  '/books?sort=title',
  '/books?sort=-rating',
  '/books/2',
  '/shelves/1/books',
  '/shelves/1/relationships/books',
]

describe('The plan of an operation of a program', () => {
  const open: TestApp[] = []
  const start = async (options: TestAppOptions = {}): Promise<TestApp> => {
    const plugins = pluginsWithTokens('root', 'ann')
    const app = await startLibrary({ resources: libraryWith(books, shelves), plugins, ...options })
    open.push(app)
    return app
  }
  before(fillLibrary)
  after(async () => {
    for (const app of open) await app.close()
    await emptyLibrary()
  })

  const dispatchAll = async ({ app }: Pick<TestApp, 'app'>) => {
    const results: unknown[] = []
    for (const dispatcher of dispatchers)
      for (const instruction of instructions)
        results.push(await dispatched(app, { ...instruction, ...dispatcher } as Instruction))
    return results
  }
  const readAll = async ({ client }: Pick<TestApp, 'client'>) => {
    const results: unknown[] = []
    for (const headers of [{}, as('ann'), as('root')]) {
      for (const path of paths) {
        const { status, text } = await client.get(path, headers)
        results.push([status, text.replaceAll(client.url, '').replace(/"id":"[\w-]{36}"/g, '')])
      }
    }
    return results
  }

  it('returns the rows and fields of its principal, and all of them without one', async () => {
    const app = await start({ maxPlans: 0 })
    const [all, , , hidden] = await dispatchAll(app)
    expect(all).to.deep.equal(['Emma 8.5', 'Lady Susan 7', 'Persuasion null', 'Sanditon 7'])
    expect(hidden).to.deep.equal(['Emma 8.5', 'Persuasion null', 'Sanditon 7'])
    expect((await dispatchAll(app))[instructions.length]).to.deep.equal(['Emma undefined'])
  })

  it('is not that of a request, nor of another program, with the same query', async () => {
    const reference = await start({ maxPlans: 0 })
    const expected = [await dispatchAll(reference), await readAll(reference)]
    const programFirst = await start()
    for (let time = 0; time < 3; time++)
      expect([await dispatchAll(programFirst), await readAll(programFirst)]).to.deep.equal(expected)
    const requestFirst = await start()
    for (let time = 0; time < 3; time++) expect(await readAll(requestFirst)).to.deep.equal(expected[1])
    for (let time = 0; time < 3; time++) expect(await dispatchAll(requestFirst)).to.deep.equal(expected[0])
  })
})

/** The titles and ratings that were read, or the codes of the errors. */
async function dispatched(app: App, instruction: Instruction): Promise<readonly unknown[]> {
  try {
    const response = await app.dispatch(instruction)
    if (!isData(response)) return [response.kind]
    return listMembers(response).map(({ record }) => `${record.title} ${record.rating}`)
  } catch (error) {
    return toApiErrors(error)?.map(({ definition }) => definition.code) ?? [String(error)]
  }
}
