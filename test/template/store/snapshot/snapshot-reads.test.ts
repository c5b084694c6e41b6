import { expect } from 'chai'
import { isData, listMembers } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { type InterleavedDatabase, interleavedDatabase } from './interleaved-write.ts'
import { deletedState, newState, oldState, snapshotResources } from './resources.ts'

// Another transaction changes every row between two statements of a read. The document shows the state before it.

type Body = Awaited<ReturnType<TestApp['client']['get']>>['body']

const old = ['old']

interface Case {
  readonly name: string
  readonly path: string
  /** The states that the document shows, each once. */
  readonly shown: (body: Body) => readonly string[]
  /** The statement before which the other transaction commits. */
  readonly statement?: number
  readonly write?: readonly string[]
}

const cases: readonly Case[] = [
  { name: 'a resource with an include', path: '/labels/1?include=shelf', shown: readTexts },
  { name: 'a collection with an include', path: '/books?include=shelf', shown: readTexts },
  {
    name: 'an include of the third level',
    path: '/labels/1?include=shelf.books.shelf',
    shown: readTexts,
    statement: 3,
  },
  { name: 'a to-many include', path: '/shelves/1?include=books', shown: readTexts },
  { name: 'a polymorphic include', path: '/boxes/1?include=contents', shown: readTexts },
  {
    name: 'a polymorphic include, before its second type',
    path: '/boxes/1?include=contents',
    shown: readTexts,
    statement: 4,
  },
  {
    name: 'linkage of every response',
    path: '/shelves/1',
    shown: ({ data }) => [data.attributes.name, nameState(data.relationships.linkedBooks.data.length)],
  },
  {
    name: 'a counted collection',
    path: '/books?withCount=_self_',
    shown: (body) => [...readTexts(body), nameState(body.meta.page?.total ?? body.meta.total)],
  },
  {
    name: 'a counted relation',
    path: '/shelves/1?withCount=books&fields[shelves]=name,books',
    shown: ({ data }) => [data.attributes.name, nameState(data.relationships.books.meta.total)],
  },
  { name: 'a related resource', path: '/labels/1/shelf', shown: readTexts, write: deletedState },
  { name: 'related resources with an include', path: '/shelves/1/books?include=shelf', shown: readTexts },
  { name: 'polymorphic related resources', path: '/boxes/1/contents', shown: readTexts, statement: 3 },
  {
    name: 'a to-one relationship',
    path: '/labels/1/relationships/shelf',
    shown: ({ data }) => [data ? 'old' : 'none'],
    write: deletedState,
  },
]

describe('A read while another transaction commits', () => {
  let interleaved: InterleavedDatabase
  let library: TestApp

  before(async () => {
    interleaved = await interleavedDatabase()
    library = await startLibrary({ database: interleaved.database, resources: snapshotResources })
  })
  beforeEach(async () => {
    for (const sql of oldState) await execute(sql)
  })
  afterEach(emptyLibrary)
  after(() => library.close())

  for (const { name, path, shown, statement = 2, write = newState } of cases) {
    it(`shows one state of the database in ${name}: GET ${path}`, async () => {
      interleaved.arm(statement, write)
      const { status, body } = await library.client.get(path)
      expect(status).to.equal(200)
      await interleaved.written()
      expect([...new Set(shown(body))]).to.deep.equal(old)
      const after = await library.client.get(path)
      if (write === deletedState) expect(after.status).to.equal(404)
      else expect([...new Set(shown(after.body))]).to.deep.equal(['new'])
    })
  }

  it('shows one state of the database in the response of app.dispatch', async () => {
    interleaved.arm(2, newState)
    const response = await library.app.dispatch({
      kind: 'FetchOne',
      type: 'labels',
      id: '1',
      query: { include: 'shelf' },
    })
    await interleaved.written()
    if (!isData(response)) throw new Error('It is data.')
    const primary = listMembers(response)
    const records = [...primary, ...response.operation.context.graph.included(primary)].map(({ record }) => record)
    expect(records.map(({ text, name }) => text ?? name)).to.deep.equal(['old', 'old'])
  })
})

async function execute(sql: string): Promise<unknown> {
  return (await libraryDatabase()).orm.em.getConnection().execute(sql)
}

function readTexts({ data, included = [] }: Body): string[] {
  const texts = [data, included].flat().flatMap(({ attributes }) => Object.values(attributes ?? {}) as string[])
  return [...new Set(texts)]
}

/** Two books are the old state, three the new one. */
function nameState(books: number): string {
  return books === 2 ? 'old' : books === 3 ? 'new' : `${books} books`
}
