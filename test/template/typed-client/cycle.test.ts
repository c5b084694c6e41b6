import { expect } from 'chai'
import { createClient, JsonApiError } from '#client'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { requestFaults, type SentRequest } from '#test/template/support/described-requests.ts'
import type { Api } from '../../../resources/api.ts'

// The same cycle as that of the clients in test/template/clients, and every method against the running service.

describe('The TypeScript client', () => {
  let url: string
  const sent: SentRequest[] = []
  /** Records requests that the service accepts. */
  const recordingFetch: typeof fetch = async (input, init = {}) => {
    const response = await fetch(input, init)
    const { method = 'GET', headers, body } = init
    const contentType = new Headers(headers).get('content-type') ?? undefined
    if (response.ok) sent.push({ method, url: String(input), contentType, body })
    return response
  }
  const connect = (token = '') => createClient<Api>({ url, token, fetch: recordingFetch })
  const connectAdmin = () => createClient<Api<'admin'>>({ url: `${url}/admin`, token: 'admin', fetch: recordingFetch })

  before(async () => {
    url = (await catalogue()).client.url
  })
  beforeEach(markDirty)

  it('lists, includes, creates, updates, adds members and runs a batch', async () => {
    const api = connect()
    const { data } = await api.albums.list({
      filter: { title: 'computer' },
      sort: ['-releasedAt', 'title'],
      page: { size: 5 },
    })
    const included = await api.albums.get('1', { include: ['artist', 'tracks'], fields: { tracks: ['title'] } })
    const created = await api.albums.create(
      { title: 'Third', status: 'upcoming' },
      { relations: { artist: api.artists.ref('2') } },
    )
    const updated = await api.albums.update(created.id, { status: 'released' })
    await api.albums.add(created.id, 'tracks', [api.tracks.ref('4')])
    const members = await api.albums.linkage(created.id, 'tracks')
    const batch = await api.$batch(({ artists, albums }) => {
      const artist = artists.create({ name: 'Massive Attack', slug: 'massive-attack' })
      return { artist, album: albums.create({ title: 'Mezzanine' }, { relations: { artist } }) }
    })
    const refused = await api.$attempt(api.albums.create({ title: '' }))

    expect(data.map(({ title }) => title)).to.deep.equal(['OK Computer'])
    expect(included.artist?.name).to.equal('Radiohead')
    expect(included.tracks.map(({ title }) => title)).to.deep.equal([
      'Airbag',
      'Paranoid Android',
      'Exit Music (For a Film)',
    ])
    expect(created.artist?.id).to.equal('2')
    expect(updated.status).to.equal('released')
    for (const { $etag } of [included, created, updated]) expect($etag).to.match(/^"\d+-.+"$/)
    expect(members.map(({ id }) => id)).to.deep.equal(['4'])
    expect(batch.album).to.deep.include({ title: 'Mezzanine', artist: { type: 'artists', id: batch.artist.id } })
    expect(refused.ok ? null : refused.error.errors[0]?.source?.pointer).to.equal('/data/attributes/title')
  })

  describe('list', () => {
    it('iterates over the rows of all pages', async () => {
      const titles: string[] = []
      for await (const { title } of connect().tracks.list({ page: { size: 1 }, filter: { explicit: null } })) {
        titles.push(title)
      }
      expect(titles).to.have.length(4)
    })

    it('iterates over pages, and each page requests the next', async () => {
      const sizes: number[] = []
      for await (const { data } of connect()
        .tracks.list({ page: { size: 2 }, filter: { explicit: null } })
        .pages()) {
        sizes.push(data.length)
      }
      expect(sizes).to.deep.equal([2, 2])
      const first = await connect().tracks.list({ page: { size: 3 }, filter: { explicit: null } })
      const second = await first.next()
      expect(second?.data).to.have.length(1)
      expect(await second?.next()).to.equal(null)
    })

    it('iterates over cursor pages', async () => {
      const ids: string[] = []
      const api = connectAdmin()
      await api.users.create({ email: 'grace@example.com', displayName: 'Grace', password: 'Sixteen Candles 1' })
      for await (const { id } of api.users.list({ page: { size: 1 } })) ids.push(id)
      expect(ids.length).to.be.greaterThan(1)
      expect(new Set(ids).size).to.equal(ids.length)
    })

    it('resolves default includes to objects if the request has no include', async () => {
      const { data } = await connect().albums.list()
      expect(data[0]?.artist?.name).to.equal('Radiohead')
      expect(data[0]?.artist).not.to.have.property('albums')
    })

    it('resolves nested includes without cycles', async () => {
      const { data } = await connect().albums.list({ include: ['tracks.album'] })
      expect(data[0]?.tracks[0]?.album?.title).to.equal(data[0]?.title)
      expect(data[0]?.tracks[0]?.album).not.to.equal(data[0])
      expect(() => JSON.stringify(data)).not.to.throw()
    })

    it('sends ranges, lists, booleans and presence as filters', async () => {
      const api = connect()
      const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
      expect(ids((await api.albums.list({ filter: { rating: { min: 9, max: 9.1 } } })).data)).to.deep.equal(['2'])
      expect(ids((await api.albums.list({ filter: { tracks: true } })).data)).to.deep.equal(['1', '2'])
      expect(ids((await api.albums.list({ filter: { 'artist.name': 'Portishead' } })).data)).to.deep.equal(['2'])
      expect(ids((await api.tracks.list({ filter: { explicit: true } })).data)).to.deep.equal(['2'])
    })

    it('returns the counts of withCount', async () => {
      const { data } = await connect().albums.list({ withCount: ['tracks'] })
      expect(data[0]?.$counts).to.deep.equal({ tracks: 2 })
    })
  })

  it('find returns the row of a singular filter, or null', async () => {
    const api = connect()
    expect((await api.artists.find({ slug: 'radiohead' }))?.name).to.equal('Radiohead')
    expect(await api.artists.find({ slug: 'nowhere' })).to.equal(null)
  })

  it('related returns pages of a to-many, and a row or null of a to-one', async () => {
    const api = connect()
    const artist = await api.albums.related('1', 'artist', { fields: { artists: ['name'] } })
    expect(artist).to.deep.include({ type: 'artists', id: '1', name: 'Radiohead' })
    const tracks = await api.albums.related('1', 'tracks', { sort: '-duration', page: { size: 1 } })
    expect(tracks.data).to.have.length(1)
    await api.albums.replace('1', 'artist', null)
    expect(await api.albums.related('1', 'artist')).to.equal(null)
  })

  it('sends and returns the values of a pivot', async () => {
    const api = connect('ada@example.com')
    const playlist = await api.playlists.create({ title: 'Mix' })
    await api.playlists.add(playlist.id, 'orderedTracks', [{ ...api.tracks.ref('1'), pivot: { position: 7 } }])
    const { orderedTracks } = await api.playlists.get(playlist.id, { include: ['orderedTracks'] })
    expect(orderedTracks[0]?.title).to.equal('Airbag')
    expect(orderedTracks[0]?.$meta?.pivot.position).to.equal(7)
    await api.playlists.removeFrom(playlist.id, 'orderedTracks', [api.tracks.ref('1')])
    expect(await api.playlists.linkage(playlist.id, 'orderedTracks')).to.deep.equal([])
  })

  it('sends the entity tag of a row as If-Match, and fails with 412 after another change', async () => {
    const api = connect()
    const { $etag } = await api.albums.get('1')
    await api.albums.update('1', { explicit: true }, { ifMatch: $etag })
    const outcome = await api.$attempt(api.albums.update('1', { explicit: false }, { ifMatch: $etag }))
    expect(outcome.ok).to.equal(false)
    if (!outcome.ok) expect([outcome.error.code, outcome.error.status]).to.deep.equal(['PRECONDITION_FAILED', 412])
  })

  it('removes a resource, and fails with a typed error afterwards', async () => {
    const api = connect()
    const { id } = await api.albums.create({ title: 'Third' })
    expect(await api.albums.remove(id)).to.equal(undefined)
    const error = await api.albums.get(id).catch((caught: unknown) => caught)
    expect(error).to.be.instanceOf(JsonApiError)
    expect(api.$isError(error) && error.code).to.equal('RESOURCE_NOT_FOUND')
  })

  it('runs actions with documents, raw input and without input', async () => {
    const api = connect('admin')
    expect(await api.albums.action('summary')).to.include({ albums: 2 })
    const input = { type: 'album-reissues', attributes: { label: 'XL' } } as const
    const reissued = await api.albums.action('reissue', { id: '1', input })
    expect(reissued.releaseInfo?.label).to.equal('XL')
    const uploaded = await api.albums.action('artwork', { id: '1', input: new Blob(['PNG']), contentType: 'image/png' })
    expect(uploaded).to.equal(undefined)
    expect((await api.albums.get('1')).artwork).to.equal(`data:image/png;base64,${btoa('PNG')}`)
  })

  it('returns the job of an accepted write', async () => {
    const { accepted, location, job } = await connect()['catalog-exports'].create({ format: 'csv' })
    expect(accepted).to.equal(true)
    expect(location).to.match(/\/export-jobs\//)
    expect(job?.state).to.equal('processing')
  })

  it('creates a resource with an id of the client', async () => {
    const genre = await connect().genres.create({ name: 'Dub' }, { id: 'dub' })
    expect(genre.id).to.equal('dub')
  })

  it('returns one response for two creates with the same idempotency key', async () => {
    const api = connect()
    const options = { idempotencyKey: crypto.randomUUID() }
    const [first, second] = [
      await api.albums.create({ title: 'One' }, options),
      await api.albums.create({ title: 'One' }, options),
    ]
    expect(second.id).to.equal(first.id)
  })

  it('batches updates, removals and relationship changes of rows and of created ones', async () => {
    const api = connect()
    const result = await api.$batch(({ albums, tracks }) => {
      const album = albums.create({ title: 'Third' })
      albums.update(album, { explicit: true })
      albums.add(album, 'tracks', [tracks.ref('4')])
      albums.replace('2', 'artist', null)
      return [album, albums.update('2', { title: 'Dummy 2' })]
    })
    expect(result.map(({ title }) => title)).to.deep.equal(['Third', 'Dummy 2'])
    expect((await api.albums.get('2')).artist).to.equal(null)
    expect((await api.albums.linkage(result[0]?.id ?? '', 'tracks')).map(({ id }) => id)).to.deep.equal(['4'])
  })

  // A suite of its own, because it runs after all other tests.
  describe('in all tests', () => {
    it('sends only requests that the OpenAPI document describes', async () => {
      const faults: string[] = []
      for (const base of [`${url}/admin`, url]) {
        const document = await (await fetch(`${base}/docs.json`)).json()
        const requests = sent.filter((request) => request.url.startsWith(`${url}/admin/`) === base.endsWith('/admin'))
        expect(requests.length, base).to.be.greaterThan(1)
        faults.push(...requests.flatMap((request) => requestFaults(request, document, base)))
      }
      expect(faults).to.deep.equal([])
    })
  })
})
