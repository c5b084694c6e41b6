import { expect } from 'chai'
import { defineResource } from '#kernel'
import { noContent } from '#plugins/responses/index.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { declared, inLibrary } from '../library-app.ts'
import { blueTag, fillLibrary, redTag } from '../library-rows.ts'
import { expectError, expectHttpError, readFaults, type Source } from '../support.ts'

// https://jsonapi.org/format/1.1/#crud-updating

describe('Updating resources', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  const patch = (data: object) => client.patch('/albums/1', { data: { type: 'albums', id: '1', ...data } })
  const storedAlbum = async () => (await client.get('/albums/1')).body.data

  it('CRU-02 changes nothing when a part of the document is invalid', async () => {
    const before = await storedAlbum()
    const relationships = { artist: { data: { type: 'artists', id: '4711' } } }
    const response = await patch({ attributes: { title: 'OKNOTOK' }, relationships })
    expectError(response, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data/relationships/artist/data' })
    expect((await patch({ attributes: { title: 'OKNOTOK', status: 'lost' } })).status).to.equal(422)
    expect(await storedAlbum()).to.deep.equal(before)
  })

  describe('document structure', () => {
    const resource = { type: 'albums', id: '1' }
    const cases: readonly (readonly [fault: string, body: unknown, code: string, source: Source | null])[] = [
      ['an empty body', '', 'REQUEST_BODY_INVALID_JSON', null],
      ['none of data, errors and meta', {}, 'REQUIRED_TOP_LEVEL_MEMBERS_MISSING', null],
      ['no data', { meta: {} }, 'DATA_MEMBER_MISSING', { pointer: '' }],
      ['null as data', { data: null }, 'DATA_MEMBER_MISSING', { pointer: '/data' }],
      ['a list as data', { data: [resource] }, 'DATA_MEMBER_MISSING', { pointer: '/data' }],
      ['no type', { data: { id: '1' } }, 'RESOURCE_TYPE_MISSING', { pointer: '/data' }],
      [
        'a type that is not a string',
        { data: { type: 1, id: '1' } },
        'RESOURCE_TYPE_MISSING',
        { pointer: '/data/type' },
      ],
      ['no id', { data: { type: 'albums' } }, 'RESOURCE_ID_MISSING', { pointer: '/data' }],
      ['an empty id', { data: { type: 'albums', id: '' } }, 'RESOURCE_ID_MISSING', { pointer: '/data' }],
      [
        'an id that is not a string',
        { data: { type: 'albums', id: 1 } },
        'RESOURCE_ID_INVALID',
        { pointer: '/data/id' },
      ],
    ]
    for (const [fault, body, code, source] of cases) {
      it(`UPD-01 returns 400 for ${fault}`, async () => {
        expectError(await client.patch('/albums/1', body), 400, code, source)
      })
    }

    it('UPD-01 returns all structural faults in one response', async () => {
      const response = await client.patch('/albums/1', { data: {} })
      expect(response.status).to.equal(400)
      expect(readFaults(response)).to.have.deep.members([
        { code: 'RESOURCE_TYPE_MISSING', source: { pointer: '/data' } },
        { code: 'RESOURCE_ID_MISSING', source: { pointer: '/data' } },
      ])
    })

    it('UPD-04 returns 400 for a relationship without data', async () => {
      const pointer = '/data/relationships/artist'
      for (const artist of [{}, { links: {} }, null]) {
        expectError(await patch({ relationships: { artist } }), 400, 'REQUEST_BODY_INVALID_JSON_API', { pointer })
      }
    })

    it('UPD-04 returns 400 for linkage of the wrong cardinality', async () => {
      const response = await patch({ relationships: { artist: { data: [{ type: 'artists', id: '1' }] } } })
      expectError(response, 400, 'RELATIONSHIP_TYPE_INAPPROPRIATE', { pointer: '/data/relationships/artist/data' })
    })

    it('UPD-01 accepts a document without attributes and relationships', async () => {
      const { status, body } = await patch({})
      expect(status).to.equal(200)
      expect(body.data).to.deep.equal(await storedAlbum())
    })
  })

  it('UPD-02 keeps attributes that are not sent', async () => {
    const { attributes, relationships } = await storedAlbum()
    await patch({ attributes: { title: 'OKNOTOK' } })
    const later = await storedAlbum()
    expect(later.attributes).to.deep.equal({ ...attributes, title: 'OKNOTOK' })
    expect(later.relationships).to.deep.equal(relationships)
  })

  it('UPD-02 stores null in nullable attributes', async () => {
    await patch({ attributes: { releasedAt: null, availableFrom: null } })
    const { attributes } = await storedAlbum()
    expect(attributes).to.include({ releasedAt: null, availableFrom: null, title: 'OK Computer' })
  })

  it('UPD-02 returns 422 when a required attribute is null or blank', async () => {
    for (const title of [null, '', '  ']) {
      expectError(await patch({ attributes: { title } }), 422, 'VALIDATION_FAILED', {
        pointer: '/data/attributes/title',
      })
    }
  })

  it('UPD-02 keeps the children of a map that are not sent', async () => {
    await patch({ attributes: { releaseInfo: { label: 'XL' } } })
    expect((await storedAlbum()).attributes.releaseInfo).to.deep.equal({ label: 'XL', catalogueNumber: 'NODATA 01' })
  })

  it('UPD-02 ignores read-only attributes without validating them', async () => {
    const { status, body } = await patch({ attributes: { averageRating: 'ten', artwork: 7 } })
    expect(status).to.equal(200)
    expect(body.data.attributes).to.include({ averageRating: 9.8, artwork: null })
    const data = { type: 'artists', id: '1', attributes: { createdAt: '2020-01-01T00:00:00Z' } }
    const frozen = await client.patch('/artists/1', { data })
    expect(frozen.body.data.attributes.createdAt).to.equal('2001-05-01T09:00:00+00:00')
  })

  it('UPD-03 keeps relationships that are not sent', async () => {
    await patch({ attributes: { title: 'OKNOTOK' }, relationships: {} })
    expect((await storedAlbum()).relationships.artist.data).to.deep.equal({ type: 'artists', id: '1' })
  })

  it('UPD-04 replaces a to-one relationship with an identifier or null', async () => {
    const { body } = await patch({ relationships: { artist: { data: { type: 'artists', id: '2' } } } })
    expect(body.data.relationships.artist.data).to.deep.equal({ type: 'artists', id: '2' })
    expect((await client.get('/albums/1/artist')).body.data.id).to.equal('2')
    await patch({ relationships: { artist: { data: null } } })
    expect((await storedAlbum()).relationships.artist.data).to.equal(null)
  })

  it('UPD-04 ignores a read-only relationship', async () => {
    await fillLibrary()
    const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id, string }) => [id(), string('name')] })
    const books = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves').readOnly()],
    })
    await inLibrary({ resources: declared(shelves, books) }, async ({ client: writer }) => {
      const relationships = { shelf: { data: { type: 'shelves', id: '2' } } }
      const { status, body } = await writer.patch('/books/1', {
        data: { type: 'books', id: '1', attributes: { title: 'Emma!' }, relationships },
      })
      expect(status).to.equal(200)
      expect(body.data.attributes.title).to.equal('Emma!')
      expect(body.data.relationships.shelf.data).to.deep.equal({ type: 'shelves', id: '1' })
    })
  })

  it('UPD-06 returns 200 with the full resource', async () => {
    const { status, body, headers } = await patch({ attributes: { title: 'OKNOTOK' } })
    expect(status).to.equal(200)
    expect(headers.get('location')).to.equal(null)
    expect(body.data).to.deep.equal(await storedAlbum())
    expect(body.links.self).to.equal(`${client.url}/albums/1`)
  })

  it('UPD-06 updates a resource that is the inverse side of a one-to-one relation', async () => {
    await fillLibrary()
    await inLibrary({}, async ({ client: writer }) => {
      const data = { type: 'shelves', id: '1', attributes: { name: 'Novels' } }
      const { status, body } = await writer.patch('/shelves/1?include=label', { data })
      expect(status).to.equal(200)
      expect(body.data.attributes.name).to.equal('Novels')
      expect(body.data.relationships.label.data).to.deep.equal({ type: 'labels', id: '1' })
    })
  })

  it('UPD-07 returns 200 with the resource when one attribute or nothing changes', async () => {
    for (const attributes of [{ title: 'OKNOTOK' }, {}]) {
      const { status, body } = await patch({ attributes })
      expect(status).to.equal(200)
      expect(body.data).to.deep.equal(await storedAlbum())
    }
  })

  it('UPD-07 returns 204 without a body when the type declares noContent()', async () => {
    await fillLibrary()
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string }) => [id(), string('name')],
      update: noContent(),
    })
    await inLibrary({ resources: declared(shelves) }, async ({ client: writer }) => {
      const data = { type: 'shelves', id: '1', attributes: { name: 'Novels' } }
      const { status, text } = await writer.patch('/shelves/1', { data })
      expect([status, text]).to.deep.equal([204, ''])
      expect((await writer.get('/shelves/1')).body.data.attributes.name).to.equal('Novels')
    })
  })

  it('UPD-09 returns 405 when the type has no update operation', async () => {
    await fillLibrary()
    const tags = defineResource(Tag, {
      type: 'tags',
      operations: ['FetchOne', 'Delete'],
      fields: ({ id, string }) => [id(), string('name')],
    })
    await inLibrary({ resources: declared(tags) }, async ({ client: writer }) => {
      const response = await writer.patch(`/tags/${redTag}`, { data: { type: 'tags', id: redTag } })
      expectHttpError(response, 405, 'Method Not Allowed')
      expect(response.headers.get('allow')).to.equal('GET, HEAD, DELETE, OPTIONS')
    })
  })

  it('UPD-10 returns 404 when the resource does not exist or is hidden', async () => {
    for (const id of ['4711', 'nope', '3', '99999999999']) {
      const response = await client.patch(`/albums/${id}`, { data: { type: 'albums', id } })
      expectError(response, 404, 'RESOURCE_NOT_FOUND')
    }
  })

  it('UPD-11 returns 404 at the linkage when the related resource does not exist', async () => {
    const pointer = '/data/relationships/artist/data'
    for (const id of ['4711', 'nope']) {
      const response = await patch({ relationships: { artist: { data: { type: 'artists', id } } } })
      expectError(response, 404, 'RESOURCE_NOT_FOUND', { pointer })
    }
  })

  it('UPD-12 returns 409 at the attribute when a unique value is taken', async () => {
    await fillLibrary()
    await inLibrary({}, async ({ client: writer }) => {
      const data = { type: 'tags', id: blueTag, attributes: { name: 'red' } }
      const response = await writer.patch(`/tags/${blueTag}`, { data })
      expectError(response, 409, 'CONFLICT', { pointer: '/data/attributes/name' })
      expect((await writer.get(`/tags/${blueTag}`)).body.data.attributes.name).to.equal('blue')
    })
  })

  it('UPD-13 returns 409 when type or id differs from the URL', async () => {
    expectError(await patch({ type: 'artists' }), 409, 'RESOURCE_TYPE_UNACCEPTABLE', { pointer: '/data/type' })
    expectError(await patch({ id: '2' }), 409, 'RESOURCE_ID_CONFLICT', { pointer: '/data/id' })
    expectError(await patch({ type: 'artists', id: '2' }), 409, 'RESOURCE_TYPE_UNACCEPTABLE', { pointer: '/data/type' })
  })

  it('UPD-13 returns 409 before it loads the resource', async () => {
    const response = await client.patch('/albums/4711', { data: { type: 'albums', id: '1' } })
    expectError(response, 409, 'RESOURCE_ID_CONFLICT', { pointer: '/data/id' })
  })

  it('UPD-13 returns 409 at the type of an identifier that the relationship does not accept', async () => {
    const response = await patch({ relationships: { artist: { data: { type: 'albums', id: '1' } } } })
    expectError(response, 409, 'RESOURCE_TYPE_UNACCEPTABLE', { pointer: '/data/relationships/artist/data/type' })
  })
})
