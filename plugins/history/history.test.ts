import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { Principal } from '#kernel/plugin'
import { meta } from '#plugins/actions/index.ts'
import { open, Policy } from '#plugins/authorization/index.ts'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { openRecordedLibrary, startRecordedLibrary, withPlugins } from '#test/template/support/recorded-library.ts'
import { history } from './index.ts'

class BookPolicy extends Policy<Book> {
  static override readonly needs = { view: [], update: [], delete: [], viewHistory: [] } as never
  override scope = () => ({ title: { $ne: 'private' } })
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  viewHistory = (principal: Principal | null) => principal?.identifier === 'admin'
}

/** Mallory sees no shelf. */
class ShelfPolicy extends Policy<Shelf> {
  static override readonly needs = { view: [], update: [], delete: [] } as never
  override scope = () => ({ name: { $ne: 'secret' } })
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
}

const books = defineResource(Book, {
  type: 'books',
  changes: true,
  history: true,
  policy: BookPolicy,
  fields: ({ id, string, decimal, dateTime, belongsTo, belongsToMany }) => [
    id(),
    string('title').required(),
    decimal('rating').nullable(),
    dateTime('printedAt').nullable(),
    string('secret').nullable().hidden(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags'),
  ],
})
const shelves = defineResource(Shelf, {
  type: 'shelves',
  policy: ShelfPolicy,
  fields: ({ id, string }) => [id(), string('name').required()],
})
const tags = defineResource(Tag, {
  type: 'tags',
  policy: open,
  fields: ({ id, string }) => [id().allowClientId(), string('name')],
  actions: ({ action }) => [
    action('history', { on: 'collection', answers: 'meta', handle: () => meta({ next: 'unchanged' }) }),
  ],
})
const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })

