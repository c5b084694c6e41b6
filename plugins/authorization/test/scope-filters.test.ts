import { type FilterQuery, raw } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { readIds } from '#test/template/specification/support.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { OpenPolicy } from './open-policy.ts'

// Every form of a filter that a scope may return, with the rows that it makes visible.

const red = '11111111-1111-4111-8111-111111111111'
const printed = new Date('1922-02-02T00:00:00Z')

/** Books 1 to 4 have the positions 1 to 4; book 4 has neither a secret, a date of print, a shelf nor a tag. */
const filters: readonly (readonly [filter: object, ids: readonly string[]])[] = [
  [{ title: 'Emma' }, ['2']],
  [{ position: 3 }, ['3']],
  [{ position: 3n }, ['3']],
  [{ printedAt: printed }, ['1', '2', '3']],
  [{ title: 'Emma', position: 1 }, []],
  [{ secret: null }, ['4']],
  [{ secret: { $eq: null } }, ['4']],
  [{ secret: { $ne: null } }, ['1', '2', '3']],
  [{ title: { $eq: 'Emma' } }, ['2']],
  [{ title: { $ne: 'Emma' } }, ['1', '3', '4']],
  [{ position: { $gt: 2 } }, ['3', '4']],
  [{ position: { $gte: 2 } }, ['2', '3', '4']],
  [{ position: { $lt: 2 } }, ['1']],
  [{ position: { $lte: 2 } }, ['1', '2']],
  [{ position: { $gte: 2, $lt: 4 } }, ['2', '3']],
  [{ position: { $in: [1, 4] } }, ['1', '4']],
  [{ position: { $nin: [1, 4] } }, ['2', '3']],
  [{ secret: { $in: ['x', null] } }, ['1', '2', '3']],
  [{ position: { $in: [] } }, []],
  [{ title: { $like: 'E%' } }, ['2']],
  [{ $and: [{ position: { $gt: 1 } }, { position: { $lt: 3 } }] }, ['2']],
  [{ $or: [{ position: 1 }, { position: 4 }] }, ['1', '4']],
  [{ $or: [{ position: 1 }, { title: { $like: 'E%' } }] }, ['1', '2']],
  [{ $not: { position: 1 } }, ['2', '3', '4']],
  [{ [raw('position')]: 3 }, ['3']],
  [{ secret: 'x', [raw('position')]: 3 }, ['3']],
  [{ [raw('??', ['position'])]: 3 }, ['3']],
  [{ title: { $fulltext: 'emma' } }, ['2']],
  [{ secret: 'x', title: { $fulltext: "emma ? ' ??" } }, ['2']],
  [{ shelf: { name: 'Fiction' } }, ['1', '2', '3']],
  [{ shelf: 1 }, ['1', '2', '3']],
  [{ tags: { name: 'red' } }, ['1', '2']],
  [{ tags: { $some: {} } }, ['1', '2']],
  [{ tags: { $none: {} } }, ['3', '4']],
  [{ tags: { $every: {} } }, ['1', '2', '3', '4']],
]

describe('A filter that a scope returns', () => {
  let library: TestApp
  let scope: unknown
  let calls = 0
  before(async () => {
    await fillLibrary()
    library = await startLibrary({
      resources: declare(() => {
        calls++
        return scope as boolean
      }),
    })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  for (const [filter, ids] of filters) {
    it(`makes the books ${ids.join(', ') || '(none)'} visible: ${printFilter(filter)}`, async () => {
      scope = filter
      const { status, body, text } = await library.client.get('/books?sort=position')
      expect(status, text).to.equal(200)
      expect(readIds(body.data)).to.deep.equal(ids)
      const shelved = await library.client.get('/shelves/1?include=books')
      expect(readIds(shelved.body.included ?? []).sort()).to.deep.equal(ids.filter((id) => id !== '4'))
      for (const id of ['1', '2', '3', '4']) {
        expect((await library.client.get(`/books/${id}`)).status, id).to.equal(ids.includes(id) ? 200 : 404)
      }
    })
  }

  it('is asked for once per request, however many statements show the type', async () => {
    scope = { title: 'Emma' }
    calls = 0
    const { body } = await library.client.get('/books?include=shelf.books')
    expect(readIds(body.data)).to.deep.equal(['2'])
    expect(calls).to.equal(1)
  })

  it('restricts the rows further that the scope of the declaration allows', async () => {
    const resources = declare(
      () => ({ position: { $gt: 1 } }),
      () => ({ position: { $lt: 3 } }),
    )
    const { client, close } = await startLibrary({ resources })
    const { body } = await client.get('/books')
    await close()
    expect(readIds(body.data)).to.deep.equal(['2'])
  })
})

function printFilter(filter: object): string {
  const isRaw = Object.getOwnPropertySymbols(filter).length > 0
  return (
    JSON.stringify(filter, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)) +
    (isRaw ? ' and raw SQL' : '')
  )
}

function declare(
  scope: () => FilterQuery<Book> | boolean,
  declared?: () => FilterQuery<Book>,
): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, integer, belongsTo }) => [
      id(),
      string('title'),
      integer('position').sortable(),
      belongsTo('shelf', 'shelves'),
    ],
    ...(declared && { scope: declared }),
    policy: class extends OpenPolicy {
      override scope = scope
    },
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
  })
  return [books, shelves].map((resource) => ({
    file: 'plugins/authorization/test/scope-filters.test.ts',
    resource,
  }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction')")
  await connection.execute(
    `insert into books (title, position, secret, printed_at, shelf_id) values ('Ulysses', 1, 'x', ?, 1),
      ('Emma', 2, 'x', ?, 1), ('Howl', 3, 'x', ?, 1), ('Lost', 4, null, null, null)`,
    [printed, printed, printed],
  )
  await connection.execute(`insert into tags (id, name) values ('${red}', 'red')`)
  await connection.execute(`insert into book_tags (book_id, tag_id) values (1, '${red}'), (2, '${red}')`)
}
