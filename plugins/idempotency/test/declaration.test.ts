import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource, defineType, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { memoryStore } from '#memory'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { add, atomicHeaders } from '#test/support/batch.ts'
import type { Client } from '#test/support/client.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { keyed, query, shelf } from '#test/template/support/idempotency-keys.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { neededBy } from '../needed-by.ts'

const others = plugins.filter(({ name }) => name !== 'idempotency')

describe('requireIdempotencyKey', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary({ resources: declare({ requireIdempotencyKey: true }) })
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const tags = { data: [{ type: 'tags', id: redTag }] }
  const writes: readonly [string, string, unknown, Record<string, string>?][] = [
    ['POST', '/books', { data: { type: 'books', attributes: { title: 'Ulysses' } } }],
    ['PATCH', '/books/1', { data: { type: 'books', id: '1', attributes: { title: 'Ulysses' } } }],
    ['DELETE', '/books/1', undefined],
    ['POST', '/books/3/relationships/tags', tags],
    [
      'POST',
      '/operations',
      { 'atomic:operations': [add('shelves', { name: 'Prose' }), add('books', { title: 'Ulysses' })] },
      atomicHeaders,
    ],
  ]
  for (const [method, path, body, headers = {}] of writes) {
    it(`returns 400 for ${method} ${path} without a key, and accepts it with one`, async () => {
      const init = body === undefined ? {} : { body }
      const { status, body: refusal } = await client.send(method, path, { ...init, headers })
      expect(status).to.equal(400)
      expect(refusal.errors[0]).to.deep.include({
        code: 'IDEMPOTENCY_KEY_REQUIRED',
        title: 'Idempotency key is required',
        detail:
          "Writes of 'books' need the header Idempotency-Key: 1 to 255 visible ASCII characters, such as a random UUID.",
        source: { header: 'Idempotency-Key' },
      })
      expect(await query('select title from books order by id')).to.have.length(4)
      const accepted = await client.send(method, path, { ...init, headers: { ...headers, ...keyed() } })
      expect(accepted.status, accepted.text).to.be.below(300)
    })
  }

  it('does not apply to reads and to other types', async () => {
    expect((await client.get('/books/1')).status).to.equal(200)
    expect((await client.post('/shelves', shelf('Prose'))).status).to.equal(201)
  })

  it('is required in the OpenAPI document', async () => {
    const { paths, components } = JSON.parse((await client.get('/docs.json')).text)
    const responseOf = (path: string, status: number) => {
      const response = paths[path].post.responses[status]
      return response.$ref ? components.responses[response.$ref.split('/').at(-1)] : response
    }
    const required = paths['/books'].post.parameters.find(({ name }: { name?: string }) => name === 'Idempotency-Key')
    expect(required.required).to.equal(true)
    expect(JSON.stringify(responseOf('/books', 400))).to.include('IDEMPOTENCY_KEY_REQUIRED')
    expect(components.parameters.IdempotencyKey).to.include({ name: 'Idempotency-Key', in: 'header' })
    expect(paths['/shelves'].post.parameters).to.deep.include({ $ref: '#/components/parameters/IdempotencyKey' })
    expect(JSON.stringify(responseOf('/shelves', 400))).not.to.include('IDEMPOTENCY_KEY_REQUIRED')
    expect(responseOf('/shelves', 201).headers).to.have.property('Idempotency-Replayed')
    expect(responseOf('/shelves', 409).headers).to.have.all.keys(
      ...Object.keys(responseOf('/shelves', 422).headers),
      'Retry-After',
    )
    expect(JSON.stringify(paths['/shelves'].get)).not.to.include('Idempotency')
  })

  it('warns at the start when the writes of the type are not part of the transaction', async () => {
    const warnings: string[] = []
    const warn = (_fields: object, message: string) => void warnings.push(message)
    const inMemory = (type: string, requireIdempotencyKey: boolean) => {
      const resource = defineType<{ id: string; text: string }>({
        type,
        fields: ({ id, string }) => [id(), string('text')],
        ...memoryStore(),
        requireIdempotencyKey,
      })
      return { file: `${type}.ts`, resource }
    }
    const resources = [inMemory('notes', true), inMemory('drafts', false), ...declare({ requireIdempotencyKey: true })]
    const logger = { warn, error() {}, info() {} } as unknown as NonNullable<TestAppOptions['logger']>
    await (await startLibrary({ resources, logger })).close()
    expect(warnings.filter((message) => message.includes('requireIdempotencyKey'))).to.deep.equal([
      'notes (notes.ts): requireIdempotencyKey is declared, but its persister is not part of the transaction: a write is repeated if the process ends between the write and the commit.',
    ])
  })

  it('prevents the start when its value is not a boolean', async () => {
    expect(await refusal({ resources: declare({ requireIdempotencyKey: 'yes' as never }) })).to.equal(
      'books.requireIdempotencyKey (books.ts): It is true or false.',
    )
  })

  for (const [way, options] of [
    ['is disabled', { disabled: ['idempotency'] }],
    [
      'is not in the list',
      { plugins: others, unlisted: [{ name: 'idempotency', keys: { requireIdempotencyKey: null }, neededBy }] },
    ],
  ] as const) {
    it(`prevents the start when the plugin ${way}`, async () => {
      expect(await refusal({ ...options, resources: declare({ requireIdempotencyKey: true }) })).to.equal(
        "books.requireIdempotencyKey (books.ts): needs the plugin 'idempotency', which is off; without it 'requireIdempotencyKey' would be ignored.",
      )
    })
  }
})

describe('Without the plugin idempotency', () => {
  it('the header has no effect and the OpenAPI document does not name it', async () => {
    await fillLibrary()
    const { client, close } = await startLibrary({ disabled: ['idempotency'] })
    const key = keyed()
    const responses = [
      await client.post('/shelves', shelf('Prose'), key),
      await client.post('/shelves', shelf('Prose'), key),
      await client.post('/shelves', shelf('Prose'), { 'idempotency-key': 'not a key' }),
    ]
    expect(responses.map(({ status }) => status)).to.deep.equal([201, 201, 201])
    expect(responses.some(({ headers }) => headers.has('idempotency-replayed'))).to.equal(false)
    expect((await client.get('/docs.json')).text).not.to.match(/idempoten/i)
    await close()
    await emptyLibrary()
  })
})

function declare(declaration: Partial<ResourceDeclaration<Book>>): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsToMany }) => [id(), string('title'), belongsToMany('tags', 'tags')],
    ...declaration,
  })
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
  return [books, shelves, tags].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

async function refusal(options: TestAppOptions): Promise<string> {
  const started = await startLibrary(options).catch((error: unknown) => error)
  expect(started).to.be.instanceOf(BootError)
  return (started as BootError).message
}
