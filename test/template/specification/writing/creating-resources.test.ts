import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { Tag } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { declared, inLibrary } from '../library-app.ts'
import { fillLibrary, redTag } from '../library-rows.ts'
import { expectError, readFaults, readIds, type Source } from '../support.ts'

// https://jsonapi.org/format/1.1/#crud-creating

const newTag = '00000000-0000-4000-8000-0000000000ff'

describe('Creating resources', () => {
  let client: Client
  let library: TestApp

  before(async () => {
    client = (await catalogue()).client
    library = await startLibrary()
  })

  after(() => library.close())

  const create = (data: object) => client.post('/albums', { data: { type: 'albums', ...data } })
  const withArtist = (artist: unknown) => create({ attributes: { title: 'Kid A' }, relationships: { artist } })

  it('CRU-01 returns 405 when the type is read-only', async () => {
    const tags = defineResource(Tag, {
      type: 'tags',
      readOnly: true,
      fields: ({ id, string }) => [id(), string('name')],
    })
    await inLibrary({ resources: declared(tags) }, async ({ client: writer }) => {
      const response = await writer.post('/tags', { data: { type: 'tags', attributes: { name: 'x' } } })
      expect(response.status).to.equal(405)
      expect(response.headers.get('allow')).to.equal('GET, HEAD, OPTIONS')
    })
  })

  it('CRU-02 creates nothing when a related resource is not found', async () => {
    const response = await withArtist({ data: { type: 'artists', id: '4711' } })
    expect(response.status).to.equal(404)
    expect(readIds((await client.get('/albums')).body.data)).to.deep.equal(['1', '2'])
  })

  it('CRE-05 returns 201 with the resource, its id and its defaults', async () => {
    const { status, body } = await create({ attributes: { title: 'Kid A', releasedAt: '2000-10-02T00:00:00Z' } })
    expect(status).to.equal(201)
    expect(body.data.id).to.match(/^\d+$/)
    expect(body.data.attributes).to.include({
      title: 'Kid A',
      releasedAt: '2000-10-02T00:00:00+00:00',
      explicit: false,
      status: 'released',
      averageRating: null,
    })
    expect(body.links.self).to.equal(`${client.url}/albums`)
  })

  it('CRE-05 stores the values that it returns', async () => {
    const attributes = { title: 'Kid A', explicit: true, availableFrom: '2000-10-02', releaseInfo: { label: 'XL' } }
    const relationships = { artist: { data: { type: 'artists', id: '1' } } }
    const created = await create({ attributes, relationships })
    const stored = await client.get(`/albums/${created.body.data.id}`)
    expect(stored.body.data).to.deep.equal(created.body.data)
    expect(stored.body.data.relationships.artist.data).to.deep.equal({ type: 'artists', id: '1' })
    expect(stored.body.data.attributes.releaseInfo).to.include({ label: 'XL' })
  })

  it('CRE-05 ignores attributes that are read-only or unknown', async () => {
    const { status, body } = await create({
      attributes: { title: 'Kid A', averageRating: 'ten', nope: 1, published: false },
    })
    expect(status).to.equal(201)
    expect(body.data.attributes.averageRating).to.equal(null)
    expect((await client.get(`/albums/${body.data.id}`)).status, 'published stays true').to.equal(200)
  })

  it('CRE-06 returns the self link of the resource as Location', async () => {
    const { headers, body } = await create({ attributes: { title: 'Kid A' } })
    expect(headers.get('location')).to.equal(body.data.links.self)
    expect((await client.get(headers.get('location') as string)).body.data.id).to.equal(body.data.id)
  })

  it('CRE-06 returns a Location when resources have no self link', async () => {
    await fillLibrary()
    const tags = defineResource(Tag, {
      type: 'tags',
      emitsSelfLink: false,
      fields: ({ id, string }) => [id().allowClientId(), string('name')],
    })
    await inLibrary({ resources: declared(tags) }, async ({ client: writer }) => {
      const data = { type: 'tags', id: newTag, attributes: { name: 'green' } }
      const { headers, body } = await writer.post('/tags', { data })
      expect(body.data).not.to.have.property('links')
      expect(headers.get('location')).to.equal(`${writer.url}/tags/${newTag}`)
    })
  })

  describe('ids', () => {
    beforeEach(fillLibrary)

    const createTag = (data: object, writer = library.client) =>
      writer.post('/tags', { data: { type: 'tags', attributes: { name: 'green' }, ...data } })

    it('CRE-03 uses the client-generated id when the type allows it', async () => {
      const { status, body } = await createTag({ id: newTag })
      expect(status).to.equal(201)
      expect(body.data.id).to.equal(newTag)
      expect((await library.client.get(`/tags/${newTag}`)).body.data.attributes.name).to.equal('green')
    })

    it('CRE-04 returns 403 for a client-generated id when the type does not allow it', async () => {
      for (const id of ['9', 'nope', '1']) {
        const response = await client.post('/artists', { data: { type: 'artists', id, attributes: { name: 'Air' } } })
        expectError(response, 403, 'CLIENT_GENERATED_ID_NOT_SUPPORTED', { pointer: '/data/id' })
      }
    })

    it('CRE-04 treats an empty id as absent', async () => {
      const response = await client.post('/artists', { data: { type: 'artists', id: '', attributes: { name: 'Air' } } })
      expect(response.status).to.equal(201)
    })

    it('CRE-09 returns 403 when the type requires a client-generated id and it is missing', async () => {
      const tags = defineResource(Tag, {
        type: 'tags',
        fields: ({ id, string }) => [id().requireClientId(), string('name')],
      })
      await inLibrary({ resources: declared(tags) }, async ({ client: writer }) => {
        for (const data of [{}, { id: '' }]) {
          expectError(await createTag(data, writer), 403, 'CLIENT_GENERATED_ID_REQUIRED', { pointer: '/data' })
        }
        expect((await createTag({ id: newTag }, writer)).status).to.equal(201)
      })
    })

    it('CRE-11 CRE-13 returns 409 at /data/id when the id is taken', async () => {
      const response = await createTag({ id: redTag })
      expectError(response, 409, 'CLIENT_GENERATED_ID_ALREADY_EXISTS', { pointer: '/data/id' })
      expect(response.body.errors[0].detail).to.contain(redTag)
    })

    it('CRE-11 returns 409 at the attribute when a unique value is taken', async () => {
      const response = await createTag({ id: newTag, attributes: { name: 'red' } })
      expectError(response, 409, 'CONFLICT', { pointer: '/data/attributes/name' })
    })

    it('CRE-03 returns 422 at /data/id when the column cannot hold the id', async () => {
      expectError(await createTag({ id: 'nope' }), 422, 'RESOURCE_ID_UNDECODABLE', { pointer: '/data/id' })
    })
  })

  it('CRE-10 returns 404 at the linkage when the related resource does not exist', async () => {
    for (const id of ['4711', 'nope', '99999999999', '\0']) {
      const pointer = '/data/relationships/artist/data'
      expectError(await withArtist({ data: { type: 'artists', id } }), 404, 'RESOURCE_NOT_FOUND', { pointer })
    }
  })

  it('CRE-10 returns 404 when the scope hides the related resource', async () => {
    const relationships = { album: { data: { type: 'albums', id: '3' } } }
    const response = await client.post('/tracks', {
      data: { type: 'tracks', attributes: { title: 'x' }, relationships },
    })
    expectError(response, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data/relationships/album/data' })
  })

  it('CRE-12 CRE-13 returns 409 at /data/type when it is not the type of the collection', async () => {
    for (const type of ['artists', 'nope', 'Albums']) {
      expectError(await create({ type }), 409, 'RESOURCE_TYPE_UNACCEPTABLE', { pointer: '/data/type' })
    }
  })

  it('CRE-12 returns 409 at the type of an identifier that the relationship does not accept', async () => {
    const pointer = '/data/relationships/artist/data/type'
    const response = await withArtist({ data: { type: 'tracks', id: '1' } })
    expectError(response, 409, 'RESOURCE_TYPE_UNACCEPTABLE', { pointer })
  })

  it('CRE-12 compares the type with the declared type, not with its URL segment', async () => {
    const tags = defineResource(Tag, {
      type: 'tags',
      uriType: 'labels-of-books',
      fields: ({ id, string }) => [id().allowClientId(), string('name')],
    })
    await fillLibrary()
    await inLibrary({ resources: declared(tags) }, async ({ client: writer }) => {
      const post = (type: string) =>
        writer.post('/labels-of-books', { data: { type, id: newTag, attributes: { name: 'green' } } })
      expectError(await post('labels-of-books'), 409, 'RESOURCE_TYPE_UNACCEPTABLE', { pointer: '/data/type' })
      const { status, headers, body } = await post('tags')
      expect(status).to.equal(201)
      expect(headers.get('location')).to.equal(`${writer.url}/labels-of-books/${newTag}`)
      expect(body.data.links.self).to.equal(headers.get('location'))
    })
  })

  describe('document structure', () => {
    const invalid = 'REQUEST_BODY_INVALID_JSON_API'
    const cases: readonly (readonly [fault: string, body: unknown, code: string, source: Source | null])[] = [
      ['an empty body', '', 'REQUEST_BODY_INVALID_JSON', null],
      ['a body of spaces', ' \n', 'REQUEST_BODY_INVALID_JSON', null],
      ['text that is not JSON', '{"data":', 'REQUEST_BODY_INVALID_JSON', null],
      ['a list as root', '[]', invalid, { pointer: '' }],
      ['a string as root', '"data"', invalid, { pointer: '' }],
      ['null as root', 'null', invalid, { pointer: '' }],
      ['none of data, errors and meta', {}, 'REQUIRED_TOP_LEVEL_MEMBERS_MISSING', null],
      ['only links and jsonapi', { links: {}, jsonapi: {} }, 'REQUIRED_TOP_LEVEL_MEMBERS_MISSING', null],
      ['data beside errors', { data: { type: 'albums' }, errors: [] }, 'TOP_LEVEL_MEMBERS_INCOMPATIBLE', null],
      ['included without data', { meta: {}, included: [] }, 'TOP_LEVEL_MEMBER_NOT_ALLOWED', null],
      ['meta without data', { meta: {} }, 'DATA_MEMBER_MISSING', { pointer: '' }],
      ['errors without data', { errors: [] }, 'DATA_MEMBER_MISSING', { pointer: '' }],
      ['null as data', { data: null }, 'DATA_MEMBER_MISSING', { pointer: '/data' }],
      ['a list as data', { data: [{ type: 'albums' }] }, 'DATA_MEMBER_MISSING', { pointer: '/data' }],
      ['a string as data', { data: 'albums' }, 'DATA_MEMBER_MISSING', { pointer: '/data' }],
      ['no type', { data: {} }, 'RESOURCE_TYPE_MISSING', { pointer: '/data' }],
      ['an empty type', { data: { type: '' } }, 'RESOURCE_TYPE_MISSING', { pointer: '/data' }],
      ['a type that is a number', { data: { type: 1 } }, 'RESOURCE_TYPE_MISSING', { pointer: '/data/type' }],
      ['a type that is null', { data: { type: null } }, 'RESOURCE_TYPE_MISSING', { pointer: '/data/type' }],
      ['an id that is a number', { data: { type: 'albums', id: 1 } }, 'RESOURCE_ID_INVALID', { pointer: '/data/id' }],
      ['an id that is null', { data: { type: 'albums', id: null } }, 'RESOURCE_ID_INVALID', { pointer: '/data/id' }],
      [
        'a lid that is a number',
        { data: { type: 'albums', lid: 5 } },
        'RESOURCE_IDENTIFIER_LID_INVALID',
        { pointer: '/data/lid' },
      ],
      ['a list as attributes', { data: { type: 'albums', attributes: [] } }, invalid, { pointer: '/data/attributes' }],
      ['null as attributes', { data: { type: 'albums', attributes: null } }, invalid, { pointer: '/data/attributes' }],
      [
        'a list as relationships',
        { data: { type: 'albums', relationships: [] } },
        invalid,
        { pointer: '/data/relationships' },
      ],
    ]
    for (const [fault, body, code, source] of cases) {
      it(`CRE-01 returns 400 for ${fault}`, async () => {
        expectError(await client.post('/albums', body), 400, code, source)
      })
    }

    const inArtist = (path: string) => ({ pointer: `/data/relationships/artist${path}` })
    const relationships: readonly (readonly [fault: string, artist: unknown, code: string, source: Source])[] = [
      ['null as relationship', null, invalid, inArtist('')],
      ['a list as relationship', [], invalid, inArtist('')],
      ['a relationship without data', { meta: {} }, invalid, inArtist('')],
      ['a list as linkage of a to-one', { data: [] }, 'RELATIONSHIP_TYPE_INAPPROPRIATE', inArtist('/data')],
      ['an identifier without type', { data: { id: '1' } }, 'RESOURCE_IDENTIFIER_TYPE_MISSING', inArtist('/data')],
      [
        'an identifier whose type is a number',
        { data: { type: 1, id: '1' } },
        'RESOURCE_IDENTIFIER_TYPE_INVALID',
        inArtist('/data/type'),
      ],
      [
        'an identifier whose type is empty',
        { data: { type: '', id: '1' } },
        'RESOURCE_IDENTIFIER_TYPE_INVALID',
        inArtist('/data/type'),
      ],
      ['an identifier without id', { data: { type: 'artists' } }, 'RESOURCE_IDENTIFIER_ID_MISSING', inArtist('/data')],
      [
        'an identifier whose id is a number',
        { data: { type: 'artists', id: 1 } },
        'RESOURCE_IDENTIFIER_ID_INVALID',
        inArtist('/data/id'),
      ],
      [
        'an identifier whose id is empty',
        { data: { type: 'artists', id: '' } },
        'RESOURCE_IDENTIFIER_ID_INVALID',
        inArtist('/data/id'),
      ],
      [
        'an identifier whose lid is a number',
        { data: { type: 'artists', lid: 1 } },
        'RESOURCE_IDENTIFIER_LID_INVALID',
        inArtist('/data/lid'),
      ],
      [
        'a lid outside a batch',
        { data: { type: 'artists', lid: 'a' } },
        'LOCAL_ID_NOT_SUPPORTED',
        inArtist('/data/lid'),
      ],
      ['text as linkage', { data: 'artists' }, invalid, inArtist('/data')],
    ]
    for (const [fault, artist, code, source] of relationships) {
      it(`CRE-02 returns 400 for ${fault}`, async () => {
        expectError(await withArtist(artist), 400, code, source)
      })
    }

    for (const linkage of [null, { type: 'tracks', id: '1' }, 'tracks']) {
      it(`CRE-02 returns 400 for ${JSON.stringify(linkage)} as linkage of a to-many relationship`, async () => {
        const response = await create({ attributes: { title: 'x' }, relationships: { tracks: { data: linkage } } })
        const pointer = '/data/relationships/tracks/data'
        expectError(response, 400, 'RELATIONSHIP_TYPE_INAPPROPRIATE', { pointer })
      })
    }

    it('CRE-02 returns 400 with an error for each invalid identifier in the linkage of a to-many relationship', async () => {
      const data = [{ type: 'tracks', id: '1' }, { id: '1' }, { type: 'tracks', id: 3 }, { type: 'tracks', lid: 'a' }]
      const response = await create({ relationships: { tracks: { data } } })
      const at = (path: string) => ({ pointer: `/data/relationships/tracks/data/${path}` })
      expect(response.status).to.equal(400)
      expect(readFaults(response)).to.deep.equal([
        { code: 'RESOURCE_IDENTIFIER_TYPE_MISSING', source: at('1') },
        { code: 'RESOURCE_IDENTIFIER_ID_INVALID', source: at('2/id') },
        { code: 'LOCAL_ID_NOT_SUPPORTED', source: at('3/lid') },
      ])
    })

    it('CRE-02 ignores unknown relationships', async () => {
      const response = await create({ attributes: { title: 'x' }, relationships: { nope: 1, constructor: null } })
      expect(response.status).to.equal(201)
    })

    it('CRE-02 accepts null as linkage of a to-one relationship', async () => {
      const { status, body } = await withArtist({ data: null })
      expect(status).to.equal(201)
      expect(body.data.relationships.artist.data).to.equal(null)
    })

    it('CRE-01 returns all structural faults in one response', async () => {
      const response = await client.post('/albums', {
        data: { id: 1, attributes: [], relationships: { artist: null } },
      })
      expect(response.status).to.equal(400)
      expect(readFaults(response)).to.have.deep.members([
        { code: 'RESOURCE_TYPE_MISSING', source: { pointer: '/data' } },
        { code: 'RESOURCE_ID_INVALID', source: { pointer: '/data/id' } },
        { code: invalid, source: { pointer: '/data/attributes' } },
        { code: invalid, source: { pointer: '/data/relationships/artist' } },
      ])
    })

    it('CRE-01 checks the structure before the type, and the type before the id', async () => {
      const broken = { data: { type: 'nope', attributes: [] } }
      expectError(await client.post('/albums', broken), 400, invalid, { pointer: '/data/attributes' })
      const wrong = { data: { type: 'nope', id: '1' } }
      expectError(await client.post('/albums', wrong), 409, 'RESOURCE_TYPE_UNACCEPTABLE', { pointer: '/data/type' })
    })
  })

  describe('attribute values', () => {
    const at = (path: string) => ({ pointer: `/data${path}` })
    const values: readonly (readonly [fault: string, attributes: object | undefined, pointer: string])[] = [
      ['no attributes at all', undefined, ''],
      ['attributes without a required member', {}, '/attributes'],
      ['an empty value of a required member', { title: '' }, '/attributes/title'],
      ['a blank value of a required member', { title: ' \t' }, '/attributes/title'],
      ['null for a member that is not nullable', { title: null }, '/attributes/title'],
      ['a number for text', { title: 1 }, '/attributes/title'],
      ['text longer than allowed', { title: 'x'.repeat(201) }, '/attributes/title'],
      ['text for a boolean', { title: 'x', explicit: 'true' }, '/attributes/explicit'],
      ['a value outside the enumeration', { title: 'x', status: 'lost' }, '/attributes/status'],
      ['a day that is not in the calendar', { title: 'x', availableFrom: '2026-02-30' }, '/attributes/availableFrom'],
      ['a time that cannot be parsed', { title: 'x', releasedAt: 'yesterday' }, '/attributes/releasedAt'],
      ['a number for a date', { title: 'x', availableUntil: 20260101 }, '/attributes/availableUntil'],
      ['a list for a map', { title: 'x', releaseInfo: [] }, '/attributes/releaseInfo'],
      ['a number inside a map', { title: 'x', releaseInfo: { label: 1 } }, '/attributes/releaseInfo/label'],
    ]
    for (const [fault, attributes, pointer] of values) {
      it(`ERR-10 returns 422 at /data${pointer} for ${fault}`, async () => {
        expectError(await create(attributes ? { attributes } : {}), 422, 'VALIDATION_FAILED', at(pointer))
      })
    }

    it('ERR-01 returns all violations in one response', async () => {
      const attributes = { title: '', explicit: 1, status: 'lost', releaseInfo: { label: 2 } }
      const response = await create({ attributes })
      expect(response.status).to.equal(422)
      expect(readFaults(response).map(({ source }) => source)).to.have.deep.members([
        at('/attributes/title'),
        at('/attributes/explicit'),
        at('/attributes/status'),
        at('/attributes/releaseInfo/label'),
      ])
    })

    it('CRE-10 validates values before it loads related resources', async () => {
      const relationships = { artist: { data: { type: 'artists', id: '4711' } } }
      const response = await create({ attributes: { title: '' }, relationships })
      expectError(response, 422, 'VALIDATION_FAILED', at('/attributes/title'))
    })

    it('CRE-12 checks the types of linkage before values', async () => {
      const relationships = { artist: { data: { type: 'tracks', id: '1' } } }
      const response = await create({ attributes: { title: '' }, relationships })
      expectError(response, 409, 'RESOURCE_TYPE_UNACCEPTABLE', at('/relationships/artist/data/type'))
    })
  })
})
