import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { cursor } from '#plugins/cursor-profile/index.ts'
import { page } from '#plugins/pagination/index.ts'
import { relationshipQueriesProfileUri } from '#plugins/relationship-queries/index.ts'
import type { TestApp } from './support/app.ts'
import { mediaType } from './support/client.ts'
import { Book, Label, Shelf, Tag } from './support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from './support/library/index.ts'
import { columnsOf, statementsOf } from './support/statements.ts'

// The number of statements of reads without policies, custom providers and linkage that is always shown.

describe('A read without policies and hooks', () => {
  let library: TestApp
  const windowed = { accept: `${mediaType}; profile="${relationshipQueriesProfileUri}"` }

  before(async () => {
    await fillLibrary()
    library = await startLibrary({ resources })
  })

  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const costOf = async (path: string, headers: Record<string, string> = {}) => {
    const statements = await statementsOf(async () => {
      const { status, text } = await library.client.get(path, headers)
      expect(status, text).to.equal(200)
    })
    return statements.length
  }

  const collections: readonly [what: string, path: string, cost: number][] = [
    ['a collection', '/shelves', 1],
    ['a collection with a lazy to-many', '/shelves?fields[shelves]=books', 1],
    ['a sorted and filtered collection', '/shelves?sort=-name&filter[books]', 1],
    ['a counted collection', '/shelves?withCount=_self_', 2],
    ['an included to-many', '/shelves?include=books', 2],
    ['an included to-one on the other side', '/shelves?include=label', 2],
    ['an included to-one', '/books?include=shelf', 2],
    ['an included many-to-many', '/books?include=tags', 2],
    ['a path of two relations', '/shelves?include=books.tags', 3],
    ['a path that comes back', '/books?include=shelf.books', 3],
    ['two included relations', '/shelves?include=books,label', 3],
    ['a cursor page for each parent', '/shelves?include=latest', 2],
    ['cursor pages of two relations', '/shelves?include=latest,newest', 3],
    ['one counted relation', '/shelves?withCount=books', 2],
    ['one counted many-to-many', '/books?withCount=tags', 2],
    ['two counted relations', '/shelves?withCount=books,latest', 3],
    ['a counted collection and relation', '/shelves?withCount=_self_,books', 3],
    ['a counted and included relation', '/shelves?withCount=books&include=books', 3],
  ]
  for (const [what, path, cost] of collections) {
    it(`of ${what} sends ${cost} statements for 5 rows and for 50: ${path}`, async () => {
      for (const size of [5, 50]) {
        const sized = `${path}${path.includes('?') ? '&' : '?'}page[size]=${size}`
        expect((await library.client.get(sized)).body.data).to.have.length(size)
        expect(await costOf(sized)).to.equal(cost)
      }
    })
  }

  const windows: readonly [path: string, cost: number][] = [
    ['/shelves?include=books', 2],
    ['/shelves?include=books,latest', 3],
    ['/books?include=tags', 2],
    ['/shelves?include=books&relatedQuery[books][sort]=-title&relatedQuery[books][filter][title]=Book', 2],
  ]
  for (const [path, cost] of windows) {
    it(`of one page per parent sends one statement per relation for 5 and for 50 parents: ${path}`, async () => {
      for (const size of [5, 50]) {
        const sized = `${path}&page[size]=${size}`
        const { body } = await library.client.get(sized, windowed)
        expect(body.data).to.have.length(size)
        const [relation = ''] = /(?<=include=)\w+/.exec(path) ?? []
        for (const item of body.data) expect(item.relationships[relation].data).to.have.length(2)
        expect(await costOf(sized, windowed)).to.equal(cost)
      }
    })
  }

  const others: readonly [path: string, most: number][] = [
    ['/shelves/1', 1],
    ['/shelves/1/books', 2],
    ['/shelves/1/latest', 2],
    ['/shelves/1/label', 2],
    ['/books/1/shelf', 2],
    ['/books/1/tags', 2],
    ['/shelves/1/books?sort=-title&filter[title]=Book&page[number]=2', 2],
    ['/shelves/1/relationships/books', 2],
    ['/shelves/1/relationships/latest?page[size]=1', 2],
    ['/books/1/relationships/tags', 2],
    ['/shelves/1/books?withCount=_self_', 3],
  ]
  for (const [path, most] of others) {
    it(`of ${path} sends at most ${most} statements`, async () => {
      expect(await costOf(path)).to.be.within(1, most)
    })
  }

  const read = (path: string) =>
    statementsOf(async () => expect((await library.client.get(path)).status, path).to.equal(200))

  it('selects identifiers only for linkage that is always shown', async () => {
    const [tagged, members, ...rest] = await read('/shown-tags')
    expect(rest).to.deep.equal([])
    expect(columnsOf(tagged?.sql)).to.deep.equal(['id', 'name'])
    expect(columnsOf(members?.sql)).to.deep.equal(['id', 'tag_id'])
  })

  it('partitions a cursor page by parent with row_number', async () => {
    const [, members] = await read('/shelves?include=latest')
    expect(members?.sql).to.contain('row_number() over (partition by')
  })

  it('binds the values of a cursor as parameters', async () => {
    const title = `'); drop table books; --`
    const token = { k: ['title', 'id'], v: [title, 3], d: 'after' }
    const after = Buffer.from(JSON.stringify(token)).toString('base64url')
    const statements = await read(`/shelves/1/latest?sort=title&page[after]=${after}`)
    expect(statements.map(({ sql }) => sql).join()).not.to.contain('drop')
    expect(statements.at(-1)?.parameters).to.include(title)
  })
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo, belongsToMany }) => [
    id(),
    string('title').sortable(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags')
      .paginate(page({ size: 2 }))
      .countable(),
  ],
  filters: ({ contains }) => [contains('title')],
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  countable: true,
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name').sortable(),
    hasMany('books', 'books')
      .paginate(page({ size: 2 }))
      .countable(),
    hasMany('latest', 'books')
      .storedAs('books')
      .paginate(cursor({ size: 2 }))
      .countable(),
    hasMany('newest', 'books')
      .storedAs('books')
      .paginate(cursor({ size: 1 })),
    hasOne('label', 'labels'),
  ],
  filters: ({ whereHas }) => [whereHas('books')],
})

const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name').sortable()] })

const shownTags = defineResource(Tag, {
  type: 'shown-tags',
  fields: ({ id, string, belongsToMany }) => [id(), string('name'), belongsToMany('books', 'books').withData()],
})

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
})

const resources: readonly DeclaredResource[] = [books, shelves, tags, shownTags, labels].map((resource) => ({
  file: 'test/plain-budget.test.ts',
  resource,
}))

/** 60 shelves with a label and three books each; every book has the same three tags. */
async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const em = (await libraryDatabase()).orm.em.fork()
  const ids = Array.from({ length: 60 }, (_, index) => index + 1)
  await em.insertMany(
    Shelf,
    ids.map((id) => ({ id, name: `Shelf ${id}` })),
  )
  await em.insertMany(
    Label,
    ids.map((id) => ({ id, text: `Label ${id}`, shelf: id })),
  )
  await em.insertMany(
    Book,
    ids.flatMap((shelf) => [0, 100, 200].map((step) => ({ id: shelf + step, title: `Book ${shelf + step}`, shelf }))),
  )
  await em.insertMany(
    Tag,
    [1, 2, 3].map((id) => ({ id: `00000000-0000-4000-8000-00000000000${id}`, name: `Tag ${id}` })),
  )
  await em.execute('insert into book_tags (book_id, tag_id) select b.id, t.id from books b, tags t')
}
