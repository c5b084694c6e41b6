import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { Policy } from '#plugins/authorization/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { atomicMediaType, atomicUri } from '#test/support/batch.ts'
import { type ClientResponse, mediaType } from '#test/support/client.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { versionsProfile } from '../index.ts'

// Every precondition × verb × existence × permission × batch × compression.

/** Books may be written by the writer only; row 3 is out of scope. */
class BookPolicy extends Policy<Book> {
  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create(principal: { identifier: string } | null) {
    return principal?.identifier === 'writer'
  }
  override update(principal: { identifier: string } | null) {
    return principal?.identifier === 'writer'
  }
  override delete(principal: { identifier: string } | null) {
    return principal?.identifier === 'writer'
  }
  override scope() {
    return { id: { $ne: 3 } }
  }
}

/** Rows of `hooked` types are written as entities: a function of the author receives the entity. */
function declare(hooked: boolean): DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    policy: BookPolicy,
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id(),
      string('title').required().maxLength(100),
      belongsTo('shelf', 'shelves'),
      belongsToMany('tags', 'tags'),
    ],
    ...(hooked && { hydrator: { hydrate() {} } }),
  })
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id }) => [id()] })
  return [books, shelves, tags].map((resource) => ({ file: 'matrix.ts', resource }))
}

interface Verb {
  readonly method: string
  readonly path: string
  readonly body?: (title: string) => object
  /** The operation of a batch that does the same. */
  readonly operation: (version: string | undefined, title: string) => object
}

const tags = [{ type: 'tags', id: redTag }]
const ref = (id: string, version?: string, relationship?: string) => ({
  type: 'books',
  id,
  ...(relationship && { relationship }),
  ...(version !== undefined && { meta: { version } }),
})

const verbs: Readonly<Record<string, (id: string) => Verb>> = {
  PATCH: (id) => ({
    method: 'PATCH',
    path: `/books/${id}`,
    body: (title) => ({ data: { type: 'books', id, attributes: { title } } }),
    operation: (version, title) => ({
      op: 'update',
      data: { type: 'books', id, attributes: { title }, ...(version !== undefined && { meta: { version } }) },
    }),
  }),
  'PATCH with linkage': (id) => ({
    method: 'PATCH',
    path: `/books/${id}`,
    body: (title) => ({
      data: {
        type: 'books',
        id,
        attributes: { title },
        relationships: { shelf: { data: { type: 'shelves', id: '2' } } },
      },
    }),
    operation: (version, title) => ({
      op: 'update',
      ref: ref(id, version),
      data: { type: 'books', attributes: { title }, relationships: { shelf: { data: { type: 'shelves', id: '2' } } } },
    }),
  }),
  DELETE: (id) => ({
    method: 'DELETE',
    path: `/books/${id}`,
    operation: (version) => ({ op: 'remove', ref: ref(id, version) }),
  }),
  'PATCH of a to-one': (id) => ({
    method: 'PATCH',
    path: `/books/${id}/relationships/shelf`,
    body: () => ({ data: { type: 'shelves', id: '2' } }),
    operation: (version) => ({ op: 'update', ref: ref(id, version, 'shelf'), data: { type: 'shelves', id: '2' } }),
  }),
  'PATCH of a to-many': (id) => ({
    method: 'PATCH',
    path: `/books/${id}/relationships/tags`,
    body: () => ({ data: tags }),
    operation: (version) => ({ op: 'update', ref: ref(id, version, 'tags'), data: tags }),
  }),
  'POST to a to-many': (id) => ({
    method: 'POST',
    path: `/books/${id}/relationships/tags`,
    body: () => ({ data: tags }),
    operation: (version) => ({ op: 'add', ref: ref(id, version, 'tags'), data: tags }),
  }),
  'DELETE from a to-many': (id) => ({
    method: 'DELETE',
    path: `/books/${id}/relationships/tags`,
    body: () => ({ data: tags }),
    operation: (version) => ({ op: 'remove', ref: ref(id, version, 'tags'), data: tags }),
  }),
}

type Condition = readonly [name: string, headers: (tag: string) => Record<string, string>, isMet: boolean]

