import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import type { Identifier } from '#kernel/plugin'
import { meta } from '#plugins/actions/index.ts'
import { type Needs, Policy, type PolicyInput, type PolicyRow } from '#plugins/authorization/index.ts'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { add, atomicHeaders, update } from '#test/support/batch.ts'
import type { Client } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { expectReplay, keyed, query, shelf } from '#test/template/support/idempotency-keys.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

/** Whether writes and reads of shelves are allowed at the moment. */
const allAllowed = { view: true, create: true, update: true, readsBooks: true }
const allowed = { ...allAllowed }
let visibleNames: string | null = null
/** The roles of ada at the moment. */
const roles: string[] = []
const tokens = { ada: roles, eve: [] }
/** The shelves that the policy of books has received with creates. */
const shelvesOfCreates: unknown[] = []

class ShelfPolicy extends Policy<Shelf> {
  static override readonly needs = { view: [], update: ['name'], delete: [], readsBooks: [] } satisfies Needs<Shelf> & {
    readsBooks: []
  }
  override scope() {
    return visibleNames === null || { name: visibleNames }
  }
  override viewAny = () => true
  override view = () => allowed.view
  override create = () => allowed.create
  override update = (_principal: unknown, { name }: PolicyRow<Shelf>) => allowed.update && name !== 'locked'
  override delete = () => allowed.update
  readsBooks = () => allowed.readsBooks
  dust = () => allowed.create
}

/** Decides by a column that is no field, and by the shelf of the book. */
class BookPolicy extends Policy<Book> {
  static override readonly needs = { view: [], update: ['secret', 'shelf.name'], delete: [] } satisfies Needs<Book>
  override viewAny = () => true
  override view = () => true
  override create = (_principal: unknown, { relationships: { shelf: given } }: PolicyInput) => {
    shelvesOfCreates.push((given as Identifier | undefined)?.id)
    return allowed.create
  }
  override delete = () => true
  override update = (_principal: unknown, { secret, shelf }: PolicyRow<Book>) =>
    secret !== 'locked' && shelf?.name !== 'locked'
}

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany }) => [
    id(),
    string('name').required(),
    hasMany('books', 'books').security({ read: 'readsBooks' }),
  ],
  policy: ShelfPolicy,
  actions: ({ action }) => [action('dust', { on: 'collection', answers: 'meta', handle: () => meta({ dust: true }) })],
})
const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo, belongsToMany }) => [
    id(),
    string('title'),
    string('secret')
      .nullable()
      .hiddenFor(({ principal }) => !principal?.roles.includes('editor')),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags'),
  ],
  policy: BookPolicy,
})
const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })

