import { expect } from 'chai'
import { defineResource } from '#kernel'
import { type Needs, Policy } from '#plugins/authorization/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { add, expectFailure, readResults, sendBatch } from '#test/support/batch.ts'
import { statementsOf } from '#test/support/statements.ts'
import { query } from '#test/template/support/idempotency-keys.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

class ShelfPolicy extends Policy<Shelf> {
  static override readonly needs = { view: [], update: [], delete: [] } satisfies Needs<Shelf>
  override scope = () => ({ name: { $ne: 'Hidden' } })
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
}

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string }) => [id(), string('name')],
  policy: ShelfPolicy,
})
const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, belongsTo }) => [
    id(),
    string('title'),
    integer('position'),
    belongsTo('shelf', 'shelves'),
  ],
})

describe('A batch of creates that refer to other rows', () => {
  let library: TestApp

  before(async () => {
    const resources = [shelves, books].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
    library = await startLibrary({ resources })
  })
  beforeEach(async () => {
    await emptyLibrary()
    await query(`insert into shelves (name) values ('Fiction'), ('Poetry'), ('Hidden')`)
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const bookOn = (id: string | null, attributes: object = { title: 'Emma' }) =>
    add('books', attributes, { shelf: id === null ? null : { type: 'shelves', id } })
  const shelvesOfBooks = async () => {
    const rows = await query('select shelf_id from books order by id')
    return rows.map(({ shelf_id }) => shelf_id)
  }

  for (const [name, ids, rows] of [
    ['different rows', ['1', '2', '1'], [1, 2, 1]],
    ['one row', ['2', '2'], [2, 2]],
    ['a row or none', ['1', null, '2'], [1, null, 2]],
    ['none', [null, null], [null, null]],
  ] as const) {
    it(`is one statement when they refer to ${name}`, async () => {
      const statements = await statementsOf(async () => {
        readResults(
          await sendBatch(
            library.client,
            ids.map((id) => bookOn(id)),
          ),
        )
      })
      expect(statements.map(({ sql }) => /\binsert\b/.test(sql))).to.deep.equal([true])
      expect(await shelvesOfBooks()).to.deep.equal(rows)
    })
  }

  for (const [name, id] of [
    ['is missing', '4711'],
    ['is out of the scope of the requester', '3'],
  ] as const) {
    for (const [where, attributes] of [
      ['of rows with the same columns', { title: 'Emma' }],
      ['of rows with other columns', { title: 'Emma', position: 7 }],
    ] as const) {
      it(`returns 404 at the operation and changes nothing when one ${where} ${name}`, async () => {
        const batch = [bookOn('1'), bookOn('2'), bookOn(id, attributes), bookOn('1')]
        const response = await sendBatch(library.client, batch)
        expectFailure(response, 404, 'RESOURCE_NOT_FOUND', '/atomic:operations/2/data/relationships/shelf/data')
        expect(await shelvesOfBooks()).to.deep.equal([])
      })
    }
  }

  it('creates rows with different columns in their order', async () => {
    const batch = [bookOn('1'), bookOn('2', { title: 'Emma', position: 7 }), bookOn(null)]
    readResults(await sendBatch(library.client, batch))
    expect(await shelvesOfBooks()).to.deep.equal([1, 2, null])
  })
})
