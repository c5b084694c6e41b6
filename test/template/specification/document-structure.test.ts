import { expect } from 'chai'
import { defineResource, type Resource } from '#kernel'
import { buildApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { Shelf, Tag } from '#test/template/support/library/entities.ts'
import { libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { declared, inLibrary, libraryWith } from './library-app.ts'
import { fillLibrary, redTag } from './library-rows.ts'
import { atomicMediaType, cursorUri, expectError, printIdentifiers, readIds } from './support.ts'

// https://jsonapi.org/format/1.1/#document-structure
// The test client also checks every document of these tests against the rules of the specification.

describe('Document structure', () => {
  let client: Client
  let library: TestApp

  before(async () => {
    client = (await catalogue()).client
    await fillLibrary()
    library = await startLibrary()
  })

  after(() => library.close())

  describe('top level', () => {
    it('DOC-01 returns 400 when the root of a document is not an object', async () => {
      for (const body of ['[]', '"x"', '1', 'null', 'true']) {
        expectError(await client.post('/artists', body), 400, 'REQUEST_BODY_INVALID_JSON_API', { pointer: '' })
      }
    })

    it('DOC-02 returns 400 when a document has none of data, errors and meta', async () => {
      expectError(await client.post('/artists', {}), 400, 'REQUIRED_TOP_LEVEL_MEMBERS_MISSING')
    })

    it('DOC-03 returns errors without data, and returns 400 for a document that has both', async () => {
      const { body } = await client.get('/artists/nope')
      expect(body).to.have.all.keys('errors', 'jsonapi')
      const both = { data: { type: 'artists' }, errors: [] }
      expectError(await client.post('/artists', both), 400, 'TOP_LEVEL_MEMBERS_INCOMPATIBLE')
    })

    it('DOC-04 returns 400 for included without data', async () => {
      const response = await client.post('/artists', { meta: {}, included: [] })
      expectError(response, 400, 'TOP_LEVEL_MEMBER_NOT_ALLOWED')
    })

    it('DOC-05 returns only members of the specification in every kind of document', async () => {
      const paths = ['/albums', '/albums/1', '/albums/1/tracks', '/albums/1/artist', '/albums/1/relationships/tracks']
      for (const path of paths) {
        const { body } = await client.get(path)
        const members = ['data', 'included', 'links', 'meta', 'jsonapi']
        for (const member of Object.keys(body)) expect(members, path).to.include(member)
      }
    })

    it('DOC-06 ignores unknown members', async () => {
      const { status, body } = await client.post('/artists', {
        foo: 1,
        data: { type: 'artists', foo: 2, attributes: { name: 'Air', foo: 3 }, relationships: { foo: { data: 4 } } },
      })
      expect(status).to.equal(201)
      const stored = await client.get(`/artists/${body.data.id}`)
      expect(stored.text).not.to.contain('foo')
    })

    it('DOC-07 DOC-08 returns a self link as a string in every document', async () => {
      for (const path of ['/albums', '/albums/1', '/albums/1/artist', '/albums/1/relationships/artist']) {
        expect((await client.get(path)).body.links.self, path).to.be.a('string')
      }
      expect((await library.client.get('/books')).body.links.self).to.equal(`${library.client.url}/books`)
    })

    it('DOC-09 repeats the query string as it was sent in the self link', async () => {
      const path = '/albums/1?include=artist&fields[albums]=title%2Cartist'
      expect((await client.get(path)).body.links.self).to.equal(client.url + path)
    })

    it('DOC-10 returns a related link with linkage', async () => {
      const { body } = await client.get('/albums/1/relationships/artist')
      expect(body.links.related).to.equal(`${client.url}/albums/1/artist`)
    })

    it('DOC-11 returns a single resource as an object, an identifier or null', async () => {
      expect((await client.get('/albums/1')).body.data).to.be.an('object')
      expect((await client.get('/albums/1/relationships/artist')).body.data).to.have.all.keys('type', 'id')
      expect((await library.client.get('/books/4/shelf')).body.data).to.equal(null)
    })

    it('DOC-12 returns a collection as an array, also with one item and with none', async () => {
      expect((await client.get('/albums?page[size]=1')).body.data)
        .to.be.an('array')
        .with.length(1)
      expect((await client.get('/albums?page[number]=9')).body.data).to.deep.equal([])
    })
  })

  describe('resource objects', () => {
    it('DOC-13 DOC-14 returns type and id as strings in every resource', async () => {
      const { body } = await client.get('/albums?include=artist,tracks')
      for (const resource of [...body.data, ...body.included]) {
        expect(resource.type).to.be.a('string')
        expect(resource.id).to.be.a('string')
      }
    })

    it('DOC-14 returns 400 when a type, an id or the id of an identifier is not a string', async () => {
      const post = (data: object) => client.post('/albums', { data })
      expectError(await post({ type: 1 }), 400, 'RESOURCE_TYPE_MISSING', { pointer: '/data/type' })
      expectError(await post({ type: 'albums', id: 5 }), 400, 'RESOURCE_ID_INVALID', { pointer: '/data/id' })
      const relationships = { artist: { data: { type: 'artists', id: 5 } } }
      const pointer = '/data/relationships/artist/data/id'
      expectError(await post({ type: 'albums', relationships }), 400, 'RESOURCE_IDENTIFIER_ID_INVALID', { pointer })
    })

    it('DOC-15 creates a resource without an id and ignores its lid outside a batch', async () => {
      const data = { type: 'artists', lid: 'a', attributes: { name: 'Air' } }
      const { status, body } = await client.post('/artists', { data })
      expect(status).to.equal(201)
      expect(body.data).not.to.have.property('lid')
    })

    it('DOC-16 resolves a lid to the same resource throughout a batch', async () => {
      const operations = [
        { op: 'add', data: { type: 'artists', lid: 'a', attributes: { name: 'Air' } } },
        ...['Moon Safari', 'Talkie Walkie'].map((title) => ({
          op: 'add',
          data: {
            type: 'albums',
            attributes: { title },
            relationships: { artist: { data: { type: 'artists', lid: 'a' } } },
          },
        })),
      ]
      const headers = { 'content-type': atomicMediaType, accept: atomicMediaType }
      const { body } = await client.post('/operations', { 'atomic:operations': operations }, headers)
      const [artist, ...albums] = body['atomic:results'].map((result: { data: object }) => result.data)
      for (const album of albums) {
        expect(album.relationships.artist.data).to.deep.equal({ type: 'artists', id: artist.id })
      }
    })

    for (const type of ['foo/bar', '_x', 'x-', '', 'a.b', 'a b c ']) {
      it(`DOC-17 throws at boot when a type is named '${type}'`, async () => {
        expect(await bootFaults(tagsLike({ type }))).to.contain(`'${type}' is not a legal type name`)
      })
    }

    it('DOC-17 throws at boot when two resources share a type', async () => {
      const faults = await bootFaults(tagsLike({ type: 'tags' }), tagsLike({ type: 'tags' }))
      expect(faults).to.contain("The type 'tags' is also declared in")
    })

    it('DOC-18 omits empty attributes and relationships', async () => {
      const { body } = await client.get('/artists/1?fields[artists]=')
      expect(body.data).to.have.all.keys('type', 'id', 'links')
    })

    for (const name of ['id', 'type', 'lid']) {
      it(`DOC-19 throws at boot when a field is named '${name}'`, async () => {
        const resource = defineResource(Tag, {
          type: 'tags',
          fields: ({ id, string }) => [id(), string(name).computed()],
        })
        expect(await bootFaults(resource)).to.contain(`A field cannot be called '${name}'`)
      })
    }

    it('DOC-19 throws at boot when an attribute and a relation share a name', async () => {
      const resource = defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string, hasMany }) => [
          id(),
          string('books').computed(),
          hasMany('books', 'shelves').storedAs('books'),
        ],
      })
      expect(await bootFaults(resource)).to.contain('shelves.books')
      expect(await bootFaults(resource)).to.contain('share one namespace')
    })

    it('DOC-20 returns 400 when attributes, relationships or a relationship is not an object', async () => {
      const post = (data: object) => client.post('/albums', { data: { type: 'albums', ...data } })
      const code = 'REQUEST_BODY_INVALID_JSON_API'
      expectError(await post({ attributes: [] }), 400, code, { pointer: '/data/attributes' })
      expectError(await post({ relationships: [] }), 400, code, { pointer: '/data/relationships' })
      const pointer = '/data/relationships/artist'
      expectError(await post({ relationships: { artist: null } }), 400, code, { pointer })
    })

    it('DOC-21 returns no foreign keys among the attributes', async () => {
      const { body } = await client.get('/albums/1')
      expect(body.data.attributes).not.to.have.any.keys('artist', 'artistId', 'artist_id')
    })
  })

  describe('relationships', () => {
    it('DOC-22 returns links for every relationship, and data where it is loaded', async () => {
      const { body } = await client.get('/albums/1?include=')
      const { artist, tracks } = body.data.relationships
      expect(artist).to.have.all.keys('links', 'data')
      expect(tracks).to.have.all.keys('links')
      for (const { links } of [artist, tracks]) expect(links).to.have.all.keys('self', 'related')
    })

    it('DOC-22 omits a relationship without links and data', async () => {
      const shelves = defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string, hasMany, hasOne }) => [
          id(),
          string('name'),
          hasMany('books', 'books').withoutRelatedEndpoint().withoutRelationshipEndpoint(),
          hasOne('label', 'labels').withoutRelatedEndpoint(),
        ],
      })
      await inLibrary({ resources: libraryWith(shelves) }, async ({ client: reader }) => {
        const { body } = await reader.get('/shelves/1')
        expect(body.data.relationships).to.deep.equal({
          label: { links: { self: `${reader.url}/shelves/1/relationships/label` } },
        })
        const included = await reader.get('/shelves/1?include=books')
        expect(included.body.data.relationships.books).to.have.all.keys('data')
      })
    })

    it('DOC-23 returns page links to identifiers for the linkage of an included collection', async () => {
      const { body } = await library.client.get('/shelves/1?include=books')
      const { data, links } = body.data.relationships.books
      expect(data).to.have.length(2)
      const next = await library.client.get(links.next)
      expect(next.status).to.equal(200)
      expect(next.body.data).to.have.length(1)
      expect(next.body.data[0]).to.have.all.keys('type', 'id')
      expect(readIds(data)).not.to.include(next.body.data[0].id)
    })

    it('DOC-24 returns a valid, constant related link when the relationship is empty', async () => {
      const { body } = await client.post('/albums', { data: { type: 'albums', attributes: { title: 'Untitled' } } })
      const { related, self } = body.data.relationships.artist.links
      expect((await client.get(related)).body.data).to.equal(null)
      await client.patch(self, { data: { type: 'artists', id: '1' } })
      const later = await client.get(`/albums/${body.data.id}`)
      expect(later.body.data.relationships.artist.links.related).to.equal(related)
      expect((await client.get(related)).body.data.id).to.equal('1')
    })

    it('DOC-25 returns linkage as an identifier, null, a list or an empty list', async () => {
      const shelves = await library.client.get('/shelves?include=label,allBooks&sort=name')
      const [fiction, poetry] = shelves.body.data
      expect(fiction.relationships.label.data).to.deep.equal({ type: 'labels', id: '1' })
      expect(poetry.relationships.label.data).to.equal(null)
      expect(readIds(fiction.relationships.allBooks.data)).to.deep.equal(['1', '2', '3'])
      expect(poetry.relationships.allBooks.data).to.deep.equal([])
    })

    it('DOC-25 returns linkage without include when the relation declares it', async () => {
      const { body } = await library.client.get(`/tags/${redTag}`)
      expect(body.data.relationships.books.data).to.deep.equal([{ type: 'books', id: '1' }])
    })

    it('DOC-26 returns a self link that leads to the resource', async () => {
      const { body } = await client.get('/albums?include=artist,tracks')
      for (const resource of [...body.data, ...body.included]) {
        const { data } = (await client.get(resource.links.self)).body
        expect([data.type, data.id]).to.deep.equal([resource.type, resource.id])
      }
    })

    it('DOC-27 returns 400 for an identifier without a type, and returns identifiers with type and id', async () => {
      const response = await client.patch('/albums/1/relationships/artist', { data: { id: '1' } })
      expectError(response, 400, 'RESOURCE_IDENTIFIER_TYPE_MISSING', { pointer: '/data' })
      const { body } = await client.get('/albums/1/relationships/tracks')
      for (const identifier of body.data) expect(identifier).to.have.all.keys('type', 'id', 'meta')
    })
  })

  describe('compound documents', () => {
    it('DOC-28 returns all included resources in one list', async () => {
      const { body } = await client.get('/albums/1?include=artist,tracks')
      expect(printIdentifiers(body.included)).to.have.members(['artists 1', 'tracks 1', 'tracks 2', 'tracks 3'])
    })

    it('DOC-29 links every resource that is included by default', async () => {
      const { body } = await client.get('/albums')
      const linked = body.data.map((album: LinkedAlbum) => album.relationships.artist.data)
      expect(printIdentifiers(linked)).to.deep.equal(printIdentifiers(body.included))
    })

    it('DOC-30 keeps included resources when a fieldset removes their linkage', async () => {
      const { body } = await client.get('/albums/1?include=artist&fields[albums]=title')
      expect(body.data).not.to.have.property('relationships')
      expect(printIdentifiers(body.included)).to.deep.equal(['artists 1'])
    })

    it('DOC-31 returns each resource once, in data or in included', async () => {
      const { body } = await client.get('/albums?include=artist.albums.artist,tracks.album')
      expect(printIdentifiers(body.included)).to.have.members([
        'artists 1',
        'artists 2',
        'tracks 1',
        'tracks 2',
        'tracks 3',
        'tracks 4',
      ])
    })

    it('DOC-32 DOC-33 returns meta and links as objects, and links as absolute URLs', async () => {
      const { body } = await client.get('/tracks')
      expect(body.meta).to.be.an('object')
      expect(body.data[0].meta).to.deep.equal({ served_by: 'music-catalog' })
      for (const link of Object.values(body.links)) expect(URL.canParse(link as string)).to.equal(true)
    })

    it('DOC-32 repeats the meta of a resource on its identifiers', async () => {
      const { body } = await client.get('/albums/2/relationships/tracks')
      expect(body.data).to.deep.equal([{ type: 'tracks', id: '4', meta: { served_by: 'music-catalog' } }])
    })

    it('DOC-35 returns the version of the specification in every document, errors included', async () => {
      for (const path of ['/albums', '/albums/1/relationships/artist', '/albums/nope', '/albums?nope=1']) {
        expect((await client.get(path)).body.jsonapi, path).to.deep.equal({ version: '1.1' })
      }
    })

    it('DOC-36 lists the same profiles in jsonapi and in Content-Type', async () => {
      const { body, headers } = await library.client.get('/books')
      expect(body.jsonapi).to.deep.equal({ version: '1.1', profile: [cursorUri] })
      expect(headers.get('content-type')).to.contain(`profile="${cursorUri}"`)
    })
  })

  describe('member names', () => {
    it('MEM-01 compares member names case-sensitively', async () => {
      const response = await client.get('/albums?fields[albums]=Title')
      expectError(response, 400, 'FIELDSET_MEMBER_UNRECOGNIZED', { parameter: 'fields[albums]' })
    })

    for (const name of ['', '_a', 'a_', '-a', 'a-', ' a', 'a ']) {
      it(`MEM-02 throws at boot when a member is named '${name}'`, async () => {
        expect(await bootFaults(withMember(name))).to.contain(`'${name}' is not a legal member name`)
      })
    }

    it('MEM-02 accepts letters, digits and non-ASCII characters anywhere, and hyphen, underscore and space inside', async () => {
      const names = ['a', '0', 'aB9', 'a-b', 'a_b', 'a b', 'größe', '曲名', '🎵']
      const tags = defineResource(Tag, {
        type: 'tags',
        fields: ({ id, string }) => [id(), ...names.map((name) => string(name).computedUsing(() => name))],
      })
      await inLibrary({ resources: declared(tags) }, async ({ client: reader }) => {
        const { body } = await reader.get(`/tags/${redTag}`)
        expect(Object.keys(body.data.attributes)).to.have.members(names)
        const sparse = await reader.get(`/tags/${redTag}?fields[tags]=${encodeURIComponent('🎵,a b')}`)
        expect(sparse.body.data.attributes).to.deep.equal({ '🎵': '🎵', 'a b': 'a b' })
      })
    })

    it('MEM-03 throws at boot when a member name contains a reserved character', async () => {
      const reserved = [...'+,.[]!"#$%&\'()*/:;<=>?@\\^`{|}~', '\x7f', '\0', '\n']
      const tags = defineResource(Tag, {
        type: 'tags',
        fields: ({ id, string }) => [id(), ...reserved.map((character) => string(`a${character}b`).computed())],
      })
      const faults = await bootFaults(tags)
      for (const character of reserved) expect(faults).to.contain(`'a${character}b' is not a legal member name`)
    })

    it('MEM-05 ignores members that begin with @', async () => {
      const data = { type: 'artists', '@a': 1, attributes: { '@x': 1, name: 'Air' }, relationships: { '@r': 1 } }
      const { status, body } = await client.post('/artists', { '@context': {}, data })
      expect(status).to.equal(201)
      expect((await client.get(`/artists/${body.data.id}`)).text).not.to.contain('@')
    })
  })
})

interface LinkedAlbum {
  readonly relationships: { readonly artist: { readonly data: { readonly type: string; readonly id: string } } }
}

/** Returns the message of the error that the declarations cause at boot. */
async function bootFaults(...resources: readonly Resource[]): Promise<string> {
  const database = await libraryDatabase()
  try {
    await buildApp({ database, resources: declared(...resources) })
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('The application was built.')
}

function tagsLike({ type }: { readonly type: string }): Resource {
  return defineResource(Tag, { type, uriType: 'tags', fields: ({ id, string }) => [id(), string('name')] })
}

function withMember(name: string): Resource {
  return defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string(name).computed()] })
}
