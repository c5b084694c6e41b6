import { expect } from 'chai'
import { defineResource, type Resource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { storePersister } from '#store/write/entity-writer.ts'
import type { TestApp } from '#test/support/app.ts'
import { add, addAs, expectFailure, readResults, relate, remove, sendBatch, update } from '#test/support/batch.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

// What operations are about, and whether the type takes them: all of it is looked at before the first write.

const publicUrl = 'https://api.example/v2/staff'

describe('The target of an operation', () => {
  let library: TestApp
  let client: Client
  const send = (...operations: unknown[]) => sendBatch(client, operations)
  const titleOf = async (id: string) => (await client.get(`/books/${id}`)).body.data.attributes.title
  const at = '/atomic:operations/0'

  before(async () => {
    const servers = { default: {}, staff: { prefix: '/staff', baseUri: publicUrl } }
    library = await startLibrary({ resources, servers })
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  describe('named by an href', () => {
    const retitle = (href: unknown) => ({ op: 'update', href, data: { type: 'books', attributes: { title: 'Read' } } })

    it('14.3 may be a URL with a query and a fragment, which are ignored', async () => {
      for (const href of ['/books/1?include=unknown', '/books/1?#part', '/books/./1', `${client.url}/books/1?x`]) {
        expect(readResults(await send(retitle(href)))[0]?.id).to.equal('1')
      }
    })

    it('14.3 is found by the URL segments of types and relations', async () => {
      const answer = await send(
        { op: 'add', href: '/racks', data: { type: 'shelves', attributes: { name: 'New' } } },
        { op: 'update', href: '/racks/2', data: { type: 'shelves', attributes: { name: 'Renamed' } } },
        { op: 'add', href: '/racks/2/relationships/volumes', data: [{ type: 'books', id: '4' }] },
      )
      expect(readResults(answer)[1]?.attributes?.name).to.equal('Renamed')
      expect((await client.get('/racks/2/relationships/volumes')).body.data).to.deep.equal([{ type: 'books', id: '4' }])
      for (const href of ['/shelves/2', '/racks/2/relationships/books']) {
        const { status } = await send({ op: 'update', href, data: [] })
        expect(status, href).to.be.oneOf([400, 404])
      }
    })

    it('14.3 is found under the prefix of the server, and under the base URL of its links', async () => {
      for (const href of ['/staff/books/1', 'books/1', `${client.url}/staff/books/1`, `${publicUrl}/books/1`]) {
        const answer = await sendBatch(client, [retitle(href)], '/staff/operations')
        expect(readResults(answer)[0]?.links, href).to.deep.equal({ self: `${publicUrl}/books/1` })
      }
      for (const href of ['/books/1', '/v2/books/1', 'https://api.example/books/1', `${client.url}/books/1`]) {
        const answer = await sendBatch(client, [retitle(href)], '/staff/operations')
        expectFailure(answer, 400, 'ATOMIC_HREF_UNRESOLVABLE', `${at}/href`)
      }
    })

    it('14.3 has its id decoded', async () => {
      const href = `/tags/${redTag.replace('-', '%2D')}`
      const data = { type: 'tags', id: redTag, attributes: { name: 'crimson' } }
      expect(readResults(await send({ op: 'update', href, data }))[0]?.attributes?.name).to.equal('crimson')
    })

    for (const href of [
      '/unknown/1',
      '/books',
      '/books/',
      '/books/1/',
      '//books/1',
      '/books/1/shelf',
      '/books/1/relationships',
      '/books/1/relationships/',
      '/books/1/relationships/shelf/more',
      '/books/1/-actions/print',
      '/operations',
      '/staff/books/1',
      'https://elsewhere.example/books/1',
      'http://[',
      'mailto:books/1',
      'javascript:alert(1)',
      '/books/%E0%A4%A',
      '/../..',
      '',
      null,
      1,
      {},
    ]) {
      it(`14.3 is not found by ${JSON.stringify(href)}`, async () => {
        expectFailure(await send(retitle(href)), 400, 'ATOMIC_HREF_UNRESOLVABLE', `${at}/href`)
        expect(await titleOf('1')).to.equal('Emma')
      })
    }

    it('14.3 is a collection for add, and a resource for remove', async () => {
      const added = { op: 'add', href: '/books/1', data: { type: 'books', attributes: { title: 'New' } } }
      expectFailure(await send(added), 400, 'ATOMIC_HREF_UNRESOLVABLE', `${at}/href`)
      expectFailure(await send({ op: 'remove', href: '/books' }), 400, 'ATOMIC_HREF_UNRESOLVABLE', `${at}/href`)
    })
  })

  describe('named by a ref', () => {
    it('14.3 is refused for a new resource', async () => {
      const operation = { ...add('books', { title: 'New' }), ref: { type: 'books', id: '1' } }
      expectFailure(await send(operation), 400, 'ATOMIC_OPERATIONS_INVALID', `${at}/ref`)
    })

    it('14.3 names the relation, not its URL segment', async () => {
      const members = [{ type: 'books', id: '4' }]
      const named = relate('add', { type: 'shelves', id: '2', relationship: 'books' }, members)
      expect((await send(named)).status).to.equal(204)
      const segment = relate('add', { type: 'shelves', id: '2', relationship: 'volumes' }, members)
      expectFailure(await send(segment), 404, 'RELATIONSHIP_NOT_EXISTS', at)
    })

    it('14.4 replaces the id that data omit, and may be a lid', async () => {
      const answer = await send(
        { op: 'update', ref: { type: 'books', id: '1' }, data: { type: 'books', attributes: { title: 'One' } } },
        { op: 'update', href: '/books/2', data: { type: 'books', attributes: { title: 'Two' } } },
        addAs('a', 'books', { title: 'Three' }),
        { op: 'update', ref: { type: 'books', lid: 'a' }, data: { type: 'books', attributes: { title: 'Four' } } },
        { op: 'update', ref: { type: 'books', lid: 'a' }, data: { type: 'books', lid: 'a', attributes: {} } },
      )
      expect(readResults(answer).map(({ attributes }) => attributes?.title)).to.deep.equal([
        'One',
        'Two',
        'Three',
        'Four',
        'Four',
      ])
    })

    it('14.4 must name the same resource as data', async () => {
      const tag = (lid: string, id: string) => ({
        op: 'add',
        data: { type: 'tags', id, lid, attributes: { name: id } },
      })
      const red = '11111111-1111-4111-8111-111111111111'
      const blue = '22222222-2222-4222-8222-222222222222'
      const change = (ref: object, data: object) => ({
        op: 'update',
        ref: { type: 'tags', ...ref },
        data: { type: 'tags', ...data },
      })
      const both = [tag('r', red), tag('b', blue)]
      const answer = await send(...both, change({ lid: 'r' }, { id: red }), change({ id: blue }, { lid: 'b' }))
      expect(answer.status, answer.text).to.equal(200)
      await fillLibrary()
      for (const [ref, data, pointer] of [
        [{ lid: 'r' }, { id: blue }, '/data/id'],
        [{ id: red }, { id: blue }, '/data/id'],
        [{ lid: 'r' }, { lid: 'b' }, '/data/lid'],
        [{ id: red }, { lid: 'b' }, '/data/lid'],
      ] as const) {
        const refused = await send(...both, change(ref, data))
        expectFailure(refused, 409, 'RESOURCE_ID_CONFLICT', `/atomic:operations/2${pointer}`)
      }
      const unknown = await send(...both, change({ lid: 'r' }, { lid: 'x' }))
      expectFailure(unknown, 400, 'LOCAL_ID_NOT_FOUND', '/atomic:operations/2')
    })
  })

  describe('named by data', () => {
    it('14.3 is refused without a valid id or lid', async () => {
      const change = (data: object) => send({ op: 'update', data: { type: 'books', attributes: {}, ...data } })
      expectFailure(await change({}), 400, 'ATOMIC_OPERATIONS_INVALID', at)
      expectFailure(await change({ id: '' }), 400, 'ATOMIC_OPERATIONS_INVALID', at)
      expectFailure(await change({ id: 1 }), 400, 'RESOURCE_ID_INVALID', `${at}/data/id`)
      expectFailure(await change({ lid: 1 }), 400, 'RESOURCE_IDENTIFIER_LID_INVALID', `${at}/data/lid`)
      const added = { op: 'add', data: { type: 'books', lid: '', attributes: { title: 'New' } } }
      expectFailure(await send(added), 400, 'RESOURCE_IDENTIFIER_LID_INVALID', `${at}/data/lid`)
    })
  })

  describe('is refused', () => {
    const book = { type: 'books', id: '1' }
    const refused: readonly (readonly [what: string, operation: object, status: number, code: string, at?: string])[] =
      [
        [
          '14.4 an unknown relation',
          relate('update', { ...book, relationship: 'x' }, null),
          404,
          'RELATIONSHIP_NOT_EXISTS',
        ],
        [
          '14.4 an attribute',
          relate('update', { ...book, relationship: 'title' }, null),
          404,
          'RELATIONSHIP_NOT_EXISTS',
        ],
        [
          '14.4 a suppressed endpoint',
          relate('add', { ...book, relationship: 'marks' }, []),
          404,
          'RELATIONSHIP_NOT_EXISTS',
        ],
        [
          '14.4 the same by its URL',
          { op: 'add', href: '/books/1/relationships/marks', data: [] },
          404,
          'RELATIONSHIP_NOT_EXISTS',
        ],
        [
          '14.4 members for one',
          relate('update', { ...book, relationship: 'shelf' }, []),
          400,
          'RELATIONSHIP_TYPE_INAPPROPRIATE',
          '/data',
        ],
        [
          '14.4 one for members',
          relate('update', { ...book, relationship: 'tags' }, null),
          400,
          'RELATIONSHIP_TYPE_INAPPROPRIATE',
          '/data',
        ],
        ['14.2 no members', { op: 'remove', ref: { ...book, relationship: 'tags' } }, 400, 'ATOMIC_OPERATIONS_INVALID'],
        ['14.5 an unknown type', update({ type: 'unknown', id: '1' }, {}), 404, 'ATOMIC_TARGET_TYPE_UNKNOWN'],
        [
          '14.5 a new resource of a type that is only read',
          add('catalogues', { name: 'x' }),
          403,
          'ATOMIC_OPERATION_NOT_EXPOSED',
        ],
        [
          '14.5 a change of a type that is only made',
          update({ type: 'drafts', id: '1' }, {}),
          403,
          'ATOMIC_OPERATION_NOT_EXPOSED',
        ],
        ['14.5 a removal of it', remove({ type: 'drafts', id: '1' }), 403, 'ATOMIC_OPERATION_NOT_EXPOSED'],
        [
          '14.5 a change of its members',
          relate('add', { type: 'drafts', id: '1', relationship: 'tags' }, []),
          403,
          'ATOMIC_OPERATION_NOT_EXPOSED',
        ],
        [
          '14.5 a type whose writes are not undone',
          add('notes', { text: 'x' }),
          403,
          'ATOMIC_OPERATIONS_NOT_SUPPORTED',
        ],
        ['14.5 a removal from it', remove({ type: 'notes', id: '1' }), 403, 'ATOMIC_OPERATIONS_NOT_SUPPORTED'],
      ]
    for (const [what, operation, status, code, place = ''] of refused) {
      it(`${what}, before the first write`, async () => {
        const statements = await statementsOf(async () => {
          const answer = await send(add('books', { title: 'New' }), operation)
          expectFailure(answer, status, code, `/atomic:operations/1${place}`)
        })
        expect(statements).to.deep.equal([])
      })
    }

    it('14.5 only in a batch: types without transactions may be written by single requests', async () => {
      expect((await client.post('/notes', { data: { type: 'notes', attributes: { text: 'x' } } })).status).to.equal(201)
      expect((await client.post('/drafts', { data: { type: 'drafts', attributes: { title: 'x' } } })).status).to.equal(
        201,
      )
    })
  })
})

const everywhere = ['default', 'staff']
const shelves = defineResource(Shelf, {
  type: 'shelves',
  uriType: 'racks',
  server: everywhere,
  fields: ({ id, string, hasMany }) => [
    id(),
    string('name').required(),
    hasMany('books', 'books').withUriFieldName('volumes'),
  ],
})
const catalogues = defineResource(Shelf, {
  type: 'catalogues',
  readOnly: true,
  fields: ({ id, string }) => [id(), string('name')],
})
const books = defineResource(Book, {
  type: 'books',
  server: everywhere,
  fields: ({ id, string, belongsTo, belongsToMany }) => [
    id(),
    string('title').required(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags'),
    belongsToMany('marks', 'tags').storedAs('tags').withoutRelationshipEndpoint(),
  ],
})
const drafts = defineResource(Book, {
  type: 'drafts',
  operations: ['FetchOne', 'Create'],
  fields: ({ id, string, belongsToMany }) => [id(), string('title').required(), belongsToMany('tags', 'tags')],
})
const tags = defineResource(Tag, {
  type: 'tags',
  server: everywhere,
  fields: ({ id, string }) => [id().allowClientId(), string('name').required()],
})
const notes = defineResource(Label, {
  type: 'notes',
  persister: { ...storePersister, transactional: false },
  fields: ({ id, string }) => [id(), string('text').required()],
})

const resources: readonly DeclaredResource[] = [shelves, catalogues, books, drafts, tags, notes].map(
  (resource: Resource) => ({ file: 'plugins/atomic/targets.test.ts', resource }),
)
