import { expect } from 'chai'
import { Track } from '#resources/tracks/entity.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { testDatabase } from '#test/support/database.ts'
import {
  type Client,
  type ClientResponse,
  defineFactory,
  expectConstantQueries,
  markDirty,
} from '#test/support/test-kit.ts'
import { Artist } from './entity.ts'

describe('Artists', () => {
  let client: Client
  const create = (attributes: object) => client.post('/artists', { data: { type: 'artists', attributes } })
  const update = (id: string, attributes: object) =>
    client.patch(`/artists/${id}`, { data: { type: 'artists', id, attributes } })

  before(async () => {
    client = (await catalogue()).client
  })

  describe('when they are read', () => {
    it('return name, slug, website, bio and creation date as they are stored', async () => {
      const radiohead = await client.get('/artists/1')
      expect(radiohead.body.data.attributes).to.deep.include({
        name: 'Radiohead',
        slug: 'radiohead',
        website: 'https://radiohead.com',
        createdAt: '2001-05-01T09:00:00+00:00',
      })
      expect(radiohead.body.data.attributes.bio).to.be.a('string').that.is.not.empty
      const portishead = await client.get('/artists/2')
      expect(portishead.body.data.attributes).to.deep.include({
        name: 'Portishead',
        slug: 'portishead',
        website: null,
        bio: null,
        createdAt: '2002-08-15T12:30:00+00:00',
      })
    })

    it('are sorted by id, or by name, slug or creation date if the client asks for it, and return 400 for a sort by bio', async () => {
      expect(readIds(await client.get('/artists'))).to.deep.equal(['1', '2'])
      for (const key of ['name', 'slug', '-createdAt']) {
        expect(readIds(await client.get(`/artists?sort=${key}`)), key).to.deep.equal(['2', '1'])
      }
      expect((await client.get('/artists?sort=bio')).status).to.equal(400)
    })

    it('have links of albums without linkage, and are included at the related URL', async () => {
      const { body } = await client.get('/artists/1')
      expect(body.data.relationships.albums).to.deep.equal({
        links: {
          self: `${client.url}/artists/1/relationships/albums`,
          related: `${client.url}/artists/1/albums`,
        },
      })
      const albums = await client.get('/artists/1/albums')
      expect(readIds(albums)).to.deep.equal(['1'])
      expect(albums.body.included.map(({ type, id }: Resource) => `${type} ${id}`)).to.deep.equal(['artists 1'])
    })

    it('return the number of tracks of all their albums in trackCount, at every URL', async () => {
      expect((await client.get('/artists/1')).body.data.attributes.trackCount).to.equal(3)
      const { body } = await client.get('/artists')
      expect(body.data.map(readTrackCount)).to.deep.equal([3, 1])
      expect((await client.get('/albums')).body.included.map(readTrackCount)).to.deep.equal([3, 1])
      expect((await client.get('/albums/2/artist')).body.data.attributes.trackCount).to.equal(1)
      expect((await create({ name: 'Air' })).body.data.attributes.trackCount).to.equal(0)
    })

    it('are read with their albums and tracks by a number of statements that does not depend on the rows', async () => {
      const artists = defineFactory(Artist, (n) => ({ name: `Artist ${n}`, slug: `artist-${n}` }))
      await expectConstantQueries({ client }, '/artists?include=albums.tracks', () => artists.createMany(3))
    })

    it('leave the tracks of a hidden album out of trackCount', async () => {
      markDirty()
      await (await testDatabase()).orm.em.fork().insert(Track, { title: 'Lift', album: 3 })
      expect((await client.get('/artists/1')).body.data.attributes.trackCount).to.equal(3)
    })

    it('are found by slug as a single resource, and by words of name and bio', async () => {
      expect((await client.get('/artists?filter[slug]=radiohead')).body.data).to.include({ type: 'artists', id: '1' })
      expect((await client.get('/artists?filter[slug]=air')).body.data).to.equal(null)
      expect(readIds(await client.get('/artists?filter[q]=HEAD'))).to.deep.equal(['1', '2'])
      expect(readIds(await client.get('/artists?filter[q]=radio+oxfordshire'))).to.deep.equal(['1'])
      expect(readIds(await client.get('/artists?filter[q]=portis+oxfordshire'))).to.deep.equal([])
    })

    it('return 404 on the admin server', async () => {
      const { status, body } = await client.get('/admin/artists')
      expect(status).to.equal(404)
      expect(body).to.equal(null)
    })
  })

  describe('when they are created', () => {
    const slugs: readonly [name: string, slug: string][] = [
      ['Sigur Rós', 'sigur-ros'],
      ['  Godspeed You! Black Emperor  ', 'godspeed-you-black-emperor'],
      ['AC/DC', 'ac-dc'],
    ]
    for (const [name, slug] of slugs) {
      it(`derive their slug from the name: ${name.trim()} is '${slug}'`, async () => {
        const { status, body } = await create({ name })
        expect(status).to.equal(201)
        expect(body.data.attributes).to.deep.include({ name, slug })
      })
    }

    it('keep the slug that was sent', async () => {
      const { body } = await create({ name: 'Björk', slug: 'bjoerk' })
      expect(body.data.attributes.slug).to.equal('bjoerk')
    })

    it('return a slug of the name, the current time and null for omitted attributes', async () => {
      const before = Date.now()
      const { status, headers, body } = await create({ name: 'Low' })
      expect(status).to.equal(201)
      expect(headers.get('location')).to.equal(`${client.url}/artists/3`)
      expect(body.data.attributes).to.deep.include({ name: 'Low', slug: 'low', website: null, bio: null })
      expect(Date.parse(body.data.attributes.createdAt)).to.be.closeTo(before, 60_000)
      expect((await client.get('/artists/3')).body.data).to.deep.equal(body.data)
    })

    it('return the attributes that were sent', async () => {
      const attributes = {
        name: 'Low',
        slug: 'the-low',
        website: 'https://chairkickers.com/',
        bio: 'From Duluth.',
        createdAt: '1993-01-01T00:00:00+00:00',
      }
      const { body } = await create(attributes)
      expect(body.data.attributes).to.deep.include(attributes)
    })

    it('return 422 with the pointer of the attribute for invalid values', async () => {
      const wrong: readonly [name: string, value: unknown][] = [
        ['name', ''],
        ['name', 'x'.repeat(121)],
        ['slug', null],
        ['website', 'radiohead'],
        ['website', 'ftp://radiohead.com'],
        ['bio', 'x'.repeat(1001)],
        ['createdAt', 'today'],
      ]
      for (const [name, value] of wrong) {
        const { status, body } = await create({ name: 'Low', [name]: value })
        expect(status, `${name} ${value}`).to.equal(422)
        expect(body.errors[0].source).to.deep.equal({ pointer: `/data/attributes/${name}` })
      }
      const nameless = await create({ slug: 'x' })
      expect(nameless.body.errors[0].source).to.deep.equal({ pointer: '/data/attributes' })
    })
  })

  describe('when they are updated', () => {
    it('keep their slug when the name is updated', async () => {
      const { status, body } = await update('1', { name: 'On a Friday' })
      expect(status).to.equal(200)
      expect(body.data.attributes).to.deep.include({ name: 'On a Friday', slug: 'radiohead' })
    })

    it('accept another slug, website and bio, and null for the latter two', async () => {
      const changed = { slug: 'oaf', website: 'http://oaf.example', bio: 'Renamed.' }
      expect((await update('1', changed)).body.data.attributes).to.deep.include(changed)
      const emptied = { website: null, bio: null }
      expect((await update('1', emptied)).body.data.attributes).to.deep.include({ ...emptied, slug: 'oaf' })
    })

    it('keep their creation date when an update has another', async () => {
      for (const createdAt of ['2020-01-01T00:00:00Z', 'nonsense', null]) {
        const { status, body } = await update('1', { createdAt })
        expect(status).to.equal(200)
        expect(body.data.attributes.createdAt).to.equal('2001-05-01T09:00:00+00:00')
      }
    })
  })

  describe('when they are deleted', () => {
    it('return 409 while albums refer to them', async () => {
      const { status, body } = await client.delete('/artists/1')
      expect(status).to.equal(409)
      expect(body.errors[0]).to.include({ code: 'CONFLICT', title: 'Conflict' })
      expect((await client.get('/artists/1')).status).to.equal(200)
    })

    it('are deleted when no row refers to them', async () => {
      const { body } = await create({ name: 'Low' })
      expect((await client.delete(`/artists/${body.data.id}`)).status).to.equal(204)
      expect((await client.get(`/artists/${body.data.id}`)).status).to.equal(404)
    })
  })
})

interface Resource {
  readonly type: string
  readonly id: string
}

function readTrackCount({ attributes }: { readonly attributes: { readonly trackCount: number } }): number {
  return attributes.trackCount
}

function readIds({ status, body }: ClientResponse): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ id }: Resource) => id)
}
