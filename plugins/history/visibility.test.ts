import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { Principal } from '#kernel/plugin'
import { Policy } from '#plugins/authorization/index.ts'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { as } from '#test/support/principals.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { openRecordedLibrary, startRecordedLibrary, withPlugins } from '#test/template/support/recorded-library.ts'
import { history } from './index.ts'

/** Every ability, except that `reader` sees neither books that are called 'denied' nor shelves that are called 'closed'. */
class BookPolicy extends Policy<Book> {
  static override readonly needs = { view: ['title'], update: [], delete: [], viewHistory: [] } as never
  static override readonly rowsByView = true
  override viewAny = () => true
  override view = (principal: Principal | null, { title }: { readonly title: string }) =>
    principal?.identifier === 'auditor' || title !== 'denied'
  override create = () => true
  override update = () => true
  override delete = () => true
  restore = () => true
  forceDelete = () => true
  viewHistory = (principal: Principal | null) => principal !== null
}

class ShelfPolicy extends Policy<Shelf> {
  static override readonly needs = { view: [], update: [], delete: [], viewHistory: [] } as never
  override scope = (principal: Principal | null) => principal?.identifier === 'auditor' || { name: { $ne: 'closed' } }
  override viewAny = () => true
  override view = (principal: Principal | null) => principal?.identifier !== 'blind'
  override create = () => true
  override update = () => true
  override delete = () => true
  viewHistory = (principal: Principal | null) => principal !== null
}

const recorded = { changes: true, history: true }
const books = defineResource(Book, {
  ...recorded,
  type: 'books',
  policy: BookPolicy,
  softDeletes: { property: 'removedAt' },
  fields: ({ id, string, belongsTo }) => [
    id(),
    string('title').required(),
    string('secret')
      .nullable()
      .hiddenFor(({ principal }) => principal?.identifier !== 'auditor'),
    belongsTo('shelf', 'shelves'),
  ],
})
const shelves = defineResource(Shelf, {
  ...recorded,
  type: 'shelves',
  policy: ShelfPolicy,
  fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books')],
})
const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id().allowClientId(), string('name')] })
const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })

