import { expect } from 'chai'
import { type Client, createClient } from '#client'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Api } from '../../../resources/api.ts'

// The code of docs/typescript-client.md.

describe('Guide of the TypeScript client', () => {
  let url: string
  let api: Client<Api>
  before(async () => {
    url = (await catalogue()).client.url
    api = createClient<Api>({ url, token: 'admin' })
  })
  beforeEach(markDirty)

  it('reads collections, resources and related resources', async () => {
    const { data: albums } = await api.albums.list({
      filter: { title: 'computer', rating: { min: 9 } },
      sort: ['-releasedAt', 'title'],
      page: { size: 10 },
    })
    const album = await api.albums.get('1')
    const artist = await api.artists.find({ slug: 'radiohead' })
    const { data: tracks } = await api.albums.related('1', 'tracks', { sort: '-duration' })
    const members = await api.albums.linkage('1', 'artist')

    expect(albums.map(({ title }) => title)).to.deep.equal(['OK Computer'])
    expect([album.title, artist?.name, tracks.length]).to.deep.equal(['OK Computer', 'Radiohead', 2])
    expect(members).to.deep.equal({ type: 'artists', id: '1' })
  })

  it('widens rows by include and narrows them by fields', async () => {
    const album = await api.albums.get('1', {
      include: ['artist', 'tracks'],
      fields: { artists: ['name'], tracks: ['title'] },
    })
    const line = `${album.title} by ${album.artist?.name}: ${album.tracks.map(({ title }) => title).join(', ')}`

    expect(line).to.equal('OK Computer by Radiohead: Airbag, Paranoid Android, Exit Music (For a Film)')
  })

  it('iterates over rows and pages', async () => {
    const titles: string[] = []
    const sizes: number[] = []

    for await (const { title } of api.tracks.list({ page: { size: 2 } })) titles.push(title)

    for await (const { data } of api.tracks.list({ page: { size: 2 } }).pages()) sizes.push(data.length)

    const first = await api.tracks.list({ page: { size: 2 } })
    const second = await first.next()

    expect(titles).to.have.length(sizes.reduce((sum, size) => sum + size))
    expect(second?.data[0]?.title).to.equal(titles[2])
  })

  it('creates, updates and removes', async () => {
    const album = await api.albums.create(
      { title: 'In Rainbows', status: 'upcoming' },
      { relations: { artist: api.artists.ref('1') } },
    )
    const released = await api.albums.update(album.id, { status: 'released' })
    await api.albums.remove(album.id)

    expect([album.artist?.id, released.status]).to.deep.equal(['1', 'released'])
  })

  it('changes relationships', async () => {
    const { id } = await api.albums.create({ title: 'Compilation' })
    await api.albums.replace(id, 'artist', api.artists.ref('2'))
    await api.albums.add(id, 'tracks', [api.tracks.ref('1'), api.tracks.ref('4')])
    await api.albums.removeFrom(id, 'tracks', [api.tracks.ref('1')])
    await api.albums.replace(id, 'artist', null)

    expect((await api.albums.linkage(id, 'tracks')).map((track) => track.id)).to.deep.equal(['4'])
  })

  it('sends values of a pivot', async () => {
    const ada = createClient<Api>({ url, token: 'ada@example.com' })
    const playlist = await ada.playlists.create({ title: 'Mix' })
    await ada.playlists.add(playlist.id, 'orderedTracks', [{ ...ada.tracks.ref('1'), pivot: { position: 1 } }])
    const { orderedTracks } = await ada.playlists.get(playlist.id, { include: ['orderedTracks'] })
    const position = orderedTracks[0]?.$meta?.pivot.position

    expect(position).to.equal(1)
  })

  it('runs actions', async () => {
    const summary = await api.albums.action('summary')
    const album = await api.albums.action('reissue', {
      id: '1',
      input: { type: 'album-reissues', attributes: { label: 'XL' } },
    })

    expect(summary.albums).to.equal(2)
    expect(album.releaseInfo?.label).to.equal('XL')
  })

  it('returns the job of an asynchronous write', async () => {
    const { location, job } = await api['catalog-exports'].create({ format: 'csv' })

    expect(location).to.match(/\/export-jobs\//)
    expect(job?.state).to.equal('processing')
  })

  it('sends batches', async () => {
    const { artist, album } = await api.$batch(({ artists, albums }) => {
      const artist = artists.create({ name: 'Massive Attack', slug: 'massive-attack' })
      const album = albums.create({ title: 'Mezzanine' }, { relations: { artist } })
      albums.update('2', { explicit: true })
      return { artist, album }
    })

    expect([artist.name, album.title, album.artist?.id]).to.deep.equal(['Massive Attack', 'Mezzanine', artist.id])
    expect((await api.albums.get('2')).explicit).to.equal(true)
  })

  it('returns errors by code', async () => {
    const messages: string[] = []
    const show = (pointer: string | undefined, detail: string | undefined) => messages.push(`${pointer}: ${detail}`)

    const outcome = await api.$attempt(api.albums.create({ title: '' }))
    if (!outcome.ok) {
      for (const { source, detail } of outcome.error.errors) show(source?.pointer, detail)
    }

    try {
      await api.albums.get('999')
    } catch (error) {
      if (!api.$isError(error)) throw error
      if (error.code === 'RESOURCE_NOT_FOUND') messages.push('No such album.')
    }

    expect(messages).to.have.length(2)
    expect(messages[0]).to.include('/data/attributes/title: ')
  })

  it('prevents lost updates by If-Match', async () => {
    const album = await api.albums.get('1')
    await api.albums.update('1', { explicit: true })

    const outcome = await api.$attempt(api.albums.update(album.id, { title: 'OKNOTOK' }, { ifMatch: album.$etag }))
    if (!outcome.ok && outcome.error.code === 'PRECONDITION_FAILED') {
      const current = await api.albums.get(album.id)
      await api.albums.update(album.id, { title: 'OKNOTOK' }, { ifMatch: current.$etag })
    }

    expect(await api.albums.get('1')).to.include({ title: 'OKNOTOK', explicit: true })
  })

  it('creates once with an idempotency key', async () => {
    const idempotencyKey = crypto.randomUUID()
    const first = await api.albums.create({ title: 'In Rainbows' }, { idempotencyKey })
    const second = await api.albums.create({ title: 'In Rainbows' }, { idempotencyKey })

    expect(second.id).to.equal(first.id)
  })

  it('aborts a request', async () => {
    const aborter = new AbortController()
    const request = api.albums.list({ signal: aborter.signal })
    const failure = request.catch((error: Error) => error.name)
    aborter.abort()

    expect(await failure).to.equal('AbortError')
  })
})