describe('A repeated request with an idempotency key', () => {
  let library: TestApp
  let client: Client
  const [ada, eve] = [as('ada'), as('eve')]

  before(async () => {
    library = await startLibrary({
      resources: [shelves, books, tags].map((resource) => ({ file: 'shelves.ts', resource })),
      plugins: plugins.map((plugin) =>
        plugin.name === 'bearer-auth' ? bearerAuth({ developmentTokens: tokens }) : plugin,
      ),
    })
    client = library.client
  })
  beforeEach(async () => {
    Object.assign(allowed, allAllowed)
    visibleNames = null
    roles.splice(0)
    shelvesOfCreates.splice(0)
    await fillLibrary()
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('has a key of its own for each principal and for anonymous requests', async () => {
    const key = keyed()
    const responses = []
    for (const principal of [ada, eve, {}]) {
      responses.push(await client.post('/shelves', shelf('Prose'), { ...key, ...principal }))
    }
    expect(responses.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).to.deep.equal(
      Array(3).fill([201, null]),
    )
    expectReplay(await client.post('/shelves', shelf('Prose'), { ...key, ...eve }), responses[1] as never)
  })

  it('returns 401 for bad credentials', async () => {
    const key = keyed()
    await client.post('/shelves', shelf('Prose'), { ...key, ...ada })
    const { status } = await client.post('/shelves', shelf('Prose'), { ...key, ...as('stranger') })
    expect(status).to.equal(401)
  })

  it('returns 403 when the principal may no longer update the row', async () => {
    const key = { ...keyed(), ...ada }
    const send = () => client.patch('/shelves/1', shelf('Prose', '1'), key)
    const first = await send()
    allowed.update = false
    const denied = await send()
    expect([denied.status, denied.headers.get('idempotency-replayed')]).to.deep.equal([403, null])
    allowed.update = true
    expectReplay(await send(), first)
  })

  it('decides by the row as it is now', async () => {
    const key = { ...keyed(), ...ada }
    const send = () => client.patch('/shelves/1', shelf('Prose', '1'), key)
    expect((await send()).status).to.equal(200)
    await query(`update shelves set name = 'locked' where id = 1`)
    expect((await send()).status).to.equal(403)
  })

  for (const [name, change] of [
    ['a column that is no field', `update books set secret = 'locked' where id = 1`],
    ['a related row', `update shelves set name = 'locked' where id = (select shelf_id from books where id = 1)`],
  ] as const) {
    it(`decides by ${name}`, async () => {
      const key = { ...keyed(), ...ada }
      const document = { data: { type: 'books', id: '1', attributes: { title: 'Prose' } } }
      const send = () => client.patch('/books/1', document, key)
      const first = await send()
      expect(first.status, first.text).to.equal(200)
      const statements = await statementsOf(async () => expectReplay(await send(), first))
      expect(statements, 'one for the key, one for the row').to.have.length(2)
      await query(change)
      expect((await send()).status).to.equal(403)
    })
  }

  it('decides about a row of a type that the principal may no longer view', async () => {
    const key = { ...keyed(), ...ada }
    const send = () => client.patch('/shelves/1', shelf('Prose', '1'), key)
    expect((await send()).status).to.equal(200)
    Object.assign(allowed, { view: false, update: false })
    expect((await send()).status).to.equal(403)
  })

  it('returns the stored response when the row no longer exists, or is out of the scope of the principal', async () => {
    const [change, removal] = [keyed(), keyed()]
    const patch = () => client.patch('/shelves/2', shelf('Prose', '2'), { ...change, ...ada })
    const remove = () => client.delete('/shelves/2', undefined, { ...removal, ...ada })
    const patched = await patch()
    visibleNames = 'Fiction'
    expectReplay(await patch(), patched)
    visibleNames = null
    const removed = await remove()
    allowed.update = false
    expectReplay(await patch(), patched)
    expectReplay(await remove(), removed)
  })

  for (const [name, send] of Object.entries({
    'create a resource': (key: object) => client.post('/shelves', shelf('Prose'), { ...key }),
    'run an action of the collection': (key: object) => client.post('/shelves/-actions/dust', undefined, { ...key }),
    'create a resource in a batch': (key: object) =>
      client.post(
        '/operations',
        { 'atomic:operations': [add('shelves', { name: 'Prose' })] },
        {
          ...key,
          ...atomicHeaders,
        },
      ),
  })) {
    it(`returns 403 when the principal may no longer ${name}`, async () => {
      const key = { ...keyed(), ...ada }
      const first = await send(key)
      expect(first.status, first.text).to.be.lessThan(300)
      allowed.create = false
      const denied = await send(key)
      expect([denied.status, denied.headers.get('idempotency-replayed')]).to.deep.equal([403, null])
      allowed.create = true
      expectReplay(await send(key), first)
    })
  }

  it('decides about creates and rows of a batch that have local ids', async () => {
    const key = { ...keyed(), ...ada, ...atomicHeaders }
    const relationships = { shelf: { data: { type: 'shelves', lid: 'new' } } }
    const operations = [
      { op: 'add', data: { type: 'shelves', lid: 'new', attributes: { name: 'Prose' } } },
      { op: 'add', data: { type: 'books', attributes: { title: 'Emma' }, relationships } },
      update({ type: 'shelves', lid: 'new' }, { name: 'Verse' }),
    ]
    const send = () => client.post('/operations', { 'atomic:operations': operations }, key)
    const first = await send()
    expect(first.status, first.text).to.equal(200)
    expectReplay(await send(), first)
    const [{ data }] = first.body['atomic:results']
    expect(shelvesOfCreates).to.deep.equal([data.id, data.id])
    await query(`update shelves set name = 'locked' where id = ?`, [data.id])
    expect((await send()).status).to.equal(403)
  })

  it('returns the stored error of a batch that refers to local ids', async () => {
    const key = { ...keyed(), ...ada, ...atomicHeaders }
    const operations = [
      { op: 'add', data: { type: 'shelves', lid: 'new', attributes: { name: 'Prose' } } },
      update({ type: 'shelves', lid: 'new' }, { name: 'Verse' }),
      update({ type: 'shelves', id: '99' }, { name: 'Verse' }),
    ]
    const send = () => client.post('/operations', { 'atomic:operations': operations }, key)
    const first = await send()
    expect(first.status, first.text).to.equal(404)
    expectReplay(await send(), first)
  })

  it('runs as a new request when the roles of the principal have changed', async () => {
    const key = { ...keyed(), ...ada }
    const document = { data: { type: 'books', attributes: { title: 'Emma', secret: 'Frank' } } }
    const send = async () => {
      const { status, headers, body } = await client.post('/books', document, key)
      return [status, headers.get('idempotency-replayed'), body.data.id, body.data.attributes.secret]
    }
    roles.push('user', 'editor')
    const [, , id] = await send()
    roles.reverse()
    expect(await send()).to.deep.equal([201, 'true', id, 'Frank'])
    roles.splice(0, 2, 'user')
    const [status, replayed, other, secret] = await send()
    expect([status, replayed, secret]).to.deep.equal([201, null, undefined])
    expect(other).not.to.equal(id)
  })

  it('decides about every row of a batch', async () => {
    const key = { ...keyed(), ...ada, ...atomicHeaders }
    const operations = ['1', '2'].map((id) => update({ type: 'shelves', id }, { name: `Prose ${id}` }))
    const send = () => client.post('/operations', { 'atomic:operations': operations }, key)
    const first = await send()
    expect(first.status, first.text).to.equal(200)
    await query(`update shelves set name = 'locked' where id = 2`)
    expect((await send()).status).to.equal(403)
    await query('delete from shelves where id = 2')
    expectReplay(await send(), first)
  })

  it('decides about rows of several types of a batch', async () => {
    const key = { ...keyed(), ...ada, ...atomicHeaders }
    const operations = [
      update({ type: 'shelves', id: '2' }, { name: 'Prose' }),
      update({ type: 'books', id: '4' }, { title: 'Prose' }), // no shelf has this id
    ]
    const send = () => client.post('/operations', { 'atomic:operations': operations }, key)
    const first = await send()
    expect(first.status, first.text).to.equal(200)
    await query(`update books set secret = 'locked' where id = 4`)
    expect((await send()).status).to.equal(403)
  })

  it('returns the stored 403 when the principal is allowed meanwhile', async () => {
    const key = { ...keyed(), ...ada }
    const send = () => client.patch('/shelves/1', shelf('Prose', '1'), key)
    allowed.update = false
    expect((await send()).status).to.equal(403)
    allowed.update = true
    const { status, headers } = await send()
    expect([status, headers.get('idempotency-replayed')]).to.deep.equal([403, 'true'])
  })

  it('stores no linkage that the principal may not read', async () => {
    allowed.readsBooks = false
    const key = { ...keyed(), ...ada }
    const send = () => client.post('/shelves/1/relationships/books', { data: [{ type: 'books', id: '4' }] }, key)
    const first = await send()
    expect([first.status, first.text]).to.deep.equal([204, ''])
    const [row] = await query('select status, body from idempotency_keys order by created_at desc limit 1')
    expect(row).to.deep.equal({ status: 204, body: null })
    expectReplay(await send(), first)
  })
})
