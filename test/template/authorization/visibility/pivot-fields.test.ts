import { expect } from 'chai'
import { type Caller, defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { expectError, readIds } from '#test/template/specification/support.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'

const isNotRoot = ({ principal }: Caller) => principal?.identifier !== 'root'

const byRow = defineResource(ReadingList, {
  type: 'byRow',
  fields: ({ id, belongsToMany }) => [
    id(),
    belongsToMany('books', 'books')
      .through(ListEntry)
      .fields(({ integer, string }) => [
        integer('place'),
        string('note')
          .nullable()
          .hidden((entry) => entry.addedAt !== null),
      ]),
  ],
})
const never = defineResource(ReadingList, {
  type: 'never',
  fields: ({ id, belongsToMany }) => [
    id(),
    belongsToMany('books', 'books')
      .through(ListEntry)
      .fields(({ integer, string, dateTime }) => [
        integer('place'),
        string('note').nullable().writeOnly(),
        dateTime('addedAt').nullable().hidden(),
      ]),
  ],
})
const rootOnly = defineResource(ReadingList, {
  type: 'rootOnly',
  fields: ({ id, belongsToMany }) => [
    id(),
    belongsToMany('books', 'books')
      .through(ListEntry)
      .fields(({ integer, string }) => [integer('place').hiddenFor(isNotRoot), string('note').nullable()])
      .withFilters(({ where }) => [where('at', 'pivot.place'), where('note', 'pivot.note')]),
  ],
})

const ann = as('ann')
const root = as('root')

describe('Pivot fields', () => {
  let library: TestApp
  let client: TestApp['client']

  before(async () => {
    library = await startLibrary({
      resources: libraryWith(byRow, never, rootOnly),
      plugins: pluginsWithTokens('root', 'ann'),
    })
    client = library.client
  })
  beforeEach(async () => {
    await fillLibrary()
    const { orm } = await libraryDatabase()
    const em = orm.em.fork()
    await em.insert(ReadingList, { id: 1, name: 'Summer' })
    await em.insertMany(ListEntry, [
      { id: 101, list: 1, book: 1, place: 2, note: 'secret', addedAt: new Date(0) },
      { id: 102, list: 1, book: 2, place: 1, note: 'open', addedAt: null },
    ])
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  interface Shown {
    readonly meta: { readonly pivot: object }
  }
  const pivots = (items: readonly Shown[]) => items.map(({ meta }) => meta.pivot)

  /** Returns `meta.pivot` of the three kinds of documents that contain it. */
  async function everywhere(name: string, headers = {}): Promise<readonly object[][]> {
    const related = await client.get(`/${name}/1/books`, headers)
    const linkage = await client.get(`/${name}/1/relationships/books`, headers)
    const included = await client.get(`/${name}/1?include=books`, headers)
    return [
      pivots(related.body.data),
      pivots(linkage.body.data),
      pivots(included.body.included),
      pivots(included.body.data.relationships.books.data),
    ]
  }

  it('with hidden(fn) are omitted from meta.pivot when it returns true for the row', async () => {
    for (const shown of await everywhere('byRow')) {
      expect(shown).to.deep.equal([{ place: 2 }, { place: 1, note: 'open' }])
    }
  })

  it('with hidden() or writeOnly() are omitted from meta.pivot', async () => {
    for (const shown of await everywhere('never')) expect(shown).to.deep.equal([{ place: 2 }, { place: 1 }])
  })

  it('with hiddenFor(fn) are omitted from meta.pivot when it returns true for the requester', async () => {
    for (const shown of await everywhere('rootOnly', ann)) {
      expect(shown).to.deep.equal([{ note: 'secret' }, { note: 'open' }])
    }
    for (const shown of await everywhere('rootOnly', root)) {
      expect(shown).to.deep.equal([
        { place: 2, note: 'secret' },
        { place: 1, note: 'open' },
      ])
    }
  })

  it('with hidden(fn), hidden() or writeOnly() cannot be sorted by', async () => {
    for (const path of ['/byRow/1/books?sort=note', '/never/1/books?sort=note', '/never/1/books?sort=addedAt']) {
      expectError(await client.get(path), 400, 'SORTING_UNRECOGNIZED', { parameter: 'sort' })
    }
  })

  it('with hiddenFor(fn) can be sorted and filtered by when it returns false for the requester', async () => {
    const sorted = { parameter: 'sort' }
    // Cursor pages cannot be sorted by pivot fields: root gets another error, because the sort exists for root.
    expectError(await client.get('/rootOnly/1/books?sort=place', root), 400, 'SORTING_UNSUPPORTED', sorted)
    expectError(await client.get('/rootOnly/1/books?sort=place', ann), 400, 'SORTING_UNRECOGNIZED', sorted)
    expect(readIds((await client.get('/rootOnly/1/books?filter[at]=1', root)).body.data)).to.deep.equal(['2'])
    const refused = await client.get('/rootOnly/1/books?filter[at]=1', ann)
    expectError(refused, 400, 'FILTERING_UNRECOGNIZED', { parameter: 'filter[at]' })
    expect(readIds((await client.get('/rootOnly/1/books?filter[note]=open', ann)).body.data)).to.deep.equal(['2'])
  })

  it('with hiddenFor(fn) accept writes', async () => {
    const data = [{ type: 'books', id: '3', meta: { pivot: { place: 7, note: 'n' } } }]
    const answer = await client.post('/rootOnly/1/relationships/books', { data }, ann)
    expect(answer.status, answer.text).to.equal(200)
    expect(pivots(answer.body.data)).to.deep.include({ note: 'n' })
    const { orm } = await libraryDatabase()
    expect((await orm.em.fork().findOneOrFail(ListEntry, { book: 3 })).place).to.equal(7)
  })
})
