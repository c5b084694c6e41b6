import { expect } from 'chai'
import type { RawInput } from '#plugins/actions/index.ts'
import { type ActionContext, data, error, meta, noContent, seeOther } from '#plugins/actions/index.ts'
import { Policy } from '#plugins/authorization/index.ts'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'
import { expectReplay, keyed, query } from '#test/template/support/idempotency-keys.ts'
import { Book, type Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'
import { fillShelves, type ShelfOverrides, shelfLocked, startShelves } from '#test/template/support/library/shelves.ts'

const allowed = { ada: true }

class ShelfPolicy extends Policy {
  static override readonly needs = { view: [], update: [], delete: [] }
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  rename = () => allowed.ada
  cover = () => true
  stock = () => true
  lend = () => true
  lock = () => true
  peek = () => true
  remove = () => true
}

/** The number of handlers that have run. */
let runs = 0
const afterCommit: string[] = []

const overrides: ShelfOverrides = {
  policy: ShelfPolicy,
  afterAction: (_subject, { action }) => void afterCommit.push(action),
  actions: ({ action }) => [
    action('rename', {
      input: 'document',
      inputType: 'renames',
      answers: 'data',
      handle({ subject, input }: ActionContext<Shelf, { name: string }>) {
        runs++
        subject.name = `${subject.name} ${input.name}`
        return data(subject)
      },
    }),
    action('cover', {
      input: 'raw',
      accepts: ['image/png', 'image/jpeg'],
      answers: 'meta',
      handle({ subject, input: { mediaType, bytes } }: ActionContext<Shelf, RawInput>) {
        runs++
        subject.name = `${subject.name}+`
        return meta({ mediaType, sum: bytes.reduce((sum, byte) => sum + byte, 0) })
      },
    }),
    action('stock', {
      answers: 'noContent',
      handle({ subject, unit }) {
        runs++
        unit.em.create(Book, { title: 'New', shelf: subject } as never)
        return noContent()
      },
    }),
    action('lend', {
      on: 'collection',
      answers: 'seeOther',
      async handle({ unit }) {
        runs++
        const book = unit.em.create(Book, { title: 'Lent' } as never)
        await unit.em.flush()
        return seeOther({ type: 'books', id: book.id })
      },
    }),
    action('remove', {
      method: 'DELETE',
      answers: 'noContent',
      handle({ subject, unit }) {
        runs++
        unit.em.remove(subject)
        return noContent()
      },
    }),
    action('lock', {
      answers: 'noContent',
      handle() {
        runs++
        return error(shelfLocked({}, { status: 409 }))
      },
    }),
    action('peek', { method: 'GET', answers: 'meta', handle: () => meta({ run: ++runs }) }),
  ],
}

describe('Actions: idempotency keys', () => {
  let library: TestApp
  let client: Client
  before(async () => {
    library = await startShelves(overrides)
    client = library.client
  })
  beforeEach(async () => {
    await fillShelves()
    runs = 0
    afterCommit.length = 0
    allowed.ada = true
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const headers = (more: Record<string, string> = keyed()) => ({ ...as('ada'), ...more })
  const document = (name: string) => ({ data: { type: 'renames', attributes: { name } } })
  const png = { 'content-type': 'image/png' }
  const rows = async () => [
    await query('select id, name from shelves order by id'),
    await query('select id, title, shelf_id from books order by id'),
  ]

  for (const [name, method, path, body, status, more = {}] of [
    ['a document', 'POST', '/shelves/1/-actions/rename', document('A'), 200],
    ['a document and a query string', 'POST', '/shelves/1/-actions/rename?include=books', document('A'), 200],
    ['raw input', 'POST', '/shelves/1/-actions/cover', 'PNG', 200, png],
    ['no input', 'POST', '/shelves/1/-actions/stock', undefined, 204],
    ['an action of the collection', 'POST', '/shelves/-actions/lend', undefined, 303],
    ['an action that deletes the subject', 'DELETE', '/shelves/2/-actions/remove', undefined, 204],
    ['an action that returns a conflict', 'POST', '/shelves/1/-actions/lock', undefined, 409],
  ] as const) {
    it(`has one effect and the same response when a request with ${name} is repeated`, async () => {
      const init = { headers: headers({ ...more, ...keyed() }), ...(body !== undefined && { body }) }
      const first = await client.send(method, path, init)
      expect(first.status, first.text).to.equal(status)
      expect(first.headers.has('idempotency-replayed')).to.equal(false)
      const written = await rows()
      expectReplay(await client.send(method, path, init), first)
      expect(runs).to.equal(1)
      expect(afterCommit).to.have.length(status === 409 ? 0 : 1)
      expect(await rows()).to.deep.equal(written)
    })
  }

  it('has one effect when ten requests with the key are concurrent', async () => {
    const init = { headers: headers() }
    const send = () => client.send('POST', '/shelves/1/-actions/stock', init)
    const statuses = (await Promise.all(Array.from({ length: 10 }, send))).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 409 && status !== 204)).to.deep.equal([])
    expect((await send()).status).to.equal(204)
    expect(runs).to.equal(1)
    expect(await query(`select id from books where title = 'New'`)).to.have.length(1)
  })

  it('returns 422 when the key was used with another document, other bytes or another media type', async () => {
    const expectReused = async (path: string, first: object, ...others: readonly object[]) => {
      const key = keyed()
      const send = ({ more = {}, ...init }: { more?: Record<string, string>; body?: unknown }) =>
        client.send('POST', path, { ...init, headers: headers({ ...more, ...key }) })
      expect((await send(first)).status).to.equal(200)
      for (const other of others) {
        const { status, body } = await send(other)
        expect([status, body.errors[0].code]).to.deep.equal([422, 'IDEMPOTENCY_KEY_REUSED'])
      }
    }
    await expectReused('/shelves/1/-actions/rename', { body: document('A') }, { body: document('B') })
    await expectReused(
      '/shelves/1/-actions/cover',
      { body: Buffer.from([0xff, 0xfe]), more: png },
      { body: Buffer.from([0xfe, 0xff]), more: png }, // the same bytes in another order
      { body: Buffer.from([0xfd, 0xfe]), more: png }, // the same text as UTF-8
      { body: Buffer.from([0xff, 0xfe, 0]), more: png },
      { body: Buffer.from([0xff, 0xfe]), more: { 'content-type': 'image/jpeg' } },
    )
    expect(runs).to.equal(2)
  })

  it('stores no response for a body of an unsupported media type, so that the corrected request runs', async () => {
    const key = keyed()
    const cover = (type: string) =>
      client.send('POST', '/shelves/1/-actions/cover', {
        body: 'PNG',
        headers: headers({ 'content-type': type, ...key }),
      })
    expect((await cover('image/gif')).status).to.equal(415)
    expect((await cover('image/png')).status).to.equal(200)
    expect(runs).to.equal(1)
  })

  it('returns 403 in place of the stored response when the requester has lost the ability', async () => {
    const key = headers()
    const rename = () => client.post('/shelves/1/-actions/rename', document('A'), key)
    const first = await rename()
    allowed.ada = false
    expect((await rename()).status).to.equal(403)
    allowed.ada = true
    expectReplay(await rename(), first)
  })

  it('does not evaluate If-Match for a repeated request', async () => {
    const tag = (await client.get('/shelves/1')).headers.get('etag') as string
    const rename = (key: Record<string, string>) =>
      client.post('/shelves/1/-actions/rename', document('A'), headers({ 'if-match': tag, ...key }))
    const key = keyed()
    const first = await rename(key)
    expect(first.status).to.equal(200)
    expectReplay(await rename(key), first)
    const other = keyed()
    const failed = await rename(other)
    expect(failed.status).to.equal(412)
    expectReplay(await rename(other), failed)
    expect(runs).to.equal(1)
  })

  it('ignores the key of GET', async () => {
    const key = headers()
    const peek = async () => (await client.get('/shelves/1/-actions/peek', key)).body.meta.run
    expect([await peek(), await peek()]).to.deep.equal([1, 2])
  })

  it('returns 400 without a key when the type declares requireIdempotencyKey, unless the method is GET', async () => {
    const strict = await startShelves({ ...overrides, requireIdempotencyKey: true })
    const { status, body } = await strict.client.post('/shelves/1/-actions/rename', document('A'), as('ada'))
    expect([status, body.errors[0].code]).to.deep.equal([400, 'IDEMPOTENCY_KEY_REQUIRED'])
    expect((await strict.client.send('POST', '/shelves/-actions/lend')).status).to.equal(400)
    expect((await strict.client.get('/shelves/1/-actions/peek')).status).to.equal(200)
    expect((await strict.client.post('/shelves/1/-actions/rename', document('A'), headers())).status).to.equal(200)
    await strict.close()
  })

  it('describes the header for actions with effects', async () => {
    const { paths } = JSON.parse((await client.get('/docs.json')).text)
    const hasKey = ({ parameters = [] }: { parameters?: { $ref?: string }[] }) =>
      parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'))
    const { rename, peek, remove } = Object.fromEntries(
      ['rename', 'peek', 'remove'].map((name) => [name, paths[`/shelves/{id}/-actions/${name}`]]),
    )
    expect([hasKey(rename.post), hasKey(remove.delete), hasKey(peek.get)]).to.deep.equal([true, true, false])
    expect(rename.post.responses['200'].headers).to.have.property('Idempotency-Replayed')
  })
})
