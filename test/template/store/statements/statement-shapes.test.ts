import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type Condition, compare, isIn, native, type ResourceType } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Label, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { scopeSteps } from '#test/template/support/type-steps.ts'

type Scope = (type: ResourceType, wanted: string) => Condition | undefined

// Statements that only differ in values share one cached text. Values of another request must never be used.
describe('The statement cache', () => {
  let library: TestApp

  before(async () => {
    await emptyLibrary()
    const em = (await libraryDatabase()).orm.em.fork()
    await em.insertMany(Shelf, [
      { id: 1, name: 'North' },
      { id: 2, name: 'South' },
    ])
    await em.insertMany(Book, [
      { id: 1, title: 'One', position: 1, shelf: 1, rating: 1.5 },
      { id: 2, title: 'Two', position: 2, shelf: 2 },
      { id: 3, title: 'Three', position: 3, shelf: 2 },
    ])
    await em.insertMany(Label, [{ id: 1, text: 'A', shelf: 1 }])
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  /** The scope depends on a header of the request. */
  const start = async (scope: Scope = () => undefined) => {
    const narrow: Plugin = {
      name: 'narrow',
      ...scopeSteps('addressed', (type, { request }) => scope(type, request?.ctx.get('x-wanted') ?? '')),
    }
    library = await startLibrary({ plugins: [...plugins, narrow] })
    return library.client
  }
  const ask = async (path: string, wanted = '') => {
    const { body } = await library.client.get(path, { 'x-wanted': wanted })
    return body
  }
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
  const textOf = async (path: string, wanted = '') =>
    (await statementsOf(() => ask(path, wanted))).map(({ sql }) => sql)

  it('uses one text with different parameters for requests that differ in values', async () => {
    await start()
    expect(await textOf('/books/1')).to.deep.equal(await textOf('/books/2'))
    expect((await ask('/books/1')).data.attributes.title).to.equal('One')
    expect((await ask('/books/2')).data.attributes.title).to.equal('Two')
    expect(idsOf(await ask('/shelves/1/allBooks'))).to.deep.equal(['1'])
    expect(idsOf(await ask('/shelves/2/allBooks'))).to.deep.equal(['3', '2'])
    expect(idsOf(await ask('/books?page[size]=1'))).to.deep.equal(['1'])
    expect(idsOf(await ask('/books?page[size]=2'))).to.deep.equal(['1', '2'])
  })

  it('binds the values of the scope of each requester', async () => {
    await start((type, wanted) => (type.name === 'books' ? compare('title', '=', wanted) : undefined))
    for (const [wanted, id] of [
      ['One', '1'],
      ['Two', '2'],
      ['Three', '3'],
    ] as const) {
      expect(idsOf(await ask('/books', wanted)), wanted).to.deep.equal([id])
    }
    expect(await textOf('/books', 'One')).to.deep.equal(await textOf('/books', 'Two'))
  })

  it('binds the values of plain MikroORM filters in scopes', async () => {
    await start((type, wanted) =>
      type.name === 'books' ? native<Book>(wanted ? { title: wanted } : { title: { $ne: null } }) : undefined,
    )
    expect(idsOf(await ask('/books', 'One'))).to.deep.equal(['1'])
    expect(idsOf(await ask('/books'))).to.deep.equal(['1', '2', '3'])
    expect(idsOf(await ask('/books', 'Two'))).to.deep.equal(['2'])
  })

  it('does not cache MikroORM filters that need a subselect', async () => {
    await start((type, wanted) => (type.name === 'books' ? native<Book>({ shelf: { name: wanted } }) : undefined))
    expect(idsOf(await ask('/books', 'North'))).to.deep.equal(['1'])
    expect(idsOf(await ask('/books', 'South'))).to.deep.equal(['2', '3'])
  })

  it('does not cache a statement that uses the same condition object twice', async () => {
    const two = compare('id', '=', 2)
    await start((type, wanted) => {
      if (type.name !== 'books' && type.name !== 'shelves') return undefined
      return wanted === 'same' ? two : compare('id', '=', type.name === 'books' ? 3 : 2)
    })
    const same = await ask('/books?include=shelf', 'same')
    expect(idsOf(same)).to.deep.equal(['2'])
    const other = await ask('/books?include=shelf', 'other')
    expect(idsOf(other)).to.deep.equal(['3'])
    expect(other.included.map(({ id }: { id: string }) => id)).to.deep.equal(['2'])
  })

  it('uses another text when a list is empty or a scope is missing', async () => {
    await start((type, wanted) => {
      if (type.name !== 'books' || wanted === 'all') return undefined
      return isIn('id', wanted === '' ? [] : wanted.split(',').map(Number))
    })
    expect(idsOf(await ask('/books', '1,3'))).to.deep.equal(['1', '3'])
    expect(idsOf(await ask('/books'))).to.deep.equal([])
    expect(idsOf(await ask('/books', '2'))).to.deep.equal(['2'])
    expect(idsOf(await ask('/books', 'all'))).to.deep.equal(['1', '2', '3'])
  })

  it('uses another text when a keyset boundary is null', async () => {
    await start()
    const seen: string[] = []
    for (let path = '/books?sort=rating&page[size]=1'; path; ) {
      const { data, links } = await ask(path)
      seen.push(...idsOf({ data }))
      path = links.next?.replace(/^https?:\/\/[^/]+/, '') ?? ''
    }
    expect(seen).to.deep.equal(['1', '2', '3'])
  })
})
