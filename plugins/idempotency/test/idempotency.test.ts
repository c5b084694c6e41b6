import { expect } from 'chai'
import { countableProfileUri } from '#plugins/countable/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { add, addAs, atomicHeaders, remove, update } from '#test/support/batch.ts'
import { type Client, type ClientResponse, mediaType } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { expectReplay, keyed, query, shelf } from '#test/template/support/idempotency-keys.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

const cursorUri = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination'

describe('A write with Idempotency-Key', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary()
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const tags = { data: [{ type: 'tags', id: redTag }] }
  const writes: readonly [string, string, unknown, number, Record<string, string>?][] = [
    ['POST', '/shelves', shelf('Prose'), 201],
    ['PATCH', '/shelves/1', shelf('Prose', '1'), 200],
    ['DELETE', '/books/4', undefined, 204],
    ['POST', '/books/3/relationships/tags', tags, 200],
    ['PATCH', '/books/3/relationships/tags', tags, 200],
    ['DELETE', '/books/1/relationships/tags', tags, 200],
    ['PATCH', '/books/4/relationships/shelf', { data: { type: 'shelves', id: '2' } }, 200],
    ['POST', '/shelves?fields[shelves]=name', shelf('Prose'), 201],
    [
      'POST',
      '/operations',
      {
        'atomic:operations': [
          addAs('new', 'shelves', { name: 'Prose' }),
          add('books', { title: 'Ulysses' }, { shelf: { type: 'shelves', lid: 'new' } }),
          update({ type: 'books', id: '1' }, { title: 'Emma!' }),
          remove({ type: 'books', id: '2' }),
        ],
      },
      200,
      atomicHeaders,
    ],
    ['POST', '/operations', { 'atomic:operations': [remove({ type: 'books', id: '2' })] }, 204, atomicHeaders],
  ]
  for (const [method, path, body, status, headers = {}] of writes) {
    it(`has one effect and the same response when ${method} ${path} is repeated`, async () => {
      const init = { headers: { ...headers, ...keyed() }, ...(body !== undefined && { body }) }
      const first = await client.send(method, path, init)
      expect(first.status, first.text).to.equal(status)
      for (const name of ['idempotency-replayed', 'retry-after']) expect(first.headers.has(name), name).to.equal(false)
      const rows = await allRows()
      const second = await client.send(method, path, init)
      expectReplay(second, first)
      expect(await allRows()).to.deep.equal(rows)
    })
  }

  it('runs again when the key is another one', async () => {
    await client.post('/shelves', shelf('Prose'), keyed())
    const { headers, body } = await client.post('/shelves', shelf('Prose'), keyed())
    expect(headers.has('idempotency-replayed')).to.equal(false)
    expect(body.data.id).to.equal('102')
  })

  it('returns the stored response when the resource was changed or deleted meanwhile', async () => {
    const key = keyed()
    const created = await client.post('/shelves', shelf('Prose'), key)
    await client.delete(`/shelves/${created.body.data.id}`)
    expectReplay(await client.post('/shelves', shelf('Prose'), key), created)
  })

  it('is the same key bare and in quotes', async () => {
    const created = await client.post('/shelves', shelf('Prose'), keyed('"same-\\"key\\""'))
    expectReplay(await client.post('/shelves', shelf('Prose'), keyed('same-"key"')), created)
  })

  for (const [name, key] of [
    ['is empty', ''],
    ['is empty in quotes', '""'],
    ['has more than 255 characters', 'k'.repeat(256)],
    ['has more than 255 characters in quotes', `"${'k'.repeat(256)}"`],
    ['has a space', 'a b'],
    ['has a space in quotes', '"a b"'],
    ['has a character that is not ASCII', 'schlüssel'],
    ['has an unfinished quote', '"abc'],
    ['has a parameter', '"abc";a=1'],
    ['has an invalid escape', '"a\\bc"'],
  ] as const) {
    it(`returns 400 and changes nothing when the key ${name}`, async () => {
      const rows = await allRows()
      const { status, body } = await client.post('/shelves', shelf('Prose'), keyed(key))
      expect(status).to.equal(400)
      expect(body.errors).to.deep.equal([
        {
          links: body.errors[0].links,
          status: '400',
          code: 'IDEMPOTENCY_KEY_INVALID',
          title: 'Idempotency key is invalid',
          detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.',
          source: { header: 'Idempotency-Key' },
        },
      ])
      expect(await allRows()).to.deep.equal(rows)
    })
  }

  it('accepts a key of 255 characters', async () => {
    const key = keyed('k'.repeat(255))
    const created = await client.post('/shelves', shelf('Prose'), key)
    expectReplay(await client.post('/shelves', shelf('Prose'), key), created)
  })

  it('ignores the header of a read', async () => {
    const { status, headers } = await client.get('/shelves', { 'idempotency-key': 'not a key' })
    expect([status, headers.has('idempotency-replayed')]).to.deep.equal([200, false])
  })

  it('returns 422 when the key was used with another body, query string or profile', async () => {
    const key = keyed()
    await client.post('/shelves', shelf('Prose'), key)
    const profile = `${mediaType}; profile="${cursorUri}"`
    for (const response of [
      await client.post('/shelves', shelf('Verse'), key),
      await client.post('/shelves', JSON.stringify(shelf('Prose'), null, 1), key),
      await client.post('/shelves?fields[shelves]=name', shelf('Prose'), key),
      await client.post('/shelves', shelf('Prose'), { ...key, accept: profile }),
    ]) {
      expect(response.status).to.equal(422)
      expect(response.body.errors[0]).to.include({ code: 'IDEMPOTENCY_KEY_REUSED' })
      expect(response.body.errors[0].source).to.deep.equal({ header: 'Idempotency-Key' })
    }
  })

  it('returns the stored response when the same profiles are requested in another order', async () => {
    const key = keyed()
    const send = (...profiles: readonly string[]) => {
      const accept = `${mediaType}; profile="${profiles.join(' ')}"`
      return client.post('/shelves', shelf('Prose'), { ...key, accept })
    }
    const first = await send(cursorUri, countableProfileUri)
    expect((await send(cursorUri)).status).to.equal(422)
    expectReplay(await send(countableProfileUri, cursorUri), first)
  })

  it('uses the same key independently for another method, path or server', async () => {
    const key = keyed()
    const [created, patched, deleted] = [
      await client.post('/shelves', shelf('Prose'), key),
      await client.patch('/shelves/1', shelf('Prose', '1'), key),
      await client.delete('/books/4', undefined, key),
    ]
    expect([created, patched, deleted].map(({ status }) => status)).to.deep.equal([201, 200, 204])
    expect((await client.delete('/books/3', undefined, key)).status).to.equal(204)
  })

  it('stores the response without headers of the connection', async () => {
    const key = keyed()
    const first = await client.post('/shelves', shelf('Prose'), { ...key, 'x-request-id': 'first' })
    const second = await client.post('/shelves', shelf('Prose'), { ...key, 'x-request-id': 'second' })
    expect(first.headers.get('location')).to.equal(second.headers.get('location'))
    expect(second.headers.get('x-request-id')).to.equal('second')
  })

  it('replays a compressed response with the same content', async () => {
    const key = keyed()
    const long = shelf('P'.repeat(5000))
    const first = await client.post('/shelves', long, { ...key, 'accept-encoding': 'gzip' })
    expect(first.headers.get('content-encoding')).to.equal('gzip')
    const second = await client.post('/shelves', long, { ...key, 'accept-encoding': 'gzip' })
    expect(second.text).to.equal(first.text)
    expect((await client.post('/shelves', long, key)).text).to.equal(first.text)
  })

  it('needs at most two statements more, and none without the header', async () => {
    const count = async (send: () => Promise<ClientResponse>) => (await statementsOf(send)).length
    const cases: readonly [string, string, (n: number) => unknown][] = [
      ['POST', '/shelves', (n) => shelf(`Prose ${n}`)],
      ['PATCH', '/shelves/1', (n) => shelf(`Prose ${n}`, '1')],
      ['POST', '/books/3/relationships/tags', () => tags],
    ]
    for (const [method, path, body] of cases) {
      const bare = await count(() => client.send(method, path, { body: body(1) }))
      const again = await count(() => client.send(method, path, { body: body(2) }))
      const extra = await count(() => client.send(method, path, { body: body(3), headers: keyed() }))
      expect([again, extra], `${method} ${path}`).to.deep.equal([bare, bare + 2])
    }
  })

  it('needs one statement for a repeated create, and one more to authorize a repeated update', async () => {
    const [create, change] = [keyed(), keyed()]
    const repeat = async () => {
      await client.post('/shelves', shelf('Prose'), create)
      await client.patch('/shelves/1', shelf('Prose', '1'), change)
    }
    await repeat()
    expect(await statementsOf(() => client.post('/shelves', shelf('Prose'), create))).to.have.length(1)
    expect(await statementsOf(() => client.patch('/shelves/1', shelf('Prose', '1'), change))).to.have.length(2)
  })

  async function allRows(): Promise<unknown> {
    const tables = ['shelves', 'books', 'tags', 'book_tags', 'labels']
    return Promise.all(tables.map((table) => query(`select t.* from ${table} t order by 1, 2`)))
  }
})
