import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'

describe('Tracks', () => {
  let client: Client
  const create = (attributes: object, relationships: object = {}) =>
    client.post('/tracks', { data: { type: 'tracks', attributes, relationships } })
  const update = (id: string, attributes: object, relationships: object = {}) =>
    client.patch(`/tracks/${id}`, { data: { type: 'tracks', id, attributes, relationships } })

  before(async () => {
    client = (await catalogue()).client
  })

  describe('when they are read', () => {
    const rows: readonly [id: string, album: string, attributes: object][] = [
      [
        '1',
        '1',
        {
          title: 'Airbag',
          trackNumber: 1,
          durationSeconds: 284,
          explicit: false,
          genres: ['rock', 'alternative'],
          previewOffset: '00:00:30',
          displayTitle: '1. Airbag',
        },
      ],
      [
        '2',
        '1',
        {
          title: 'Paranoid Android',
          trackNumber: 2,
          durationSeconds: 383,
          explicit: true,
          genres: ['rock', 'progressive'],
          previewOffset: '00:01:00',
          displayTitle: '2. Paranoid Android',
        },
      ],
      [
        '3',
        '1',
        {
          title: 'Exit Music (For a Film)',
          trackNumber: 3,
          durationSeconds: 264,
          explicit: false,
          genres: ['rock'],
          previewOffset: null,
          displayTitle: '3. Exit Music (For a Film)',
        },
      ],
      [
        '4',
        '2',
        {
          title: 'Mysterons',
          trackNumber: 1,
          durationSeconds: 305,
          explicit: false,
          genres: ['trip-hop'],
          previewOffset: '00:00:45',
          displayTitle: '1. Mysterons',
        },
      ],
    ]
    for (const [id, album, attributes] of rows) {
      it(`return the stored attributes and the album of track ${id}`, async () => {
        const { body } = await client.get(`/tracks/${id}`)
        expect(body.data.attributes).to.deep.equal(attributes)
        expect(body.data.relationships.album.data).to.deep.equal({ type: 'albums', id: album })
      })
    }

    it('return displayTitle in a sparse fieldset without the fields that it is computed from', async () => {
      const { body } = await client.get('/tracks/3?fields[tracks]=displayTitle')
      expect(body.data.attributes).to.deep.equal({ displayTitle: '3. Exit Music (For a Film)' })
    })

    it('are sorted by title and number, and return 400 for a sort by displayTitle', async () => {
      const { body } = await client.get('/tracks?sort=-trackNumber,title')
      const numbers = body.data.map(({ attributes }: Track) => attributes.trackNumber)
      expect(numbers).to.deep.equal(numbers.toSorted((a: number, b: number) => b - a))
      expect((await client.get('/tracks?sort=displayTitle')).status).to.equal(400)
      expect((await client.get('/tracks?sort=lengthSeconds')).status).to.equal(400)
    })

    it('are returned without explicit tracks, unless the filter includes them', async () => {
      expect(readIds(await client.get('/tracks'))).to.deep.equal(['1', '3', '4'])
      expect(readIds(await client.get('/tracks?filter[explicit]=true'))).to.deep.equal(['2'])
      expect(readIds(await client.get('/tracks?filter[explicit]='))).to.deep.equal(['1', '2', '3', '4'])
      expect(readIds(await client.get('/albums/1/tracks'))).to.deep.equal(['1', '3'])
      expect((await client.get('/tracks/2')).status).to.equal(200)
    })

    it('are found by a part of the title, by genre and by words', async () => {
      expect(readIds(await client.get('/tracks?filter[title]=AIR'))).to.deep.equal(['1'])
      expect(readIds(await client.get('/tracks?filter[genres]=trip-hop,alternative'))).to.deep.equal(['1', '4'])
      expect(readIds(await client.get('/tracks?filter[genres]=rock&filter[explicit]=1'))).to.deep.equal(['2'])
      expect(readIds(await client.get('/tracks?filter[genres]=roc'))).to.deep.equal([])
      expect(readIds(await client.get('/tracks?filter[q]=film+exit'))).to.deep.equal(['3'])
    })

    it('have the linkage of their playlists in every response', async () => {
      const identifier = { type: 'playlists', id: '00000000-0000-4000-8000-000000000001' }
      const { body } = await client.get('/tracks')
      const linked = body.data.map(({ relationships }: Track) => relationships.playlists.data)
      expect(linked).to.deep.equal([[identifier], [], []])
      expect((await client.get('/tracks/2/playlists')).body.data[0]).to.include(identifier)
      const related = await client.get('/tracks/2/relationships/playlists')
      expect(related.body.data).to.deep.equal([identifier])
    })

    it('return 403 for a replacement of their playlists', async () => {
      const { status, body } = await update('1', {}, { playlists: { data: [] } })
      expect(status).to.equal(403)
      expect(body.errors[0]).to.deep.include({
        code: 'FULL_REPLACEMENT_PROHIBITED',
        source: { pointer: '/data/relationships/playlists' },
      })
    })

    it('have the same meta as resources and as identifiers', async () => {
      const meta = { served_by: 'music-catalog' }
      expect((await client.get('/tracks/1')).body.data.meta).to.deep.equal(meta)
      for (const track of (await client.get('/tracks')).body.data) expect(track.meta).to.deep.equal(meta)
      for (const track of (await client.get('/albums/1/tracks')).body.data) expect(track.meta).to.deep.equal(meta)
      const linkage = await client.get('/albums/1/relationships/tracks')
      expect(linkage.body.data[0]).to.deep.equal({ type: 'tracks', id: '1', meta })
      const { body } = await client.get('/albums/2?include=tracks')
      expect(body.data.relationships.tracks.data).to.deep.equal([{ type: 'tracks', id: '4', meta }])
      expect(body.included[0].meta).to.deep.equal(meta)
      expect((await create({ title: 'Lift' })).body.data.meta).to.deep.equal(meta)
    })

    it('leave resources and identifiers of other types without meta', async () => {
      const { body } = await client.get('/tracks/1?include=album')
      expect(body.data.relationships.album.data).not.to.have.property('meta')
      expect(body.included[0]).not.to.have.property('meta')
    })
  })

  describe('when they are created', () => {
    it('return defaults for omitted attributes, and a Location', async () => {
      const { status, headers, body } = await create({ title: 'Lift' })
      expect(status).to.equal(201)
      expect(headers.get('location')).to.equal(`${client.url}/tracks/5`)
      expect(body.data.attributes).to.deep.equal({
        title: 'Lift',
        trackNumber: 1,
        durationSeconds: 0,
        explicit: false,
        genres: ['unclassified'],
        previewOffset: null,
        displayTitle: '1. Lift',
      })
      expect(body.data.relationships.album.data).to.equal(null)
      expect((await client.get('/tracks/5')).body.data).to.deep.equal(body.data)
    })

    it('return the attributes that were sent, except displayTitle', async () => {
      const attributes = {
        title: 'Lift',
        trackNumber: 13,
        durationSeconds: 247,
        explicit: true,
        genres: ['rock', 'lost'],
        previewOffset: '00:02:03',
      }
      const album = { data: { type: 'albums', id: '2' } }
      const { status, body } = await create({ ...attributes, displayTitle: 'Mine' }, { album })
      expect(status).to.equal(201)
      expect(body.data.attributes).to.deep.equal({ ...attributes, displayTitle: '13. Lift' })
      expect(body.data.relationships.album.data).to.deep.equal(album.data)
    })

    it('return the texts of genres unchanged', async () => {
      const genres = ['NULL', 'null', ' spaced ', 'a,b', '"quoted"', 'back\\slash', '{curly}', 'tab\tline\n', 'été']
      const { status, body } = await create({ title: 'Lift', genres })
      expect(status).to.equal(201)
      expect(body.data.attributes.genres).to.deep.equal(genres)
      expect((await client.get(`/tracks/${body.data.id}`)).body.data.attributes.genres).to.deep.equal(genres)
    })

    it('return 422 with the pointer of the attribute for invalid values', async () => {
      const wrong: readonly [name: string, value: unknown][] = [
        ['title', ''],
        ['title', null],
        ['trackNumber', 0],
        ['trackNumber', '1'],
        ['durationSeconds', 1.5],
        ['durationSeconds', 2_147_483_648],
        ['explicit', null],
        ['genres', []],
        ['genres', 'rock'],
        ['genres', [1]],
        ['genres', [null]],
        ['previewOffset', '30'],
      ]
      for (const [name, value] of wrong) {
        const { status, body } = await create({ title: 'Lift', [name]: value })
        expect(status, `${name} ${JSON.stringify(value)}`).to.equal(422)
        expect(body.errors[0].source.pointer).to.match(new RegExp(`^/data/attributes/${name}(/0)?$`))
      }
      const twice = await create({ title: 'Lift', genres: ['rock', 'rock'] })
      expect(twice.status).to.equal(422)
    })
  })

  describe('when they are updated', () => {
    it('return the attributes that were sent, and keep the others', async () => {
      const before = (await client.get('/tracks/1')).body.data
      const { status, body } = await update('1', { trackNumber: 7, genres: ['rock'] })
      expect(status).to.equal(200)
      expect(body.data.attributes).to.deep.equal({
        ...before.attributes,
        trackNumber: 7,
        genres: ['rock'],
        displayTitle: '7. Airbag',
      })
      expect(body.data.relationships).to.deep.equal(before.relationships)
    })

    it('accept another album or null, in PATCH and at the relationship URL', async () => {
      const album = (id: string) => ({ type: 'albums', id })
      const moved = await update('1', {}, { album: { data: album('2') } })
      expect(moved.body.data.relationships.album.data).to.deep.equal(album('2'))
      const back = await client.patch('/tracks/1/relationships/album', { data: album('1') })
      expect(back.status).to.equal(200)
      expect(back.body.data).to.deep.equal(album('1'))
      const alone = await update('1', {}, { album: { data: null } })
      expect(alone.body.data.relationships.album.data).to.equal(null)
      expect((await client.get('/albums/1/relationships/tracks')).body.data).to.have.length(2)
    })

    it('return 404 for a missing album, and 409 for another type', async () => {
      const missing = await update('1', {}, { album: { data: { type: 'albums', id: '99' } } })
      expect(missing.status).to.equal(404)
      expect(missing.body.errors[0].source).to.deep.equal({ pointer: '/data/relationships/album/data' })
      const artist = await update('1', {}, { album: { data: { type: 'artists', id: '1' } } })
      expect(artist.status).to.equal(409)
      expect(artist.body.errors[0].source).to.deep.equal({ pointer: '/data/relationships/album/data/type' })
      expect((await client.get('/tracks/1')).body.data.relationships.album.data.id).to.equal('1')
    })
  })

  it('accept titles of any length, and return 422 when an index cannot hold them', async () => {
    const title = randomBytes(3000).toString('base64')
    const connection = (await testDatabase()).orm.em.getConnection()
    await connection.execute('create index tracks_by_title on tracks (title)')
    const answers = [await create({ title }), await update('1', { title })]
    await connection.execute('drop index tracks_by_title')
    expect(answers.map(({ status }) => status)).to.deep.equal([422, 422])
    expect(answers[0]?.body.errors[0].code).to.equal('VALIDATION_FAILED')
    expect((await client.get('/tracks/1')).body.data.attributes.title).to.equal('Airbag')
    expect((await create({ title })).body.data.attributes.title).to.equal(title)
  })

  it('are deleted without their album, which can be deleted afterwards', async () => {
    expect((await client.delete('/tracks/4')).status).to.equal(204)
    expect((await client.get('/tracks/4')).status).to.equal(404)
    expect((await client.get('/albums/2')).status).to.equal(200)
    expect((await client.delete('/albums/2')).status).to.equal(204)
  })
})

interface Track {
  readonly attributes: { readonly trackNumber: number }
  readonly relationships: { readonly playlists: { readonly data: object[] } }
}

function readIds({ body }: ClientResponse): string[] {
  return body.data.map(({ id }: { id: string }) => id)
}
