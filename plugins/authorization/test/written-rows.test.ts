import { expect } from 'chai'
import { defineResource, type Principal } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { add, atomicHeaders } from '#test/support/batch.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import type { PolicyClass, PolicyContext, PolicyInput, PolicyRow } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

// Scope and check apply to a row as it is after the write; a denial rolls the write back.

const ada = as('ada')
const book = (attributes: object, id?: string) => ({ data: { type: 'books', ...(id && { id }), attributes } })

describe('A written row', () => {
  let library: TestApp
  const start = async (policy: PolicyClass<Book>) => {
    library = await startLibrary({ resources: declare(policy), plugins: pluginsWithTokens('ada') })
  }
  const batch = (...operations: object[]) =>
    library.client.post('/operations', { 'atomic:operations': operations }, { ...atomicHeaders, ...ada })
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  it('returns 403 and rolls back when a create, an update or a batch leaves the row outside the scope', async () => {
    await start(FirstPositions)
    const before = await rows()
    expect((await library.client.post('/books', book({ title: 'Walden', position: 9 }), ada)).status).to.equal(403)
    expect((await library.client.patch('/books/1', book({ position: 9 }, '1'), ada)).status).to.equal(403)
    const two = await batch(add('books', { title: 'a', position: 1 }), add('books', { title: 'b', position: 9 }))
    expect(two.status).to.equal(403)
    const update = { op: 'update', data: { type: 'books', id: '1', attributes: { position: 9 } } }
    expect((await batch(add('books', { title: 'a', position: 1 }), update)).status).to.equal(403)
    expect(await rows()).to.deep.equal(before)
  })

  it('returns 401 when an anonymous caller creates a row outside the scope', async () => {
    await start(FirstPositions)
    expect((await library.client.post('/books', book({ title: 'Walden', position: 9 }))).status).to.equal(401)
  })

  it('is checked in the writing statement when the scope uses columns of the row', async () => {
    await start(FirstPositions)
    const countOf = async (expected: number, send: () => Promise<{ status: number }>) => {
      const statements = await statementsOf(async () => expect((await send()).status).to.equal(expected))
      return statements.length
    }
    const create = () => library.client.post('/books', book({ title: 'Walden', position: 2 }), ada)
    expect(await countOf(201, create)).to.equal(1)
    const update = () => library.client.patch('/books/1', book({ position: 3 }, '1'), ada)
    expect(await countOf(200, update)).to.equal(1)
  })

  it('is checked by one more statement when the scope uses another table', async () => {
    await start(
      class extends OpenPolicy {
        override scope = () => ({ shelf: { name: 'Fiction' } })
      },
    )
    const relationships = { shelf: { data: { type: 'shelves', id: '1' } } }
    const create = { data: { type: 'books', attributes: { title: 'Walden' }, relationships } }
    const statements = await statementsOf(async () => {
      expect((await library.client.post('/books', create, ada)).status).to.equal(201)
    })
    expect(statements.map(({ sql }) => sql.split(' ')[0])).to.deep.equal(['insert', 'select'])
    expect((await library.client.post('/books', book({ title: 'Lost' }), ada)).status).to.equal(403)
  })

  it('returns 201 for a row outside the scope when the policy sets writesOutsideScope', async () => {
    await start(
      class extends FirstPositions {
        static override readonly writesOutsideScope = true
      },
    )
    const { status, body } = await library.client.post('/books', book({ title: 'Walden', position: 9 }), ada)
    expect([status, body.data.attributes.title]).to.deep.equal([201, 'Walden'])
    expect((await library.client.get(`/books/${body.data.id}`, ada)).status).to.equal(404)
  })

  it('returns 403 and rolls back when check denies the row', async () => {
    await start(Titled)
    const before = await rows()
    expect((await library.client.post('/books', book({ title: 'forbidden' }), ada)).status).to.equal(403)
    expect((await library.client.patch('/books/1', book({ title: 'forbidden' }, '1'), ada)).status).to.equal(403)
    expect((await batch(add('books', { title: 'a' }), add('books', { title: 'forbidden' }))).status).to.equal(403)
    expect(await rows()).to.deep.equal(before)
    expect((await library.client.patch('/books/1', book({ title: 'Walden' }, '1'), ada)).status).to.equal(200)
  })

  it('is not checked when the program dispatches without a principal', async () => {
    await start(FirstPositions)
    const response = await library.app.dispatch({
      kind: 'Create',
      type: 'books',
      attributes: { title: 'Walden', position: 9 },
    })
    expect(response.status).to.equal(201)
  })

  it('returns 403 and rolls back when the row cannot be read back for check, because a trigger has deleted it', async () => {
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute(`create function delete_book() returns trigger language plpgsql as $$
      begin delete from books where id = new.id; return null; end $$`)
    await connection.execute(
      'create trigger delete_book after insert on books for each row execute function delete_book()',
    )
    try {
      await start(Titled)
      expect((await library.client.post('/books', book({ title: 'Walden' }), ada)).status).to.equal(403)
    } finally {
      await connection.execute('drop trigger delete_book on books')
      await connection.execute('drop function delete_book')
    }
  })

  it('is authorized by create and update with the attributes and relationships of the request', async () => {
    received.length = 0
    await start(Recording)
    const shelf = { data: { type: 'shelves', id: '1' } }
    const attributes = { title: 'Walden', unknown: [1] }
    await library.client.post('/books', { data: { type: 'books', attributes, relationships: { shelf } } }, ada)
    await library.client.patch('/books/1', book({ title: 5 }, '1'), ada)
    await library.client.patch('/books/1/relationships/shelf', shelf, ada)
    expect(received).to.deep.equal([
      { attributes, relationships: { shelf: shelf.data } },
      { attributes: { title: 5 }, relationships: {} },
      { attributes: {}, relationships: { shelf: shelf.data } },
    ])
    expect(Object.isFrozen(received[0]?.attributes)).to.equal(true)
  })
})

class FirstPositions extends OpenPolicy {
  override scope = () => ({ position: { $lte: 5 } })
}

class Titled extends OpenPolicy {
  static override readonly needs = { ...OpenPolicy.needs, check: ['title'] }
  override check = (_: Principal | null, { title }: PolicyRow<Book>) => title !== 'forbidden'
}

const received: PolicyInput[] = []

class Recording extends OpenPolicy {
  override create = (_: Principal | null, input: PolicyInput, context: PolicyContext) => {
    expect(context.input).to.equal(input)
    received.push(input)
    return true
  }
  override update = (_: Principal | null, _row: PolicyRow<Book>, { input }: PolicyContext) => {
    if (input) received.push(input)
    return true
  }
}

function declare(policy: PolicyClass<Book>): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, integer, belongsTo }) => [
      id(),
      string('title').required(),
      integer('position'),
      belongsTo('shelf', 'shelves'),
    ],
    policy,
  })
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })
  return [books, shelves].map((resource) => ({ file: 'plugins/authorization/test/written-rows.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction')")
  await connection.execute("insert into books (title, shelf_id) values ('Ulysses', 1), ('Emma', 1)")
}

async function rows(): Promise<unknown> {
  return (await libraryDatabase()).orm.em.getConnection().execute('select * from books order by id')
}