const conditions: readonly Condition[] = [
  ['no condition', () => ({}), true],
  ['If-Match with the tag', (tag) => ({ 'if-match': tag }), true],
  ['If-Match with the tag of a compressed response', (tag) => ({ 'if-match': tag.replace(/"$/, '-gzip"') }), true],
  ['If-Match with a list', (tag) => ({ 'if-match': `"1-a", ${tag}` }), true],
  ['If-Match with the version alone', (tag) => ({ 'if-match': `"${versionInTag(tag)}"` }), true],
  ['If-Match: *', () => ({ 'if-match': '*' }), true],
  ['If-Match with a stale tag', () => ({ 'if-match': '"1-a"' }), false],
  ['If-Match with the weak tag', (tag) => ({ 'if-match': `W/${tag}` }), false],
  ['an invalid If-Match', () => ({ 'if-match': 'garbage' }), false],
  ['an empty If-Match', () => ({ 'if-match': '' }), false],
  ['If-None-Match with another tag', () => ({ 'if-none-match': '"1-a"' }), true],
  ['If-None-Match with the tag', (tag) => ({ 'if-none-match': tag }), false],
  ['If-None-Match with the weak tag', (tag) => ({ 'if-none-match': `W/${tag}` }), false],
  ['If-None-Match: *', () => ({ 'if-none-match': '*' }), false],
  ['If-Unmodified-Since', () => ({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }), true],
  ['both headers, of which one fails', (tag) => ({ 'if-match': tag, 'if-none-match': tag }), false],
]

const versions: readonly (readonly [name: string, version: (tag: string) => string | undefined, isMet: boolean])[] = [
  ['no version', () => undefined, true],
  ['the version', versionInTag, true],
  ['a stale version', () => '1', false],
  ['an empty version', () => '', false],
  ['the whole tag', (tag) => tag.slice(1, -1), true],
]

/** Id, the token of the requester, and the status that precedes the precondition. */
const subjects = [
  ['an existing resource', '1', 'writer', null],
  ['a missing resource', '99', 'writer', 404],
  ['a resource outside of the scope', '3', 'writer', 404],
  ['a resource that the requester may not write', '1', 'reader', 403],
] as const

for (const hooked of [false, true]) {
  describe(`Preconditions of writes on the ${hooked ? 'regular' : 'fast'} path`, () => {
    let library: TestApp
    before(async () => {
      library = await startLibrary({
        resources: declare(hooked),
        plugins: pluginsWithTokens('writer', 'reader'),
        config: configFrom({ COMPRESSION_THRESHOLD: '1' }),
      })
    })
    beforeEach(fillLibrary)
    after(async () => {
      await library.close()
      await emptyLibrary()
    })

    /** The tag of the URL that the verb writes, as the writer reads it. */
    const tagAt = async (path: string, encoding: string) => {
      const headers = { ...as('writer'), 'accept-encoding': encoding }
      const response = await fetch(`${library.client.url}${path}`, { headers })
      return response.headers.get('etag') ?? '"none"'
    }

    for (const [subject, id, token, refusal] of subjects) {
      for (const [verb, create] of Object.entries(verbs)) {
        const { method, path, body, operation } = create(id)
        const url = `${path.startsWith('/books/99') || path.startsWith('/books/3') ? path.replace(/\d+/, '1') : path}`

        it(`${verb} of ${subject}: every header is evaluated after all other checks`, async () => {
          for (const encoding of refusal === null ? ['identity', 'gzip'] : ['gzip']) {
            let tag = await tagAt(url, encoding)
            const before = await contents()
            for (const [name, toHeaders, isMet] of conditions) {
              const condition = toHeaders(tag)
              const headers = { ...as(token), ...condition }
              const sent = body ? { body: body(`new ${name}`), headers } : { headers }
              const response = await library.client.send(method, path, sent)
              const label = `${name}, ${encoding}`
              const expected = refusal ?? (isMet ? (method === 'DELETE' && !body ? 204 : 200) : 412)
              expect(response.status, label).to.equal(expected)
              if (expected === 412) expectFailure(response, condition)
              if (expected >= 400) continue
              if (expected === 200) expect(response.headers.get('etag'), label).to.match(/^"[\w+/.]+-[\w+/]{22}"$/)
              await fillLibrary()
              tag = await tagAt(url, encoding)
            }
            expect(await contents()).to.deep.equal(before)
          }
        })

        it(`${verb} of ${subject} in a batch: every version is evaluated, and a failure rolls all back`, async () => {
          let tag = await tagAt(url, 'identity')
          const before = await contents()
          for (const [name, toVersion, isMet] of versions) {
            const first = { op: 'update', data: { type: 'shelves', id: '1', attributes: { name } } }
            const response = await sendVersions(library, [first, operation(toVersion(tag), name)], token)
            const expected = refusal ?? (isMet ? 200 : 412)
            expect(response.status, name).to.equal(expected)
            if (expected === 412) {
              expect(response.body.errors[0].code).to.equal('PRECONDITION_FAILED')
              const { pointer } = response.body.errors[0].source
              expect(pointer, name).to.match(/^\/atomic:operations\/1\/(data|ref)\/meta\/version$/)
            }
            if (expected >= 400) continue
            await fillLibrary()
            tag = await tagAt(url, 'identity')
          }
          expect(await contents()).to.deep.equal(before)
        })
      }
    }

    it('an invalid document is rejected before a stale tag', async () => {
      const stale = { ...as('writer'), 'if-match': '"1-a"' }
      const data = { type: 'books', id: '1' }
      const missing = { shelf: { data: { type: 'shelves', id: '99' } } }
      for (const [status, body] of [
        [422, { data: { ...data, attributes: { title: '' } } }],
        [400, { data: { ...data, attributes: [] } }],
        [409, { data: { ...data, id: '2' } }],
        [404, { data: { ...data, relationships: missing } }],
        [404, { data: { ...data, attributes: { title: 'ok' }, relationships: missing } }],
        [412, { data: { ...data, attributes: { title: 'ok' } } }],
      ] as const) {
        expect((await library.client.patch('/books/1', body, stale)).status).to.equal(status)
      }
      const unknown = { data: [{ type: 'tags', id: '00000000-0000-4000-8000-0000000000ff' }] }
      for (const method of ['POST', 'PATCH']) {
        const sent = { body: unknown, headers: stale }
        expect((await library.client.send(method, '/books/1/relationships/tags', sent)).status).to.equal(404)
      }
    })

    it('a create returns 412 for any If-Match, and is allowed by If-None-Match', async () => {
      const document = { data: { type: 'books', attributes: { title: 'New' } } }
      const create = (headers: Record<string, string>, token = 'writer') =>
        library.client.post('/books', document, { ...as(token), ...headers })
      for (const header of ['*', '"1-a"']) {
        expectFailure(await create({ 'if-match': header }), { 'if-match': header })
        expect((await create({ 'if-match': header }, 'reader')).status).to.equal(403)
      }
      expect((await create({ 'if-none-match': '*' })).status).to.equal(201)
    })

    it('a batch returns 412 with the pointer of its first operation when it has If-Match', async () => {
      const before = await contents()
      const operations = [
        { op: 'add', data: { type: 'books', attributes: { title: 'New' } } },
        { op: 'add', data: { type: 'books', attributes: { title: 'Newer' } } },
      ]
      const response = await sendVersions(library, operations, 'writer', { 'if-match': '*' })
      expect(response.status).to.equal(412)
      expect(response.body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/0' })
      expect(await contents()).to.deep.equal(before)
    })
  })
}

/** The failed header: If-Match is evaluated first. */
function expectFailure({ status, body }: ClientResponse, condition: Record<string, string>): void {
  const isNoneMatch = condition['if-match'] === undefined || condition['if-match'] === condition['if-none-match']
  expect(status).to.equal(412)
  expect(body.errors).to.have.length(1)
  expect(body.errors[0]).to.include({ code: 'PRECONDITION_FAILED', title: 'Precondition failed' })
  expect(body.errors[0].source).to.deep.equal({ header: isNoneMatch ? 'If-None-Match' : 'If-Match' })
}

function sendVersions({ client }: TestApp, operations: object[], token: string, headers: Record<string, string> = {}) {
  const accept = `${mediaType}; ext="${atomicUri}"; profile="${versionsProfile}"`
  const sent = { ...as(token), 'content-type': atomicMediaType, accept, ...headers }
  return client.post('/operations', { 'atomic:operations': operations }, sent)
}

/** All rows that the tests write. */
async function contents(): Promise<unknown> {
  const connection = (await libraryDatabase()).orm.em.getConnection()
  return [
    await connection.execute('select * from books order by id'),
    await connection.execute('select * from shelves order by id'),
    await connection.execute('select * from book_tags order by 1, 2'),
  ]
}

function versionInTag(tag: string): string {
  return tag.slice(1, tag.indexOf('-'))
}