describe('GET /{type}/{id}/-history', () => {
  let database: Database
  let started: TestApp
  const listed = withPlugins(history())
  before(async () => {
    database = await openRecordedLibrary(listed)
    const resources = [books, shelves, tags, labels].map((resource) => ({ file: 'history.test.ts', resource }))
    started = await startRecordedLibrary(database, { plugins: listed, resources })
    const { store } = started.app
    await store.query(`insert into shelves (name) values ('open'), ('secret')`)
    await started.client.post('/books', {
      data: {
        type: 'books',
        attributes: { title: 'A', rating: 4.5, printedAt: '2026-01-02T03:04:05Z' },
        relationships: { shelf: { data: { type: 'shelves', id: '1' } } },
      },
    })
    await started.client.patch('/books/1', {
      data: { type: 'books', id: '1', attributes: { title: 'B', rating: null } },
    })
    await store.query(`update books set secret = 'x', shelf_id = 2 where id = 1`)
  })
  after(async () => {
    await started.close()
    await database.close()
  })
  const get = (query = '', headers: Record<string, string> = as('admin')) =>
    started.client.get(`/books/1/-history${query}`, headers)

  it('returns the changes, newest first, with values as documents show them', async () => {
    const { status, body } = await get()
    expect(status).to.equal(200)
    const [moved, updated, created] = body.data.map(({ attributes }: { attributes: object }) => attributes)
    expect(created).to.deep.include({ kind: 'created', principal: null, before: null })
    expect(created.after).to.deep.equal({
      title: 'A',
      rating: 4.5,
      printedAt: '2026-01-02T03:04:05+00:00',
      shelf: { type: 'shelves', id: '1' },
    })
    expect(updated).to.deep.include({ kind: 'updated', members: ['rating', 'title'] })
    expect(updated).to.deep.include({ before: { title: 'A', rating: 4.5 }, after: { title: 'B', rating: null } })
    expect(moved.members).to.deep.equal(['shelf'])
  })

  it('leaves out hidden members, and related resources that the requester does not see', async () => {
    const { text, body } = await get()
    const [{ attributes }] = body.data
    expect(attributes).to.deep.include({ before: { shelf: { type: 'shelves', id: '1' } }, after: {} })
    expect(text).not.to.include('secret')
  })

  it('needs the ability viewHistory, and a resource in scope', async () => {
    expect((await get('', {})).status).to.equal(401)
    expect((await get('', as('ada@example.com'))).status).to.equal(403)
    await started.app.store.query(`insert into books (title) values ('private')`)
    expect((await started.client.get('/books/2/-history', as('admin'))).status).to.equal(404)
    expect((await started.client.get('/books/nope/-history', as('admin'))).status).to.equal(404)
  })

  it('needs a policy with the ability, or the application does not start', async () => {
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      changes: true,
      history: true,
      policy: ShelfPolicy,
      fields: ({ id, string }) => [id(), string('name').required()],
    })
    const resources = [books, shelves, tags, labels].map((resource) => ({ file: 'history.test.ts', resource }))
    const starting = startRecordedLibrary(database, { plugins: listed, resources })
    expect(await starting.catch(({ message }) => message)).to.include(
      "shelves.history (history.test.ts): ShelfPolicy has no method 'viewHistory' for history: true.",
    )
  })

  it('has pages, each read by the same number of statements', async () => {
    for (let index = 0; index < 60; index++)
      await started.app.store.query(`update books set title = 'T${index}' where id = 1`)
    const first = await get()
    expect(first.body.data).to.have.length(50)
    const second = await started.client.get(first.body.links.next, as('admin'))
    expect(second.body.data).to.have.length(13)
    expect(second.body.links).not.to.have.property('next')
    const ids = [...first.body.data, ...second.body.data].map(({ id }: { id: string }) => Number(id))
    expect(ids).to.deep.equal([...new Set(ids)].toSorted((a, b) => b - a))
    expect(await statementsOf(() => get())).to.have.length.at.most(4)
  })

  it('returns 400 for another parameter or position', async () => {
    expect((await get('?historyBefore=x')).body.errors[0].code).to.equal('QUERY_PARAM_MALFORMED')
    for (const position of ['', '-1', '1.5', '1e3', '9999999999999999999', "1' or '1'='1", '%00'])
      expect((await get(`?historyBefore=${position}`)).status, position).to.equal(400)
    expect((await get('?historyBefore[a]=1')).status).to.equal(400)
    const refused = ['sort=title', 'include=shelf', 'filter[kind]=updated', 'x=1', 'page[size]=5', 'page[number]=2']
    for (const query of [...refused, 'fields[books]=title', 'fields[changes]=kind'])
      expect((await get(`?${query}`)).status, query).to.equal(400)
    const [{ detail }] = (await get('?page[size]=5')).body.errors
    expect(detail).to.include('a page has up to 50 changes')
    for (const position of ['0', '999999999999999999'])
      expect((await get(`?historyBefore=${position}`)).status, position).to.equal(200)
    const list = await started.client.get('/books?historyBefore=1', as('admin'))
    expect(list.body.errors[0].code).to.equal('QUERY_PARAM_MALFORMED')
    expect((await get('?nope=1')).body.errors[0].detail).to.match(/Accepted: historyBefore\.$/)
  })

  it('returns 404, 405 or 406 for other ids, methods and media types', async () => {
    for (const id of ['%00', '99999999999999999999', "1'", '-1', '1/-history'])
      expect((await started.client.get(`/books/${id}/-history`, as('admin'))).status, id).to.equal(404)
    expect((await started.client.get('/tags/1/-history', as('admin'))).status).to.equal(404)
    expect((await started.client.get('/books/1/-actions/history', as('admin'))).status).to.equal(404)
    expect((await started.client.post('/books/1/-history', {}, as('admin'))).status).to.equal(405)
    expect((await started.client.delete('/books/1/-history', undefined, as('admin'))).status).to.equal(405)
    expect((await get('', { ...as('admin'), accept: 'text/html' })).status).to.equal(406)
  })

  it('links to its description', async () => {
    const { describedby } = JSON.parse((await get()).text).links
    const response = await fetch(describedby)
    const { paths } = (await response.json()) as { paths: object }
    expect(paths).to.have.property('/books/{id}/-history')
  })

  it('leaves the action of another type with the same name alone', async () => {
    const { status, body } = await started.client.post('/tags/-actions/history', undefined, as('admin'))
    expect([status, body.meta, body.links?.next]).to.deep.equal([200, { next: 'unchanged' }, undefined])
  })

  it('has an entity tag, by which a client that has the response gets 304 until there is another change', async () => {
    const { headers } = await get()
    const known = { ...as('admin'), 'if-none-match': headers.get('etag') ?? '' }
    expect((await get('', known)).status).to.equal(304)
    await started.app.store.query(`update books set title = 'changed' where id = 1`)
    expect((await get('', known)).status).to.equal(200)
  })

  it('is described by the OpenAPI document: page parameter, changes, errors', async () => {
    const response = await fetch(`${started.client.url}/docs.json`)
    const { paths } = (await response.json()) as { paths: Readonly<Record<string, { readonly get: Described }>> }
    const { operationId, parameters, responses } = paths['/books/{id}/-history']?.get ?? {}
    expect(operationId).to.equal('action.books.history')
    expect(parameters?.map(({ name }) => name)).to.include('historyBefore')
    expect(Object.keys(responses ?? {})).to.include.members(['200', '400', '401', '403', '404'])
    expect(JSON.stringify(responses?.['200'])).to.include('#/components/schemas/HistoryDocument')
    expect(Object.keys(paths).filter((path) => path.endsWith('/-history'))).to.deep.equal(['/books/{id}/-history'])
  })
})

interface Described {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string }[]
  readonly responses: Readonly<Record<string, object>>
}
