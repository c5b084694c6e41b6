import { expect } from 'chai'
import type { Builders } from '#app/kernel/schema/builders.ts'
import { defineResource, type Resource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { Book, Label, Shelf } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { inLibrary, libraryWith } from '../library-app.ts'
import { fillLibrary } from '../library-rows.ts'
import { expectError, printIdentifiers, readFaults, readIds } from '../support.ts'

// https://jsonapi.org/format/1.1/#fetching-includes

const byInclude = { parameter: 'include' }
const album = { type: 'albums', attributes: { title: 'Kid A' } }
const ofArtist = (id: string) => ({ artist: { data: { type: 'artists', id } } })

describe('Inclusion', () => {
  let client: Client
  let library: TestApp

  before(async () => {
    client = (await catalogue()).client
    await fillLibrary()
    library = await startLibrary()
  })

  after(() => library.close())

  describe('default includes', () => {
    it('INC-01 includes the default includes of the type when include is absent', async () => {
      expect(printIdentifiers((await client.get('/albums')).body.included)).to.deep.equal(['artists 1', 'artists 2'])
      expect(printIdentifiers((await client.get('/albums/2')).body.included)).to.deep.equal(['artists 2'])
    })

    it('INC-01 returns no included member when the type has no default includes', async () => {
      expect((await client.get('/artists')).body).not.to.have.property('included')
    })

    it('INC-01 returns no included member when the default includes are empty', async () => {
      const { body } = await client.post('/albums', { data: album })
      expect(body.data.relationships.artist.data).to.equal(null)
      expect(body).not.to.have.property('included')
    })

    it('INC-01 applies the default includes of the related type at a related endpoint', async () => {
      expect(printIdentifiers((await client.get('/artists/1/albums')).body.included)).to.deep.equal(['artists 1'])
      expect(printIdentifiers((await client.get('/tracks/4/album')).body.included)).to.deep.equal(['artists 2'])
    })

    it('INC-01 applies the default includes to the responses of writes', async () => {
      const created = await client.post('/albums', { data: { ...album, relationships: ofArtist('1') } })
      expect(printIdentifiers(created.body.included)).to.deep.equal(['artists 1'])
      const data = { type: 'albums', id: '2', attributes: { title: 'Dummy!' } }
      expect(printIdentifiers((await client.patch('/albums/2', { data })).body.included)).to.deep.equal(['artists 2'])
    })

    it('INC-01 applies the default includes of included resources too', async () => {
      const resources = libraryWith(books({ defaultIncludes: ['shelf'] }), shelves({ defaultIncludes: ['label'] }))
      await inLibrary({ resources }, async ({ client: reader }) => {
        expect(printIdentifiers((await reader.get('/books/1')).body.included)).to.deep.equal(['shelves 1', 'labels 1'])
      })
    })

    it('INC-01 ends a cycle of default includes', async () => {
      const resources = libraryWith(books({ defaultIncludes: ['shelf'] }), shelves({ defaultIncludes: ['allBooks'] }))
      const servers = { default: {} }
      await inLibrary({ resources, servers }, async ({ client: reader }) => {
        expect(printIdentifiers((await reader.get('/books/1')).body.included)).to.have.members([
          'shelves 1',
          'books 2',
          'books 3',
        ])
      })
    })

    it('INC-01 omits default includes beyond the maximum depth and keeps the linkage', async () => {
      const resources = libraryWith(
        labels({ defaultIncludes: ['shelf'] }),
        shelves({ defaultIncludes: ['allBooks'] }),
        books({ defaultIncludes: ['shelf'] }),
      )
      const servers = { default: { maxIncludeDepth: 1 } }
      await inLibrary({ resources, servers }, async ({ client: reader }) => {
        const { status, body } = await reader.get('/labels/1')
        expect(status).to.equal(200)
        expect(printIdentifiers(body.included)).to.deep.equal(['shelves 1'])
        expect(body.data.relationships.shelf.data).to.deep.equal({ type: 'shelves', id: '1' })
      })
    })

    it('INC-01 calls a defaultIncludes function for each resource', async () => {
      const resources = libraryWith(
        shelves({ defaultIncludes: ({ name }) => (name === 'Fiction' ? ['label'] : ['allBooks']) }),
      )
      await inLibrary({ resources }, async ({ client: reader }) => {
        const { body } = await reader.get('/shelves')
        expect(printIdentifiers(body.included)).to.deep.equal(['labels 1'])
        const [fiction, poetry] = body.data
        expect(fiction.relationships.allBooks).not.to.have.property('data')
        expect(poetry.relationships.allBooks.data).to.deep.equal([])
      })
    })

    it('INC-01 ignores a default include of a relation that cannot be included', async () => {
      const resources = libraryWith(
        books({
          defaultIncludes: ['shelf'],
          fields: ({ id, belongsTo }) => [id(), belongsTo('shelf', 'shelves').cannotBeIncluded()],
        }),
      )
      await inLibrary({ resources }, async ({ client: reader }) => {
        const { body } = await reader.get('/books/1')
        expect(body).not.to.have.property('included')
        expect(body.data.relationships.shelf.data).to.deep.equal({ type: 'shelves', id: '1' })
      })
    })
  })

  describe('include parameter', () => {
    it('INC-03 returns an empty included member when include finds nothing', async () => {
      const { body } = await library.client.get('/books/4?include=shelf')
      expect(body.data.relationships.shelf.data).to.equal(null)
      expect(body.included).to.deep.equal([])
      for (const path of ['/shelves/2/books?include=shelf', '/books/4/shelf?include=label']) {
        expect((await library.client.get(path)).body.included, path).to.deep.equal([])
      }
    })

    it('INC-03 INC-05 includes nothing for an empty value, not even the default includes', async () => {
      for (const path of ['/albums?include=', '/albums/1?include=', '/albums?include=,%20,']) {
        expect((await client.get(path)).body.included, path).to.deep.equal([])
      }
    })

    it('INC-04 includes only the requested relationships', async () => {
      const { body } = await client.get('/albums/1?include=tracks')
      expect(new Set(body.included.map(({ type }: { type: string }) => type))).to.deep.equal(new Set(['tracks']))
    })

    it('INC-05 accepts a comma-separated list of paths and trims spaces', async () => {
      const { body } = await client.get('/albums/1?include=artist,%20tracks%20,,')
      expect(printIdentifiers(body.included)).to.have.members(['artists 1', 'tracks 1', 'tracks 2', 'tracks 3'])
    })

    it('INC-05 includes all related resources when their endpoint uses page numbers', async () => {
      const { body } = await client.get('/albums/1?include=tracks')
      expect(readIds(body.data.relationships.tracks.data)).to.deep.equal(['1', '2', '3'])
      expect(readIds(body.included)).to.deep.equal(['1', '2', '3'])
    })

    it('INC-05 includes the first page when the collection uses cursors', async () => {
      const { body } = await library.client.get('/shelves/1?include=books')
      const { data, links } = body.data.relationships.books
      expect(readIds(data)).to.deep.equal(readIds(body.included))
      expect(data).to.have.length(2)
      expect(links.next).to.contain('page%5Bafter%5D=')
      expect(links).not.to.have.any.keys('prev', 'last')
    })

    it('INC-05 joins the lists of a repeated parameter', async () => {
      const { body } = await client.get('/albums/1?include=tracks&include=artist')
      expect(printIdentifiers(body.included)).to.have.members(['tracks 1', 'tracks 2', 'tracks 3', 'artists 1'])
      const unknown = await client.get('/albums/1?include=nope&include=artist')
      expectError(unknown, 400, 'INCLUSION_UNRECOGNIZED', { parameter: 'include' })
    })

    it('INC-05 treats an include that is not a string as absent', async () => {
      for (const path of ['/albums/1?include[]=tracks', '/albums/1?include[a]=tracks']) {
        expect(printIdentifiers((await client.get(path)).body.included), path).to.deep.equal(['artists 1'])
      }
    })

    it('INC-07 includes the resources along a path', async () => {
      const { body } = await client.get('/tracks/1?include=album.artist')
      expect(printIdentifiers(body.included)).to.have.members(['albums 1', 'artists 1'])
    })

    it('INC-08 resolves paths from the related type at a related endpoint', async () => {
      const { body } = await client.get('/tracks/1/album?include=artist.albums')
      expect(body.data.type).to.equal('albums')
      expect(printIdentifiers(body.included)).to.deep.equal(['artists 1'])
      expectError(await client.get('/tracks/1/album?include=album'), 400, 'INCLUSION_UNRECOGNIZED', byInclude)
    })

    it('INC-09 includes resources in the responses of writes', async () => {
      const data = { ...album, relationships: ofArtist('1') }
      const created = await client.post('/albums?include=artist.albums', { data })
      expect(created.status).to.equal(201)
      expect(printIdentifiers(created.body.included)).to.have.members(['artists 1', 'albums 1'])
      const patch = { data: { type: 'albums', id: '2', relationships: ofArtist('1') } }
      const updated = await client.patch('/albums/2?include=tracks', patch)
      expect(printIdentifiers(updated.body.included)).to.deep.equal(['tracks 4'])
    })

    it('INC-09 omits resources hidden by a scope', async () => {
      const { body } = await client.get('/artists/1?include=albums')
      expect(printIdentifiers(body.included)).to.deep.equal(['albums 1'])
    })
  })

  describe('invalid includes', () => {
    it('INC-06 returns 400 naming an unknown path', async () => {
      for (const path of [
        'nope',
        'artist.nope',
        'title',
        'artist.',
        '.artist',
        'Artist',
        'constructor',
        '__proto__',
        '*',
      ]) {
        const response = await client.get(`/albums?include=${path}`)
        expectError(response, 400, 'INCLUSION_UNRECOGNIZED', byInclude)
        expect(response.body.errors[0].detail).to.contain(path)
      }
    })

    it('INC-06 names all unknown paths in one error', async () => {
      const response = await client.get('/albums?include=nope,artist,artist.nada')
      expectError(response, 400, 'INCLUSION_UNRECOGNIZED', byInclude)
      expect(response.body.errors[0].detail).to.match(/\bnope, artist\.nada\b/)
    })

    it('INC-06 returns 400 when a path is deeper than the server allows', async () => {
      expect((await client.get('/albums?include=artist.albums.artist')).status).to.equal(200)
      const response = await client.get('/albums?include=artist.albums.artist.albums')
      expectError(response, 400, 'INCLUSION_DEPTH_EXCEEDED', byInclude)
      expect(response.body.errors[0].detail).to.contain('artist.albums.artist.albums').and.contain('3')
    })

    it('INC-06 counts the depth from the related type at a related endpoint', async () => {
      expect((await client.get('/tracks/1/album?include=artist.albums.artist')).status).to.equal(200)
    })

    it('INC-06 prefers the maximum depth of a type to that of the server, with 0 as unlimited', async () => {
      const resources = libraryWith(books({ maxIncludeDepth: 1 }), labels({ maxIncludeDepth: 0 }))
      const servers = { default: { maxIncludeDepth: 2 } }
      await inLibrary({ resources, servers }, async ({ client: reader }) => {
        expectError(await reader.get('/books?include=shelf.label'), 400, 'INCLUSION_DEPTH_EXCEEDED', byInclude)
        expectError(await reader.get('/shelves?include=label.shelf.label'), 400, 'INCLUSION_DEPTH_EXCEEDED', byInclude)
        expect((await reader.get('/labels?include=shelf.label.shelf.label')).status).to.equal(200)
      })
    })

    it('INC-06 returns 400 for a relation that cannot be included, at any position of a path', async () => {
      const resources = libraryWith(
        shelves({ fields: ({ id, hasOne }) => [id(), hasOne('label', 'labels').cannotBeIncluded()] }),
      )
      await inLibrary({ resources }, async ({ client: reader }) => {
        for (const path of [
          '/shelves?include=label',
          '/books?include=shelf.label',
          '/books/1/shelf?include=label.shelf',
        ]) {
          expectError(await reader.get(path), 400, 'INCLUSION_NOT_ALLOWED', byInclude)
        }
        expect((await reader.get('/shelves/1/label')).status, 'its endpoint stays').to.equal(200)
      })
    })

    it('INC-06 calls a cannotBeIncluded function with the request', async () => {
      const resources = libraryWith(
        shelves({
          fields: ({ id, hasOne }) => [
            id(),
            hasOne('label', 'labels').cannotBeIncluded((_, { header }) => header('x-guest') === 'yes'),
          ],
        }),
      )
      await inLibrary({ resources }, async ({ client: reader }) => {
        expect((await reader.get('/shelves?include=label')).status).to.equal(200)
        const response = await reader.get('/shelves?include=label', { 'x-guest': 'yes' })
        expectError(response, 400, 'INCLUSION_NOT_ALLOWED', byInclude)
      })
    })

    it('INC-06 returns 400 for paths outside allowedIncludePaths and their prefixes', async () => {
      const resources = libraryWith(
        books({ allowedIncludePaths: ['shelf.label'] }),
        shelves({ allowedIncludePaths: [] }),
      )
      await inLibrary({ resources }, async ({ client: reader }) => {
        for (const path of ['shelf', 'shelf.label']) {
          expect((await reader.get(`/books?include=${path}`)).status, path).to.equal(200)
        }
        for (const path of ['shelf.allBooks', 'shelf.label.shelf']) {
          expectError(await reader.get(`/books?include=${path}`), 400, 'INCLUSION_NOT_ALLOWED', byInclude)
        }
        expectError(await reader.get('/shelves?include=label'), 400, 'INCLUSION_NOT_ALLOWED', byInclude)
        expect((await reader.get('/shelves?include=')).status).to.equal(200)
      })
    })

    it('INC-06 returns 400 for a path through a type that the server does not serve', async () => {
      for (const path of ['artist', 'tracks', 'artist.albums']) {
        expectError(await client.get(`/admin/albums?include=${path}`), 400, 'INCLUSION_NOT_ALLOWED', byInclude)
      }
    })

    it('INC-06 returns one error per kind of fault', async () => {
      const response = await client.get('/admin/albums?include=nope,artist,artist.albums.artist.albums')
      expect(response.status).to.equal(400)
      expect(readFaults(response)).to.have.deep.members([
        { code: 'INCLUSION_UNRECOGNIZED', source: byInclude },
        { code: 'INCLUSION_NOT_ALLOWED', source: byInclude },
        { code: 'INCLUSION_DEPTH_EXCEEDED', source: byInclude },
      ])
    })

    it('INC-06 returns 400 before it writes', async () => {
      expectError(await client.post('/albums?include=nope', { data: album }), 400, 'INCLUSION_UNRECOGNIZED', byInclude)
      expect(readIds((await client.get('/albums')).body.data)).to.deep.equal(['1', '2'])
    })

    it('INC-02 returns 400 when the response has no resources to include from', async () => {
      const linkage = { data: { type: 'artists', id: '1' } }
      for (const value of ['artist', '', 'nope']) {
        const responses = [
          await client.get(`/albums/1/relationships/artist?include=${value}`),
          await client.get(`/albums/1/relationships/tracks?include=${value}`),
          await client.patch(`/albums/1/relationships/artist?include=${value}`, linkage),
          await client.delete(`/tracks/1?include=${value}`),
        ]
        for (const response of responses) expectError(response, 400, 'INCLUSION_UNSUPPORTED', byInclude)
      }
      expect((await client.get('/tracks/1')).status).to.equal(200)
    })
  })
})

// The types of the library with more keys of a declaration.

type Declaration<Entity> = Partial<Parameters<typeof defineResource<Entity & object>>[1]>

function shelves(overrides: Declaration<Shelf>): Resource {
  const fields = ({ id, string, hasMany, hasOne }: Builders<Shelf>) => [
    id(),
    string('name'),
    hasMany('allBooks', 'books').storedAs('books'),
    hasOne('label', 'labels'),
  ]
  return defineResource(Shelf, { type: 'shelves', fields, ...overrides })
}

function books(overrides: Declaration<Book>): Resource {
  const fields = ({ id, string, belongsTo }: Builders<Book>) => [id(), string('title'), belongsTo('shelf', 'shelves')]
  return defineResource(Book, { type: 'books', fields, ...overrides })
}

function labels(overrides: Declaration<Label>): Resource {
  const fields = ({ id, string, belongsTo }: Builders<Label>) => [id(), string('text'), belongsTo('shelf', 'shelves')]
  return defineResource(Label, { type: 'labels', fields, ...overrides })
}
