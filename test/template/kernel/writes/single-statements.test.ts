import type { FilterQuery } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource, type Principal } from '#kernel'
import { open, Policy } from '#plugins/authorization/index.ts'
import { observeStatements } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// A write that one statement checks, writes and returns needs no transaction: the statement commits by itself.

/** The policy that `npm run make -- resource` generates. */
class BookPolicy extends Policy<Book> {
  static override readonly needs = { view: [], update: [], delete: [] }
  override viewAny = () => true
  override view = () => true
  override create = (principal: Principal | null) => principal !== null
  override update = (principal: Principal | null) => principal !== null
  override delete = (principal: Principal | null) => principal !== null
}

describeIf(hasServer)('A write of a type with a generated policy', () => {
  let library: TestApp
  before(async () => {
    await emptyLibrary()
    const connection = (await libraryDatabase()).orm.em.getConnection()
    await connection.execute("insert into shelves (name) values ('left')")
    const books = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo }) => [id(), string('title').required(), belongsTo('shelf', 'shelves')],
      policy: BookPolicy,
    })
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string }) => [id(), string('name')],
      policy: open,
    })
    library = await startLibrary({
      resources: [books, shelves].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource })),
      plugins: pluginsWithTokens('ada'),
    })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const send = (method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>) =>
    sendTo(library, method, path, body, headers)
  const relationships = { shelf: { data: { type: 'shelves', id: '1' } } }
  const book = (title: string, id?: string) => ({
    data: { type: 'books', ...(id && { id }), attributes: { title }, relationships },
  })

  it('sends one statement to create, to update and to delete', async () => {
    const created = await send('POST', '/books', book('Emma'))
    expect([created.status, created.verbs]).to.deep.equal([201, ['insert']])
    const { id } = JSON.parse(created.text).data
    const updated = await send('PATCH', `/books/${id}`, book('Emma II', id))
    expect([updated.status, updated.verbs]).to.deep.equal([200, ['update']])
    const deleted = await send('DELETE', `/books/${id}`)
    expect([deleted.status, deleted.verbs]).to.deep.equal([204, ['delete']])
  })

  it('returns 404 before 401 when the row does not exist, and writes nothing when the requester is anonymous', async () => {
    const { id } = JSON.parse((await send('POST', '/books', book('Persuasion'))).text).data
    const statuses = async (path: string, sent: string) => [
      (await send('PATCH', path, book('Lost', sent), {})).status,
      (await send('DELETE', path, undefined, {})).status,
    ]
    expect(await statuses(`/books/${id}`, id)).to.deep.equal([401, 401])
    expect(await statuses('/books/404', '404')).to.deep.equal([404, 404])
    const [row] = await (await libraryDatabase()).orm.em
      .getConnection()
      .execute('select title from books where id = ?', [id])
    expect(row?.title).to.equal('Persuasion')
  })
})

/** A policy that also says which rows exist for the requester. */
class ScopedPolicy extends BookPolicy {
  override scope = (): FilterQuery<Book> => ({ title: { $ne: 'Walden' } })
}

describeIf(hasServer)('A write of a type with a scope', () => {
  let library: TestApp
  before(async () => {
    await emptyLibrary()
    const books = defineResource(Book, {
      type: 'books',
      fields: ({ id, string }) => [id(), string('title').required()],
      policy: ScopedPolicy,
    })
    library = await startLibrary({
      resources: [{ file: 'books.ts', resource: books }],
      plugins: pluginsWithTokens('ada'),
    })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })
  const stored = async () => {
    const rows = await (await libraryDatabase()).orm.em.getConnection().execute('select title from books order by id')
    return rows.map(({ title }) => title)
  }
  const book = (title: string, id?: string) => ({ data: { type: 'books', ...(id && { id }), attributes: { title } } })

  it('sends one statement, which checks that the written row is in scope', async () => {
    const created = await sendTo(library, 'POST', '/books', book('Emma'))
    expect([created.status, created.verbs]).to.deep.equal([201, ['with']])
    const { id } = JSON.parse(created.text).data
    const updated = await sendTo(library, 'PATCH', `/books/${id}`, book('Emma II', id))
    expect([updated.status, updated.verbs]).to.deep.equal([200, ['with']])
    const deleted = await sendTo(library, 'DELETE', `/books/${id}`)
    expect([deleted.status, deleted.verbs]).to.deep.equal([204, ['delete']])
  })

  it('writes nothing when the row would leave the scope', async () => {
    expect((await sendTo(library, 'POST', '/books', book('Walden'))).status).to.equal(403)
    expect(await stored()).to.deep.equal([])
    const { id } = JSON.parse((await sendTo(library, 'POST', '/books', book('Persuasion'))).text).data
    const moved = await sendTo(library, 'PATCH', `/books/${id}`, book('Walden', id))
    expect([moved.status, moved.verbs]).to.deep.equal([403, ['with']])
    expect(await stored()).to.deep.equal(['Persuasion'])
  })
})

/** Returns the response, and the first words of all statements, also of `begin` and `commit`. */
async function sendTo(
  library: TestApp,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = as('ada'),
) {
  const verbs: string[] = []
  const stop = observeStatements(({ sql }) => verbs.push(sql.split(' ', 1)[0] as string))
  try {
    const response = await library.client.send(method, path, { ...(body && { body }), headers })
    return { ...response, verbs }
  } finally {
    stop()
  }
}
