import { expect } from 'chai'
import { defineResource } from '#kernel'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { declared, inLibrary } from '../library-app.ts'
import { fillLibrary } from '../library-rows.ts'
import { expectError, expectHttpError, type Source } from '../support.ts'

// https://jsonapi.org/format/1.1/#crud-updating-to-one-relationships

const path = '/albums/1/relationships/artist'

describe('Updating to-one relationships', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  const stored = async () => (await client.get(path)).body.data

  it('REL-01 replaces the related resource', async () => {
    const { status } = await client.patch(path, { data: { type: 'artists', id: '2' } })
    expect(status).to.equal(200)
    expect(await stored()).to.deep.equal({ type: 'artists', id: '2' })
    expect((await client.get('/albums/1')).body.data.relationships.artist.data.id).to.equal('2')
  })

  it('REL-01 clears the relationship with null', async () => {
    expect((await client.patch(path, { data: null })).status).to.equal(200)
    expect(await stored()).to.equal(null)
    expect((await client.get('/albums/1/artist')).body.data).to.equal(null)
  })

  it('REL-09 REL-10 returns 200 with the document that a GET of the linkage returns', async () => {
    const response = await client.patch(path, { data: { type: 'artists', id: '2' } })
    expect(response.body).to.deep.equal((await client.get(path)).body)
    expect(response.body.links).to.deep.equal({ self: client.url + path, related: `${client.url}/albums/1/artist` })
  })

  it('REL-10 returns the linkage when nothing changes', async () => {
    const data = { type: 'artists', id: '1' }
    expect((await client.patch(path, { data })).body.data).to.deep.equal(data)
  })

  describe('invalid requests', () => {
    const cases: readonly (readonly [fault: string, body: unknown, code: string, source: Source | null])[] = [
      ['an empty body', '', 'REQUEST_BODY_INVALID_JSON', null],
      ['a list as root', [], 'REQUEST_BODY_INVALID_JSON_API', { pointer: '' }],
      ['none of data, errors and meta', {}, 'REQUIRED_TOP_LEVEL_MEMBERS_MISSING', null],
      ['no data', { meta: {} }, 'DATA_MEMBER_MISSING', { pointer: '' }],
      ['an empty list', { data: [] }, 'RELATIONSHIP_TYPE_INAPPROPRIATE', { pointer: '/data' }],
      ['a list', { data: [{ type: 'artists', id: '1' }] }, 'RELATIONSHIP_TYPE_INAPPROPRIATE', { pointer: '/data' }],
      ['no type', { data: { id: '1' } }, 'RESOURCE_IDENTIFIER_TYPE_MISSING', { pointer: '/data' }],
      [
        'a type that is not a string',
        { data: { type: 1, id: '1' } },
        'RESOURCE_IDENTIFIER_TYPE_INVALID',
        { pointer: '/data/type' },
      ],
      ['no id', { data: { type: 'artists' } }, 'RESOURCE_IDENTIFIER_ID_MISSING', { pointer: '/data' }],
      [
        'an id that is not a string',
        { data: { type: 'artists', id: 1 } },
        'RESOURCE_IDENTIFIER_ID_INVALID',
        { pointer: '/data/id' },
      ],
      [
        'a lid that is not a string',
        { data: { type: 'artists', lid: {} } },
        'RESOURCE_IDENTIFIER_LID_INVALID',
        { pointer: '/data/lid' },
      ],
      ['a lid', { data: { type: 'artists', lid: 'a' } }, 'LOCAL_ID_NOT_SUPPORTED', { pointer: '/data/lid' }],
    ]
    for (const [fault, body, code, source] of cases) {
      it(`REL-01 returns 400 for ${fault} and changes nothing`, async () => {
        expectError(await client.patch(path, body), 400, code, source)
        expect(await stored()).to.deep.equal({ type: 'artists', id: '1' })
      })
    }

    it('REL-12 returns 403 for POST and DELETE', async () => {
      const body = { data: { type: 'artists', id: '2' } }
      expectError(await client.post(path, body), 403, 'RELATIONSHIP_TYPE_INAPPROPRIATE')
      expectError(await client.delete(path, body), 403, 'RELATIONSHIP_TYPE_INAPPROPRIATE')
      expect(await stored()).to.deep.equal({ type: 'artists', id: '1' })
    })

    it('REL-12 returns 403 for POST before it loads the parent', async () => {
      const response = await client.post('/albums/4711/relationships/artist', { data: null })
      expectError(response, 403, 'RELATIONSHIP_TYPE_INAPPROPRIATE')
    })

    it('REL-12 returns 403 for PATCH of a read-only relationship', async () => {
      await fillLibrary()
      await inLibrary({ resources: declared(...readOnlyShelf()) }, async ({ client: writer }) => {
        for (const data of [null, { type: 'shelves', id: '2' }]) {
          const response = await writer.patch('/books/1/relationships/shelf', { data })
          expect(response.status).to.equal(403)
          expect(response.body.errors[0].source).to.deep.equal({ pointer: '/data' })
        }
        expect((await writer.get('/books/1/relationships/shelf')).body.data.id).to.equal('1')
      })
    })

    it('REL-12 returns 405 when the type has no update operation', async () => {
      await fillLibrary()
      await inLibrary({ resources: declared(...readOnlyShelf(['FetchOne'])) }, async ({ client: writer }) => {
        for (const method of ['PATCH', 'POST', 'DELETE']) {
          const response = await writer.send(method, '/books/1/relationships/shelf', { body: { data: null } })
          expectHttpError(response, 405, 'Method Not Allowed')
          expect(response.headers.get('allow')).to.equal('GET, HEAD, OPTIONS')
        }
      })
    })

    it('REL-13 returns 404 when the parent does not exist or is hidden', async () => {
      for (const id of ['4711', 'nope', '3']) {
        expectError(await client.patch(`/albums/${id}/relationships/artist`, { data: null }), 404, 'RESOURCE_NOT_FOUND')
      }
    })

    it('REL-13 returns 404 at the identifier when the related resource does not exist or is hidden', async () => {
      for (const id of ['4711', 'nope', '99999999999']) {
        const response = await client.patch(path, { data: { type: 'artists', id } })
        expectError(response, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data' })
      }
      const hidden = await client.patch('/tracks/1/relationships/album', { data: { type: 'albums', id: '3' } })
      expectError(hidden, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data' })
    })

    it('REL-13 returns 404 when the type has no such relationship', async () => {
      for (const method of ['PATCH', 'POST', 'DELETE']) {
        const response = await client.send(method, '/albums/1/relationships/nope', { body: { data: null } })
        expectError(response, 404, 'RELATIONSHIP_NOT_EXISTS')
      }
    })

    it('REL-14 returns 409 at a type that the relationship does not accept', async () => {
      const response = await client.patch(path, { data: { type: 'albums', id: '1' } })
      expectError(response, 409, 'RESOURCE_TYPE_UNACCEPTABLE', { pointer: '/data/type' })
    })
  })
})

function readOnlyShelf(operations: readonly ('FetchOne' | 'Update')[] = ['FetchOne', 'Update']) {
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })
  const books = defineResource(Book, {
    type: 'books',
    operations,
    fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves').readOnly()],
  })
  return [shelves, books]
}
