import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type Condition, compare, exists, not, type Relation, type ResourceType } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import { markDirty, startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, type ClientResponse, mediaType } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'

describe('Albums', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  describe('when they are read', () => {
    it('are sorted by release date, latest first, and include their artists', async () => {
      const { body } = await client.get('/albums')
      expect(body.data.map(({ id }: Resource) => id)).to.deep.equal(['1', '2'])
      expect(body.included.map(({ type, id }: Resource) => `${type} ${id}`)).to.deep.equal(['artists 1', 'artists 2'])
    })

    it('return the attributes that clients see as they are stored', async () => {
      const { body } = await client.get('/albums/1')
      expect(body.data.attributes).to.deep.equal({
        title: 'OK Computer',
        averageRating: 9.8,
        artwork: null,
        releasedAt: '1997-05-21T00:00:00+00:00',
        explicit: false,
        status: 'released',
        availableFrom: '1997-05-21',
        availableUntil: '2030-12-31',
        releaseInfo: { label: 'Parlophone', catalogueNumber: 'NODATA 01' },
      })
      const dummy = await client.get('/albums/2')
      expect(dummy.body.data.attributes).to.deep.include({
        title: 'Dummy',
        averageRating: 9.1,
        releasedAt: '1994-08-22T00:00:00+00:00',
        availableFrom: '1994-08-22',
        availableUntil: '2031-01-01',
        releaseInfo: { label: 'Go! Beat', catalogueNumber: 'NODATA 02' },
      })
    })

    it('have links of the artist with linkage, and of tracks without it', async () => {
      const { body } = await client.get('/albums/1')
      expect(body.data.relationships).to.deep.equal({
        artist: {
          links: {
            self: `${client.url}/albums/1/relationships/artist`,
            related: `${client.url}/albums/1/artist`,
          },
          data: { type: 'artists', id: '1' },
        },
        tracks: {
          links: {
            self: `${client.url}/albums/1/relationships/tracks`,
            related: `${client.url}/albums/1/tracks`,
          },
        },
      })
    })

    it('return their tracks in pages of two at the related URL, and all as linkage and include', async () => {
      const related = await client.get('/albums/1/tracks')
      expect(related.body.data).to.have.length(2)
      expect(related.body.meta.page).to.include({ currentPage: 1, perPage: 2 })
      const linkage = await client.get('/albums/1/relationships/tracks')
      expect(linkage.body.data.map(({ id }: Resource) => id)).to.deep.equal(['1', '2', '3'])
      const { body } = await client.get('/albums/1?include=tracks')
      expect(body.included.map(({ type, id }: Resource) => `${type} ${id}`)).to.deep.equal([
        'tracks 1',
        'tracks 2',
        'tracks 3',
      ])
    })

    const filters: readonly [query: string, ids: readonly string[]][] = [
      ['filter[tracks]', ['1', '2']],
      ['filter[artist.name]=Portishead', ['2']],
      ['filter[title]=COMPUTER', ['1']],
      ['filter[title]=%25', []],
      ['filter[rating][min]=9.5', ['1']],
      ['filter[rating][min]=9&filter[rating][max]=9.1', ['2']],
      ['filter[releasedAt][min]=1995-01-01', ['1']],
      ['filter[releasedAt][max]=1994-08-22T00:00:00Z', ['2']],
      ['filter[q]=ok+comp', ['1']],
      ['filter[q]=ok+dummy', []],
      ['filter[title]=m&filter[artist.name]=Radiohead', ['1']],
    ]
    for (const [query, ids] of filters) {
      it(`are limited to ${ids.join(' and ') || 'none'} by ${query}`, async () => {
        const { body } = await client.get(`/albums?${query}`)
        expect(body.data.map(({ id }: Resource) => id)).to.deep.equal(ids)
      })
    }

    it('return related tracks filtered and sorted by duration, and the artist filtered by name', async () => {
      const longer = await client.get('/albums/1/tracks?filter[longerThan]=270&filter[explicit]=&sort=-duration')
      expect(longer.body.data.map(({ id }: Resource) => id)).to.deep.equal(['2', '1'])
      expect((await client.get('/albums/1/tracks?filter[longerThan]=long')).status).to.equal(400)
      expect((await client.get('/tracks?filter[longerThan]=270')).status).to.equal(400)
      expect((await client.get('/albums/1/artist?filter[name]=Portishead')).body.data).to.equal(null)
      expect((await client.get('/albums/1/artist?filter[name]=Radiohead')).body.data).to.include({ id: '1' })
    })

    it('have no attribute published, and return 400 for a fieldset and a sort that name it', async () => {
      const { text } = await client.get('/albums/1')
      expect(text).not.to.include('published')
      expect((await client.get('/albums?fields[albums]=published')).status).to.equal(400)
      expect((await client.get('/albums?sort=published')).status).to.equal(400)
    })

    it('are served by the admin server without artists and tracks', async () => {
      const { status, body } = await client.get('/admin/albums/1')
      expect(status).to.equal(200)
      expect(body).not.to.have.property('included')
      expect(body.data.links.self).to.equal(`${client.url}/admin/albums/1`)
      for (const name of ['artist', 'tracks']) {
        expect(body.data.relationships[name]).to.deep.equal({
          links: { self: `${client.url}/admin/albums/1/relationships/${name}` },
        })
        expect((await client.get(`/admin/albums/1/${name}`)).body.errors[0].code).to.equal('RELATIONSHIP_NOT_EXISTS')
      }
    })
  })

  describe('when they are written', () => {
    const album = (attributes: object, further: object = {}) => ({ data: { type: 'albums', attributes, ...further } })

    it('return defaults for omitted attributes, and a Location', async () => {
      const { status, headers, body } = await client.post('/albums', album({ title: 'Third' }))
      expect(status).to.equal(201)
      expect(headers.get('location')).to.equal(`${client.url}/albums/4`)
      expect(body.data).to.include({ type: 'albums', id: '4' })
      expect(body.data.attributes).to.deep.equal({
        title: 'Third',
        averageRating: null,
        artwork: null,
        releasedAt: null,
        explicit: false,
        status: 'released',
        availableFrom: null,
        availableUntil: null,
        releaseInfo: null,
      })
      expect(body.data.relationships.artist.data).to.equal(null)
      expect((await client.get('/albums/4')).body.data).to.deep.equal(body.data)
    })

    it('return the attributes that were sent, except read-only ones', async () => {
      const attributes = {
        title: 'Kid A',
        releasedAt: '2000-10-02T02:00:00+02:00',
        explicit: true,
        status: 'withdrawn',
        availableFrom: '2000-10-02',
        availableUntil: '2040-01-01',
        releaseInfo: { label: 'Parlophone', catalogueNumber: 'MINE' },
        averageRating: 10,
        artwork: 'https://example.com/a.jpg',
      }
      const relationships = { artist: { data: { type: 'artists', id: '1' } } }
      const { status, body } = await client.post('/albums', album(attributes, { relationships }))
      expect(status).to.equal(201)
      expect(body.data.attributes).to.deep.equal({
        ...attributes,
        releasedAt: '2000-10-02T00:00:00+00:00',
        releaseInfo: { label: 'Parlophone', catalogueNumber: null },
        averageRating: null,
        artwork: null,
      })
      expect(body.data.relationships.artist.data).to.deep.equal({ type: 'artists', id: '1' })
      expect(body.included[0]).to.include({ type: 'artists', id: '1' })
    })

    it('are published when a client sends false for the hidden attribute published', async () => {
      const { body } = await client.post('/albums', album({ title: 'Third', published: false }))
      expect((await client.get(`/albums/${body.data.id}`)).status).to.equal(200)
    })

    it('return the attributes that were sent, and keep the others', async () => {
      const before = (await client.get('/albums/1')).body.data
      const patch = album({ title: 'OKNOTOK', releaseInfo: { label: 'XL' } }, { id: '1' })
      const { status, body } = await client.patch('/albums/1', patch)
      expect(status).to.equal(200)
      expect(body.data.attributes).to.deep.equal({
        ...before.attributes,
        title: 'OKNOTOK',
        releaseInfo: { label: 'XL', catalogueNumber: 'NODATA 01' },
      })
      expect(body.data.relationships).to.deep.equal(before.relationships)
    })

    it('accept another artist or null, in PATCH and at the relationship URL', async () => {
      const relationships = { artist: { data: { type: 'artists', id: '2' } } }
      const moved = await client.patch('/albums/1', { data: { type: 'albums', id: '1', relationships } })
      expect(moved.body.data.relationships.artist.data).to.deep.equal({ type: 'artists', id: '2' })
      const cleared = await client.patch('/albums/1/relationships/artist', { data: null })
      expect(cleared.status).to.equal(200)
      expect(cleared.body.data).to.equal(null)
      expect((await client.get('/albums/1/artist')).body.data).to.equal(null)
    })

    it('return 422 with the pointer of the attribute for invalid values', async () => {
      for (const attributes of [
        { title: '' },
        { title: 'x'.repeat(201) },
        { status: 'lost' },
        { explicit: 'no' },
        { releasedAt: 'once' },
        { releasedAt: '2999-01-01T00:00:00Z' },
        { availableUntil: '1997-05-21' },
      ]) {
        const { status, body } = await client.patch('/albums/1', album(attributes, { id: '1' }))
        expect(status).to.equal(422)
        expect(body.errors[0].source.pointer).to.equal(`/data/attributes/${Object.keys(attributes)[0]}`)
      }
    })

    it('return 409 for DELETE while tracks refer to them', async () => {
      const { status, body } = await client.delete('/albums/1')
      expect(status).to.equal(409)
      expect(body.errors[0]).to.include({ code: 'CONFLICT', title: 'Conflict' })
      expect((await client.get('/albums/1')).status).to.equal(200)
    })

    it('are deleted when no row refers to them', async () => {
      const { body } = await client.post('/albums', album({ title: 'Third' }))
      expect((await client.delete(`/albums/${body.data.id}`)).status).to.equal(204)
      expect((await client.get(`/albums/${body.data.id}`)).status).to.equal(404)
      expect((await client.delete(`/albums/${body.data.id}`)).status).to.equal(404)
    })

    it('return 404 RESOURCE_NOT_FOUND when the id is not a number', async () => {
      for (const id of ['abc', '1.0', '01', '2147483648', '-1', '%00']) {
        const answer = await client.get(`/albums/${id}`)
        expectMissing(answer)
      }
    })
  })

  // The scope of a type excludes a row from every response, whether the policy of the type or a plugin narrows it.
  const reasons: readonly { readonly name: string; readonly hidden: Hidden; readonly plugin: Plugin | null }[] = [
    {
      name: 'that is not published',
      hidden: { id: '3', title: 'Unreleased Sessions', artist: '1' },
      plugin: null,
    },
    {
      name: 'that a plugin leaves out',
      hidden: { id: '2', title: 'Dummy', artist: '2' },
      plugin: {
        name: 'leaving-out',
        planType({ type, scope }) {
          if (type.name === 'albums') scope.push({ of: 'addressed', condition: () => compare('id', '!=', 2) })
        },
      },
    },
  ]

  for (const { name, hidden, plugin } of reasons) {
    describe(`An album ${name}`, () => {
      let app: TestApp
      let track: string
      const { id, title, artist } = hidden
      const identifier = { type: 'albums', id }

      before(async () => {
        app = await startApp({ plugins: [...plugins, filterPaths, ...(plugin ? [plugin] : [])] })
        client = app.client
      })

      beforeEach(async () => {
        track = await insertTrack(id)
      })

      after(async () => {
        await app.close()
        client = (await catalogue()).client
      })

      it('is in no collection', async () => {
        for (const path of [
          '/albums',
          '/albums?sort=title',
          '/albums?page[size]=1',
          '/albums?include=',
          '/admin/albums',
        ]) {
          const { body } = await client.get(path)
          expect(printIdentifiers(body.data), path).not.to.include(`albums ${id}`)
        }
        const beyond = await client.get('/albums?page[size]=1&page[number]=3')
        expect(beyond.body.data).to.deep.equal([])
      })

      it('returns 404 at its URL and below', async () => {
        for (const server of ['', '/admin']) {
          expectMissing(await client.get(`${server}/albums/${id}`))
          expectMissing(await client.get(`${server}/albums/${id}/relationships/artist`))
          expectMissing(await client.get(`${server}/albums/${id}/relationships/tracks`))
        }
        expectMissing(await client.get(`/albums/${id}/artist`))
        expectMissing(await client.get(`/albums/${id}/tracks`))
        expect((await client.send('HEAD', `/albums/${id}`)).status).to.equal(404)
      })

      it('is not a related resource of its artist and its track', async () => {
        const ofArtist = await client.get(`/artists/${artist}/albums`)
        expect(printIdentifiers(ofArtist.body.data)).not.to.include(`albums ${id}`)
        const ofTrack = await client.get(`/tracks/${track}/album`)
        expect(ofTrack.status).to.equal(200)
        expect(ofTrack.body.data).to.equal(null)
      })

      it('is in no linkage, from either side', async () => {
        for (const query of ['', '?sort=title', '?page[size]=5']) {
          const { body } = await client.get(`/artists/${artist}/relationships/albums${query}`)
          expect(printIdentifiers(body.data), query).not.to.include(`albums ${id}`)
        }
        expect((await client.get(`/tracks/${track}/relationships/album`)).body.data).to.equal(null)
        const one = await client.get(`/tracks/${track}`)
        expect(one.body.data.relationships.album.data).to.equal(null)
        const { body } = await client.get('/tracks?sort=title')
        for (const { relationships } of body.data) expect(relationships.album.data?.id).not.to.equal(id)
      })

      it('is not included at any depth, nor are resources behind it', async () => {
        for (const path of [
          `/artists/${artist}?include=albums`,
          `/artists?include=albums.tracks`,
          `/artists?include=albums.tracks.album`,
          `/artists/${artist}/albums?include=tracks`,
        ]) {
          const { status, body } = await client.get(path)
          expect(status, path).to.equal(200)
          expect(printIdentifiers(body.included), path).not.to.include(`albums ${id}`)
          expect(printIdentifiers(body.included), path).not.to.include(`tracks ${track}`)
        }
        for (const include of ['album', 'album.artist', 'album.tracks', 'album.artist.albums']) {
          const { body } = await client.get(`/tracks/${track}?include=${include}`)
          expect(body.included, include).to.deep.equal([])
          expect(body.data.relationships.album.data, include).to.equal(null)
        }
      })

      it('returns 404 for writes', async () => {
        const before = await readRow('albums', id)
        expectMissing(await client.patch(`/albums/${id}`, { data: { ...identifier, attributes: { title: 'Seen' } } }))
        expectMissing(await client.patch(`/albums/${id}/relationships/artist`, { data: null }))
        expectMissing(await client.delete(`/albums/${id}`))
        expect(await readRow('albums', id)).to.deep.equal(before)
      })

      it('returns 404 as a linkage target', async () => {
        const relationships = { album: { data: identifier } }
        const created = { data: { type: 'tracks', attributes: { title: 'Lift' }, relationships } }
        expectMissing(await client.post('/tracks', created), '/data/relationships/album/data')
        const changed = { data: { type: 'tracks', id: '1', relationships } }
        expectMissing(await client.patch('/tracks/1', changed), '/data/relationships/album/data')
        expectMissing(await client.patch('/tracks/1/relationships/album', { data: identifier }), '/data')
        const batch = { 'atomic:operations': [{ op: 'add', data: created.data }] }
        const extended = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`
        const answer = await client.post('/operations', batch, { accept: extended, 'content-type': extended })
        expectMissing(answer, '/atomic:operations/0/data/relationships/album/data')
        expect((await client.get('/tracks/1')).body.data.relationships.album.data.id).to.equal('1')
      })

      it('does not match filters through relations', async () => {
        const found = async (path: string) => printIdentifiers((await client.get(path)).body.data)
        const named = encodeURIComponent(title)
        expect(await found(`/tracks?along=album:${named}`)).to.deep.equal([])
        expect(await found(`/artists?along=albums:${named}`)).to.deep.equal([])
        expect(await found(`/artists?along=albums.tracks:Lift`)).to.deep.equal([])
        expect(await found(`/tracks?notAlong=album:${named}`)).to.include(`tracks ${track}`)
        expect(await found('/tracks?along=album:OK%20Computer')).to.include('tracks 1')
        expect(await found('/artists?along=albums.tracks:Airbag')).to.deep.equal(['artists 1'])
      })

      it('keeps its foreign keys when its track is updated', async () => {
        const patch = { data: { type: 'tracks', id: track, attributes: { title: 'Lift Off' } } }
        const { status, body } = await client.patch(`/tracks/${track}`, patch)
        expect(status).to.equal(200)
        expect(body.data.relationships.album.data).to.equal(null)
        expect(await readRow('tracks', track)).to.include({ title: 'Lift Off', album_id: Number(id) })
      })

      it('prevents the deletion of its artist', async () => {
        expect((await client.delete(`/artists/${artist}`)).status).to.equal(409)
      })
    })
  }
})

interface Resource {
  readonly type: string
  readonly id: string
}

interface Hidden {
  readonly id: string
  readonly title: string
  readonly artist: string
}

/** `along=album.artist:Name`: rows from which a path of relations leads to a row of that title. */
const filterPaths: Plugin = {
  name: 'filter-paths',
  parameters: {
    along: (value, query) => void query.where.push(toCondition(query.type, String(value))),
    notAlong: (value, query) => void query.where.push(not(toCondition(query.type, String(value)))),
  },
}

function toCondition(type: ResourceType, value: string): Condition {
  const [path = '', title] = value.split(':')
  const follow = (from: ResourceType, names: readonly string[]): Condition => {
    const [name = '', ...rest] = names
    const relation = from.fields.get(name) as Relation
    return exists(relation, rest.length > 0 ? follow(relation.target, rest) : compare('title', '=', title))
  }
  return follow(type, path.split('.'))
}

async function insertTrack(album: string): Promise<string> {
  markDirty()
  const { orm } = await testDatabase()
  const rows = await orm.em
    .getConnection()
    .execute<{ id: number }[]>(`insert into tracks (title, album_id) values ('Lift', ${Number(album)}) returning id`)
  return String(rows[0]?.id)
}

async function readRow(table: string, id: string): Promise<Record<string, unknown>> {
  const { orm } = await testDatabase()
  const [row] = await orm.em.getConnection().execute(`select * from ${table} where id = ${Number(id)}`)
  return row as Record<string, unknown>
}

function printIdentifiers(items: readonly Resource[]): string[] {
  return items.map(({ type, id }) => `${type} ${id}`)
}

function expectMissing({ status, body, text }: ClientResponse, pointer?: string): void {
  expect(status, text).to.equal(404)
  expect(body.errors).to.have.length(1)
  expect(body.errors[0]).to.include({ code: 'RESOURCE_NOT_FOUND', title: 'Resource not found' })
  expect(body.errors[0].source).to.deep.equal(pointer === undefined ? undefined : { pointer })
}
