import { expect } from 'chai'
import createError from 'http-errors'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { addSteps, type DeclaredResource, type Plugin } from '#kernel/plugin'
import { observeStatements } from '#store'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import {
  add,
  addAs,
  atomicHeaders,
  atomicMediaType,
  atomicUri,
  expectFailure,
  type Result,
  readResults,
  readTables,
  sendBatch,
} from '#test/support/batch.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { atomic } from './index.ts'

describe('The plugin atomic', () => {
  let client: Client
  const send = (operations: unknown, path?: string) => sendBatch(client, operations, path)

  before(async () => {
    client = (await catalogue()).client
  })

  describe('with a batch that succeeds', () => {
    it('creates all resources and returns the results in the order of the operations', async () => {
      const answer = await send([
        add('artists', { name: 'Björk' }),
        add('tracks', { title: 'Hyperballad', trackNumber: 2 }),
        add('artists', { name: 'Low' }),
      ])
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body).to.have.keys('atomic:results', 'links', 'jsonapi')
      const results = readResults(answer)
      expect(results.map(({ type }) => type)).to.deep.equal(['artists', 'tracks', 'artists'])
      expect(results[0]?.attributes).to.include({ name: 'Björk', slug: 'bjork' })
      expect((await client.get(`/artists/${results[2]?.id}`)).body.data.attributes.name).to.equal('Low')
    })

    it('names the extension in Content-Type and in the document', async () => {
      const answer = await send([add('artists', { name: 'Low' })])
      expect(answer.headers.get('content-type')).to.equal(atomicMediaType)
      expect(answer.body.jsonapi).to.deep.equal({ version: '1.1', ext: [atomicUri] })
      expect(answer.body.links).to.deep.equal({ self: `${client.url}/operations` })
    })

    it('shows whole resources with their own links and meta, and includes nothing', async () => {
      const answer = await send([
        add('albums', { title: 'Third' }, { artist: { type: 'artists', id: '2' } }),
        add('tracks', { title: 'Silence' }),
      ])
      const [album, track] = readResults(answer)
      expect(album?.links).to.deep.equal({ self: `${client.url}/albums/${album?.id}` })
      expect(album?.relationships?.artist?.data).to.deep.equal({ type: 'artists', id: '2' })
      expect(album?.relationships?.tracks).to.have.keys('links')
      expect(track?.meta).to.deep.equal({ served_by: 'music-catalog' })
      expect(answer.body).not.to.have.property('included')
    })

    it('sends one transaction, and one insert for adjacent creates of one type', async () => {
      const statements: string[] = []
      const stop = observeStatements(({ sql }) => statements.push(sql.toLowerCase()))
      await send(['Low', 'Can', 'Neu!'].map((name) => add('artists', { name })))
      stop()
      const count = (verb: string) => statements.filter((sql) => sql.startsWith(verb)).length
      expect([count('begin'), count('insert'), count('commit')]).to.deep.equal([1, 1, 1])
    })

    it('lets later operations refer to resources of earlier ones by their local ids', async () => {
      const answer = await send([
        addAs('a', 'artists', { name: 'Björk' }),
        addAs('b', 'albums', { title: 'Post' }, { artist: { type: 'artists', lid: 'a' } }),
        addAs('c', 'tracks', { title: 'Army of Me' }, { album: { type: 'albums', lid: 'b' } }),
        add('tracks', { title: 'Isobel' }, { album: { type: 'albums', lid: 'b' } }),
        add('tracks', { title: 'Roads' }, { album: { type: 'albums', id: '2' } }),
      ])
      expect(answer.status, answer.text).to.equal(200)
      const [artist, album, , , roads] = readResults(answer)
      expect(album?.relationships?.artist?.data).to.deep.equal({ type: 'artists', id: artist?.id })
      expect(roads?.relationships?.album?.data).to.deep.equal({ type: 'albums', id: '2' })
      const { body } = await client.get(`/albums/${album?.id}?include=artist,tracks`)
      expect(body.included.map(({ attributes }: Result) => attributes?.name ?? attributes?.title)).to.have.members([
        'Björk',
        'Army of Me',
        'Isobel',
      ])
    })

    it('accepts the same local id for different types', async () => {
      const answer = await send([
        addAs('x', 'artists', { name: 'Low' }),
        addAs('x', 'albums', { title: 'Trust' }, { artist: { type: 'artists', lid: 'x' } }),
        addAs('x', 'tracks', { title: 'Canada' }, { album: { type: 'albums', lid: 'x' } }),
      ])
      expect(answer.status, answer.text).to.equal(200)
      const [artist, album, track] = readResults(answer)
      expect(track?.relationships?.album?.data).to.deep.include({ type: 'albums', id: album?.id })
      expect(album?.relationships?.artist?.data).to.deep.include({ type: 'artists', id: artist?.id })
    })

    it('returns 404 for types of another server', async () => {
      const answer = await send([add('albums', { title: 'Third' })], '/admin/operations')
      expect(answer.status, answer.text).to.equal(200)
      const [album] = readResults(answer)
      expect(album?.links).to.deep.equal({ self: `${client.url}/admin/albums/${album?.id}` })
      const refused = await send([add('artists', { name: 'Low' })], '/admin/operations')
      expectFailure(refused, 404, 'ATOMIC_TARGET_TYPE_UNKNOWN', '/atomic:operations/0')
    })

    it('ignores unknown members beside atomic:operations', async () => {
      const body = {
        'atomic:operations': [add('artists', { name: 'Low' })],
        meta: { a: 1 },
        jsonapi: { version: '1.0' },
      }
      expect((await client.post('/operations', body, atomicHeaders)).status).to.equal(200)
    })
  })

  describe('with a batch that fails', () => {
    const failures: readonly [what: string, last: object, status: number, code: string, pointer: string][] = [
      ['a member is missing', add('tracks', { trackNumber: 1 }), 422, 'VALIDATION_FAILED', '/data/attributes'],
      [
        'a member is wrong',
        add('tracks', { title: 'x', trackNumber: 0 }),
        422,
        'VALIDATION_FAILED',
        '/data/attributes/trackNumber',
      ],
      ['there are no attributes', { op: 'add', data: { type: 'tracks' } }, 422, 'VALIDATION_FAILED', '/data'],
      [
        'a related resource is missing',
        add('tracks', { title: 'x' }, { album: { type: 'albums', id: '99' } }),
        404,
        'RESOURCE_NOT_FOUND',
        '/data/relationships/album/data',
      ],
      [
        'a related resource is out of sight',
        add('tracks', { title: 'x' }, { album: { type: 'albums', id: '3' } }),
        404,
        'RESOURCE_NOT_FOUND',
        '/data/relationships/album/data',
      ],
      [
        'a related resource is of another type',
        add('tracks', { title: 'x' }, { album: { type: 'artists', id: '1' } }),
        409,
        'RESOURCE_TYPE_UNACCEPTABLE',
        '/data/relationships/album/data/type',
      ],
      [
        'an identifier is broken',
        { op: 'add', data: { type: 'tracks', relationships: { album: { data: { type: 'albums', id: 1 } } } } },
        400,
        'RESOURCE_IDENTIFIER_ID_INVALID',
        '/data/relationships/album/data/id',
      ],
      [
        'a client gives an id of its own',
        { op: 'add', data: { type: 'tracks', id: '77', attributes: { title: 'x' } } },
        403,
        'CLIENT_GENERATED_ID_NOT_SUPPORTED',
        '/data/id',
      ],
      ['its type is unknown', add('unknown', {}), 404, 'ATOMIC_TARGET_TYPE_UNKNOWN', ''],
    ]
    for (const [what, last, status, code, pointer] of failures) {
      it(`leaves all tables unchanged when ${what}`, async () => {
        const before = await readTables(await testDatabase())
        const answer = await send([
          addAs('a', 'artists', { name: 'Low' }),
          addAs('b', 'albums', { title: 'Trust' }, { artist: { type: 'artists', lid: 'a' } }),
          last,
        ])
        expectFailure(answer, status, code, `/atomic:operations/2${pointer}`)
        expect(await readTables(await testDatabase())).to.deep.equal(before)
      })
    }

    it('returns all errors of the operation that failed', async () => {
      const answer = await send([add('artists', { name: 'Low' }), add('tracks', { title: '', trackNumber: 'one' })])
      expect(answer.status).to.equal(422)
      expect(answer.body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)).to.have.members([
        '/atomic:operations/1/data/attributes/title',
        '/atomic:operations/1/data/attributes/trackNumber',
      ])
    })

    it('checks the types and documents of the whole batch before the first write', async () => {
      const statements = await statementsOf(async () => {
        expect((await send([add('artists', { name: 'Low' }), add('unknown', {})])).status).to.equal(404)
        expect(
          (await send([add('artists', { name: 'Low' }), { op: 'add', data: { type: 'tracks', attributes: 5 } }]))
            .status,
        ).to.equal(400)
      })
      expect(statements).to.deep.equal([])
    })

    it('returns 400 for a local id that is unknown, defined later, or of another type', async () => {
      const track = add('tracks', { title: 'x' }, { album: { type: 'albums', lid: 'b' } })
      const album = addAs('b', 'albums', { title: 'x' })
      const artist = addAs('b', 'artists', { name: 'x' })
      expectFailure(await send([track]), 400, 'LOCAL_ID_NOT_FOUND', '/atomic:operations/0')
      expectFailure(await send([track, album]), 400, 'LOCAL_ID_NOT_FOUND', '/atomic:operations/0')
      expectFailure(await send([artist, track]), 400, 'LOCAL_ID_NOT_FOUND', '/atomic:operations/1')
      expect((await client.get('/artists')).body.data).to.have.length(2)
    })

    it('returns 400 when two operations define the same local id', async () => {
      const artist = addAs('a', 'artists', { name: 'x' })
      expectFailure(await send([artist, artist]), 400, 'LOCAL_ID_CONFLICT', '/atomic:operations/1')
      expect((await client.get('/artists')).body.data).to.have.length(2)
    })
  })

  describe('with an invalid batch', () => {
    const operation = add('artists', { name: 'Low' })
    const bodies: readonly [what: string, body: unknown, pointer: string][] = [
      ['is a list', [operation], ''],
      ['is null', null, ''],
      ['has no operations', { data: [] }, ''],
      ['has an empty list of operations', { 'atomic:operations': [] }, '/atomic:operations'],
      ['has operations that are no list', { 'atomic:operations': { 0: operation } }, '/atomic:operations'],
      ['has operations that are null', { 'atomic:operations': null }, '/atomic:operations'],
      ['has more operations than allowed', { 'atomic:operations': Array(101).fill(operation) }, '/atomic:operations'],
      ['has data', { 'atomic:operations': [operation], data: null }, '/data'],
      ['has errors', { 'atomic:operations': [operation], errors: [] }, '/errors'],
      ['has included resources', { 'atomic:operations': [operation], included: [] }, '/included'],
      ['has results', { 'atomic:operations': [operation], 'atomic:results': [] }, '/atomic:results'],
      ['has an operation that is null', { 'atomic:operations': [operation, null] }, '/atomic:operations/1'],
      ['has an operation that is a list', { 'atomic:operations': [operation, [operation]] }, '/atomic:operations/1'],
      ['has an operation without a verb', { 'atomic:operations': [{ data: operation.data }] }, '/atomic:operations/0'],
      ['has an unknown verb', { 'atomic:operations': [{ ...operation, op: 'move' }] }, '/atomic:operations/0'],
      ['adds nothing', { 'atomic:operations': [{ op: 'add' }] }, '/atomic:operations/0'],
      ['adds null', { 'atomic:operations': [{ op: 'add', data: null }] }, '/atomic:operations/0'],
    ]
    for (const [what, body, pointer] of bodies) {
      it(`returns 400 for a batch that ${what}`, async () => {
        const answer = await client.post('/operations', JSON.stringify(body), atomicHeaders)
        expectFailure(answer, 400, 'ATOMIC_OPERATIONS_INVALID', pointer)
        expect(answer.headers.get('content-type')).to.equal(atomicMediaType)
      })
    }

    it('accepts the maximum number of operations', async () => {
      const answer = await send(Array.from({ length: 100 }, (_, index) => add('artists', { name: `Artist ${index}` })))
      expect(answer.status).to.equal(200)
      expect(readResults(answer)).to.have.length(100)
    })

    it('returns 400 with the extension for a body that is not JSON', async () => {
      const answer = await client.post('/operations', '{"atomic:operations":[', atomicHeaders)
      expect(answer.status).to.equal(400)
      expect(answer.body.errors[0].code).to.equal('REQUEST_BODY_INVALID_JSON')
      expect(answer.headers.get('content-type')).to.equal(atomicMediaType)
    })
  })

  describe('as an extension', () => {
    const body = { 'atomic:operations': [add('artists', { name: 'Low' })] }

    it('returns 415 for a body without the extension', async () => {
      for (const type of [
        mediaType,
        'application/json',
        `${mediaType}; ext="https://example.com/other"`,
        `${mediaType}; ext="${atomicUri} https://example.com/other"`,
      ]) {
        const answer = await client.post('/operations', body, { ...atomicHeaders, 'content-type': type })
        expect(answer.status, type).to.equal(415)
        expect(answer.body.errors[0]).to.deep.include({
          code: 'MEDIA_TYPE_UNSUPPORTED',
          source: { header: 'Content-Type' },
        })
        expect(answer.headers.get('content-type')).to.equal(mediaType)
      }
    })

    it('returns 406 to a client that does not accept the extension', async () => {
      for (const accept of [
        mediaType,
        '*/*',
        'application/*',
        'text/html',
        `${atomicMediaType}; charset=utf-8`,
        `${atomicMediaType}; q=0`,
      ]) {
        const answer = await client.post('/operations', body, { ...atomicHeaders, accept })
        expect(answer.status, accept).to.equal(406)
        expect(answer.body.errors[0]).to.deep.include({ code: 'MEDIA_TYPE_UNACCEPTABLE', source: { header: 'Accept' } })
        expect(answer.headers.get('content-type')).to.equal(mediaType)
      }
      const several = await client.post('/operations', body, {
        ...atomicHeaders,
        accept: `text/html, ${mediaType}, ${atomicMediaType}`,
      })
      expect(several.status).to.equal(200)
    })

    it('returns 405 for methods other than POST', async () => {
      for (const method of ['GET', 'PATCH', 'DELETE', 'PUT']) {
        const answer = await client.send(method, '/operations', { headers: atomicHeaders })
        expect(answer.status, method).to.equal(405)
        expect(answer.headers.get('allow')).to.equal('POST, OPTIONS')
        expect(answer.headers.get('content-type')).to.equal(atomicMediaType)
      }
      const options = await client.send('OPTIONS', '/operations')
      expect(options.status).to.equal(204)
      expect(options.headers.get('allow')).to.equal('POST, OPTIONS')
    })
  })

  describe('with options and other plugins', () => {
    const started: TestApp[] = []
    const start = async (options: TestAppOptions = {}) => {
      const library = await startLibrary({ resources, ...options })
      started.push(library)
      client = library.client
    }

    before(emptyLibrary)

    afterEach(async () => {
      for (const library of started.splice(0)) await library.close()
      await emptyLibrary()
    })

    after(async () => {
      client = (await catalogue()).client
    })

    it('uses the path and the limit of its options', async () => {
      const own = atomic({ path: '/batch', maxOperations: 2 })
      await start({ plugins: plugins.map((plugin) => (plugin.name === 'atomic' ? own : plugin)) })
      const shelf = add('shelves', { name: 'Fiction' })
      expect((await send([shelf, shelf], '/batch')).status).to.equal(200)
      expectFailure(await send([shelf, shelf, shelf], '/batch'), 400, 'ATOMIC_OPERATIONS_INVALID', '/atomic:operations')
      expect((await send([shelf])).status).to.equal(404)
    })

    it('shows the writes of earlier operations to later ones', async () => {
      await start()
      const tag = { op: 'add', data: { type: 'tags', id: red, attributes: { name: 'red' } } }
      const again = { op: 'add', data: { type: 'tags', id: red, attributes: { name: 'again' } } }
      expectFailure(await send([tag, again]), 409, 'CLIENT_GENERATED_ID_ALREADY_EXISTS', '/atomic:operations/1/data/id')
      const twin = { op: 'add', data: { type: 'tags', id: blue, attributes: { name: 'red' } } }
      expectFailure(await send([tag, twin]), 409, 'CONFLICT', '/atomic:operations/1/data/attributes/name')
      expect(await readTables(await libraryDatabase())).to.deep.include({ tags: [] })
      expect((await send([tag])).status).to.equal(200)
    })

    it('returns 403 for an operation that the type does not expose, before the first write', async () => {
      await start()
      const statements = await statementsOf(async () => {
        const answer = await send([add('shelves', { name: 'Fiction' }), add('catalogues', { name: 'x' })])
        expectFailure(answer, 403, 'ATOMIC_OPERATION_NOT_EXPOSED', '/atomic:operations/1')
      })
      expect(statements).to.deep.equal([])
    })

    it('authorizes every operation and returns the pointer of the denied one', async () => {
      const denying: Plugin = {
        name: 'denying',
        plan: addSteps({
          check({ target }) {
            if (target.type.name === 'books') throw createError(401, { headers: { 'WWW-Authenticate': 'Bearer' } })
            return undefined
          },
        }),
      }
      await start({ plugins: [...plugins, denying] })
      const answer = await send([add('shelves', { name: 'Fiction' }), add('books', { title: 'Emma' })])
      expect(answer.status).to.equal(401)
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer')
      expect(answer.body.errors).to.deep.equal([
        { status: '401', title: 'Unauthorized', detail: '', source: { pointer: '/atomic:operations/1' } },
      ])
      expect(await readTables(await libraryDatabase())).to.deep.include({ shelves: [] })
    })

    it('runs afterCommit in the order of the operations, and not after a rollback', async () => {
      const committed: string[] = []
      const listening: Plugin = {
        name: 'listening',
        plan: addSteps({
          async afterCommit({ input }) {
            const rows = await readTables(await libraryDatabase())
            committed.push(`${input?.attributes?.name} of ${rows.shelves?.length}`)
            return undefined
          },
        }),
      }
      await start({ plugins: [...plugins, listening] })
      await send([add('shelves', { name: 'Fiction' }), add('shelves', {})])
      expect(committed).to.deep.equal([])
      await send([add('shelves', { name: 'Fiction' }), add('shelves', { name: 'Poetry' })])
      expect(committed).to.deep.equal(['Fiction of 2', 'Poetry of 2'])
    })

    it('returns 404 when the plugin is disabled', async () => {
      await start({ disabled: ['atomic'] })
      const answer = await send([add('shelves', { name: 'Fiction' })])
      expect(answer.status).to.equal(404)
      expect(answer.body).to.equal(null)
    })
  })
})

const red = '11111111-1111-4111-8111-111111111111'
const blue = '22222222-2222-4222-8222-222222222222'

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string }) => [id(), string('name').required()],
})
const catalogues = defineResource(Shelf, {
  type: 'catalogues',
  readOnly: true,
  fields: ({ id, string }) => [id(), string('name')],
})
const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string }) => [id(), string('title').required()],
})
const tags = defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string }) => [id().allowClientId(), string('name').required()],
})

const resources: readonly DeclaredResource[] = [shelves, catalogues, books, tags].map((resource) => ({
  file: 'plugins/atomic/atomic.test.ts',
  resource,
}))