describe('History of a requester that does not see everything', () => {
  let database: Database
  let started: TestApp
  const developmentTokens = { auditor: [], reader: [], blind: [] }
  const listed = withPlugins(history()).map((plugin) =>
    plugin.name === 'bearer-auth' ? bearerAuth({ developmentTokens }) : plugin,
  )
  before(async () => {
    database = await openRecordedLibrary(listed)
    const resources = [books, shelves, tags, labels].map((resource) => ({ file: 'visibility.test.ts', resource }))
    started = await startRecordedLibrary(database, { plugins: listed, resources })
    await started.app.start()
    await started.app.store.queue.stop()
  })
  beforeEach(() => run('delete from books'))
  after(async () => {
    await started.close()
    await database.close()
  })
  const run = (sql: string) => started.app.store.query(sql)
  const get = (path: string, principal = 'reader') => started.client.get(`${path}/-history`, as(principal))
  const kinds = async (path: string, principal?: string) => {
    const { status, body } = await get(path, principal)
    expect(status).to.equal(200)
    return body.data.map(({ attributes }: { attributes: { kind: string } }) => attributes.kind)
  }

  it('returns 404 for a row that `view` denies, although viewHistory allows it', async () => {
    await run(`insert into books (id, title) values (1, 'denied')`)
    expect((await get('/books/1')).status).to.equal(404)
    expect(await kinds('/books/1', 'auditor')).to.deep.equal(['created'])
  })

  it('returns 404 for all rows of a type that `view` denies without a row', async () => {
    await run(`insert into shelves (id, name) values (10, 'open')`)
    expect((await get('/shelves/10', 'blind')).status).to.equal(404)
    expect((await get('/shelves/10')).status).to.equal(200)
  })

  it('returns 404 for a deleted row and for one in the trash, and shows both after the row is restored', async () => {
    await run(`insert into books (id, title) values (2, 'A'), (3, 'B')`)
    await run('delete from books where id = 2')
    expect((await get('/books/2')).status).to.equal(404)
    await started.client.delete('/books/3', undefined, as('reader'))
    expect((await get('/books/3')).status).to.equal(404)
    await started.client.post('/books/3/-actions/restore', undefined, as('reader'))
    expect(await kinds('/books/3')).to.deep.equal(['restored', 'deleted', 'created'])
  })

  it('leaves out updates of which the requester sees no member', async () => {
    await run(`insert into books (id, title) values (4, 'A')`)
    await run(`update books set secret = 'x' where id = 4`)
    await run(`update books set secret = 'y', title = 'B' where id = 4`)
    expect(await kinds('/books/4')).to.deep.equal(['updated', 'created'])
    const { text, body } = await get('/books/4')
    expect(body.data[0].attributes).to.deep.include({ members: ['title'], after: { title: 'B' } })
    expect(text).not.to.include('secret')
    expect(await kinds('/books/4', 'auditor')).to.deep.equal(['updated', 'updated', 'created'])
  })

  it('leaves out members that were added or removed, if the requester does not see them', async () => {
    await run(`insert into shelves (id, name) values (11, 'open')`)
    await run(`insert into books (id, title, shelf_id) values (5, 'denied', 11), (6, 'shown', 11)`)
    const added = ({ body }: { body: { data: { attributes: { after: object } }[] } }) =>
      body.data.map(({ attributes }) => attributes.after)
    const [shown, denied] = [5, 6].toReversed().map((id) => ({ books: { type: 'books', id: String(id) } }))
    expect(added(await get('/shelves/11'))).to.deep.equal([shown, { name: 'open' }])
    expect(added(await get('/shelves/11', 'auditor'))).to.deep.equal([shown, denied, { name: 'open' }])
  })

  it('leaves out members of entries that were recorded before the type had a history, which have no keys', async () => {
    await run(`insert into shelves (id, name) values (13, 'open')`)
    await run(`insert into books (id, title, shelf_id) values (20, 'denied', 13)`)
    await run(`update change_log set before = null, after = null where type = 'shelves' and key = '13'`)
    expect(await kinds('/shelves/13')).to.deep.equal(['created'])
    expect(await kinds('/shelves/13', 'auditor')).to.deep.equal(['created'])
  })

  it('begins with the creation of the resource, not with changes of a deleted one with the same id', async () => {
    await run(`insert into books (id, title) values (21, 'first')`)
    await run('delete from books where id = 21')
    await run(`insert into books (id, title) values (21, 'second')`)
    expect(await kinds('/books/21')).to.deep.equal(['created'])
    expect((await get('/books/21')).text).not.to.include('first')
  })

  it('does not name a related resource outside of the scope', async () => {
    await run(`insert into shelves (id, name) values (12, 'closed')`)
    await run(`insert into books (id, title, shelf_id) values (7, 'A', 12)`)
    expect((await get('/books/7')).body.data[0].attributes.after).to.deep.equal({ title: 'A' })
    const { attributes } = (await get('/books/7', 'auditor')).body.data[0]
    expect(attributes.after).to.deep.include({ shelf: { type: 'shelves', id: '12' } })
    expect((await get('/shelves/12')).status).to.equal(404)
  })

  it('has pages of about a million characters, and at least one change', async () => {
    await run(`insert into books (id, title) values (8, 'A')`)
    for (const letter of 'BCDE') await run(`update books set title = repeat('${letter}', 600000) where id = 8`)
    const titles: string[] = []
    let pages = 0
    for (let path = '/books/8/-history'; path; pages++) {
      const { body } = await started.client.get(path, as('reader'))
      titles.push(
        ...body.data.map(({ attributes }: { attributes: { after: { title: string } } }) => attributes.after.title[0]),
      )
      path = body.links?.next ?? ''
    }
    expect(titles).to.deep.equal(['E', 'D', 'C', 'B', 'A'])
    expect(pages).to.equal(4)
  })
})
