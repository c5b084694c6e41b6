import { expect } from 'chai'
import { defineResource } from '#kernel'
import { startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { inLibrary, libraryWith } from '../library-app.ts'
import { fillLibrary } from '../library-rows.ts'
import { expectError, printIdentifiers, readFaults } from '../support.ts'

// https://jsonapi.org/format/1.1/#fetching-sparse-fieldsets

const unrecognized = 'FIELDSET_MEMBER_UNRECOGNIZED'
const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, belongsTo }) => [
    id(),
    string('title').notSparseField(),
    integer('position'),
    string('secret').sparseByDefault(),
    belongsTo('shelf', 'shelves').sparseByDefault(),
  ],
})

describe('Sparse fieldsets', () => {
  let client: Client
  let library: TestApp

  before(async () => {
    client = (await catalogue()).client
    await fillLibrary()
    library = await startLibrary()
  })

  after(() => library.close())

  it('SFS-01 restricts the fields of primary data by type', async () => {
    for (const path of ['/albums', '/artists/1/albums', '/albums/1', '/tracks/1/album']) {
      const { body } = await client.get(`${path}?fields[albums]=title,status`)
      for (const album of [body.data].flat()) {
        expect(album.attributes, path).to.have.all.keys('title', 'status')
        expect(album, path).not.to.have.property('relationships')
      }
    }
  })

  it('SFS-01 restricts the fields of included data by type', async () => {
    const { body } = await client.get('/albums/1?include=artist&fields[artists]=slug')
    expect(body.included[0].attributes).to.deep.equal({ slug: 'radiohead' })
    expect(body.data.attributes).to.include.keys('title', 'status', 'explicit')
  })

  it('SFS-01 restricts the fields of several types', async () => {
    const { body } = await client.get('/albums/1?include=artist&fields[artists]=name&fields[albums]=artist')
    expect(body.data).not.to.have.property('attributes')
    expect(body.data.relationships).to.have.all.keys('artist')
    expect(body.included[0]).not.to.have.property('relationships')
  })

  it('SFS-02 accepts attributes and relationships in a comma-separated list and trims spaces', async () => {
    const { body } = await client.get('/albums/1?fields[albums]=%20title%20,,tracks,')
    expect(body.data.attributes).to.have.all.keys('title')
    expect(body.data.relationships).to.have.all.keys('tracks')
  })

  it('SFS-02 returns only type, id, links and meta for an empty value', async () => {
    const { body } = await client.get('/tracks/1?fields[tracks]=')
    expect(body.data).to.have.all.keys('type', 'id', 'links', 'meta')
  })

  it('SFS-02 accepts id as a field', async () => {
    const { status, body } = await client.get('/artists/1?fields[artists]=id,name')
    expect(status).to.equal(200)
    expect(body.data.attributes).to.deep.equal({ name: 'Radiohead' })
  })

  it('SFS-02 joins the lists of a repeated parameter', async () => {
    const { body } = await client.get('/artists/1?fields[artists]=name&fields[artists]=slug')
    expect(body.data.attributes).to.deep.equal({ name: 'Radiohead', slug: 'radiohead' })
    const unknown = await client.get('/artists/1?fields[artists]=nope&fields[artists]=slug')
    expectError(unknown, 400, 'FIELDSET_MEMBER_UNRECOGNIZED', { parameter: 'fields[artists]' })
  })

  it('SFS-03 keeps included resources when the fieldset removes their relationship', async () => {
    const { body } = await client.get('/albums/1?include=tracks&fields[albums]=title')
    expect(body.data).not.to.have.property('relationships')
    expect(printIdentifiers(body.included)).to.deep.equal(['tracks 1', 'tracks 2', 'tracks 3'])
  })

  it('SFS-03 computes a field from properties that are not selected', async () => {
    const { body } = await client.get('/tracks/2?fields[tracks]=displayTitle')
    expect(body.data.attributes).to.deep.equal({ displayTitle: '2. Paranoid Android' })
  })

  it('SFS-03 accepts the name of a hidden field and does not return the field', async () => {
    const { status, body } = await library.client.get('/books/1?fields[books]=title,secret')
    expect(status).to.equal(200)
    expect(body.data.attributes).to.deep.equal({ title: 'Emma' })
  })

  it('SFS-03 returns a field declared as notSparseField with every fieldset', async () => {
    await inLibrary({ resources: libraryWith(books) }, async ({ client: reader }) => {
      const { body } = await reader.get('/books/1?fields[books]=position')
      expect(body.data.attributes).to.deep.equal({ title: 'Emma', position: 3 })
    })
  })

  it('SFS-04 returns fields declared as sparseByDefault only when they are named', async () => {
    await inLibrary({ resources: libraryWith(books) }, async ({ client: reader }) => {
      const { body } = await reader.get('/books/1')
      expect(body.data.attributes).to.deep.equal({ title: 'Emma', position: 3 })
      expect(body.data).not.to.have.property('relationships')
      const named = await reader.get('/books/1?fields[books]=secret,shelf')
      expect(named.body.data.attributes).to.deep.equal({ title: 'Emma', secret: null })
      expect(named.body.data.relationships.shelf.data).to.deep.equal({ type: 'shelves', id: '1' })
    })
  })

  it('SFS-05 restricts the fields in responses to writes', async () => {
    const data = { type: 'artists', attributes: { name: 'Air', bio: 'A duo.' } }
    const created = await client.post('/artists?fields[artists]=name', { data })
    expect(created.status).to.equal(201)
    expect(created.body.data.attributes).to.deep.equal({ name: 'Air' })
    const { id } = created.body.data
    const patch = { data: { type: 'artists', id, attributes: { name: 'Air!' } } }
    const updated = await client.patch(`/artists/${id}?fields[artists]=bio`, patch)
    expect(updated.body.data.attributes).to.deep.equal({ bio: 'A duo.' })
  })

  it('SFS-05 is accepted where it has no effect', async () => {
    expect((await client.get('/albums/1/relationships/artist?fields[albums]=title')).status).to.equal(200)
    expect((await client.delete('/tracks/1?fields[tracks]=title')).status).to.equal(204)
  })

  describe('invalid fieldsets', () => {
    it('SFS-03 returns 400 naming the unknown members', async () => {
      for (const path of ['/albums', '/albums/1', '/artists/1/albums', '/tracks/1?include=album', '/artists']) {
        const response = await client.get(`${path}${path.includes('?') ? '&' : '?'}fields[albums]=title,nope,published`)
        expectError(response, 400, unrecognized, { parameter: 'fields[albums]' })
        expect(response.body.errors[0].detail).to.match(
          /do not have these fields: nope, published\. Available: title, /,
        )
      }
    })

    it('SFS-03 returns one error per type', async () => {
      const response = await client.get('/albums?fields[albums]=a,b&fields[tracks]=c&fields[artists]=name')
      expect(response.status).to.equal(400)
      expect(readFaults(response)).to.deep.equal([
        { code: unrecognized, source: { parameter: 'fields[albums]' } },
        { code: unrecognized, source: { parameter: 'fields[tracks]' } },
      ])
    })

    it('SFS-03 returns 400 before it loads or writes', async () => {
      const response = await client.get('/artists/4711?fields[artists]=nope')
      expectError(response, 400, unrecognized, { parameter: 'fields[artists]' })
      const removal = await client.delete('/tracks/1?fields[tracks]=nope')
      expectError(removal, 400, unrecognized, { parameter: 'fields[tracks]' })
      expect((await client.get('/tracks/1')).status).to.equal(200)
    })

    it('SFS-03 ignores a type that does not exist or that the server does not serve', async () => {
      for (const path of ['/albums?fields[nope]=x', '/admin/albums?fields[artists]=x', '/albums?fields[__proto__]=x']) {
        expect((await client.get(path)).status, path).to.equal(200)
      }
    })

    it('SFS-03 treats a malformed fieldset as absent', async () => {
      for (const query of ['fields=title', 'fields[]=title', 'fields[albums][]=title', 'fields[albums][a]=title']) {
        const { status, body } = await client.get(`/albums/1?${query}`)
        expect(status, query).to.equal(200)
        expect(body.data.attributes, query).to.include.keys('title', 'status')
      }
    })

    it('SFS-03 ignores unknown members without strictQueryParameters', async () => {
      const lenient = await startApp({ config: { strictQueryParameters: false } })
      try {
        const { status, body } = await lenient.client.get('/artists/1?fields[artists]=slug,nope')
        expect(status).to.equal(200)
        expect(body.data.attributes).to.deep.equal({ slug: 'radiohead' })
      } finally {
        await lenient.close()
      }
    })
  })
})
