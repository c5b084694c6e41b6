import Kitsu from 'kitsu'
import type { Cycle } from './cycle.ts'

/** Types are spelt as they are here, and so are ids, which kitsu would otherwise write with hyphens. */
const asTheyAre = { camelCaseTypes: false, resourceCase: 'none', pluralize: false }

export async function useClient(baseURL: string): Promise<Cycle> {
  const api = new Kitsu({ baseURL, ...asTheyAre })
  const listed = await api.get('albums', { params: { sort: 'title' } })
  const first = await api.get('albums', { params: { sort: 'title', page: { size: 1 } } })
  const second = await api.request({ url: first.links.next, type: 'albums' })
  const { data: album } = await api.get('albums/1', { params: { include: 'artist,tracks' } })

  const { data: created } = await api.create(
    'albums',
    { title: 'Third', status: 'upcoming', artist: { data: { type: 'artists', id: '2' } } },
    { params: { include: 'artist' } },
  )
  const { data: updated } = await api.update('albums', { id: created.id, status: 'released' })
  await api.request({
    url: `albums/${created.id}/relationships/artist`,
    method: 'PATCH',
    type: 'artists',
    body: { id: '1' },
  })
  const { data: replaced } = await api.get(`albums/${created.id}/artist`)

  const tracks = `albums/${created.id}/relationships/tracks`
  await api.create(tracks, [{ id: '3' }, { id: '4' }])
  const { data: added } = await api.get(tracks)
  await api.delete(tracks, ['4'] as never) // its types know numbers only
  const { data: removed } = await api.get(tracks)
  await api.update(tracks, [])
  const { data: emptied } = await api.get(tracks)

  await api.delete('albums', created.id)
  const gone = await refusalOf(api.get(`albums/${created.id}`))
  const refusal = await refusalOf(api.create('albums', { title: '', status: 'lost' }))
  return {
    listed: listed.data.map(titleOf),
    pages: [first, second].map(({ data }) => data.map(titleOf)),
    included: { artist: album.artist.data.name, tracks: album.tracks.data.map(titleOf) },
    created: { title: created.title, status: created.status, artist: created.artist.data.id },
    updated: updated.status,
    replaced: replaced.id,
    added: added.map(idOf),
    removed: removed.map(idOf),
    emptied: emptied.map(idOf),
    isDeleted: gone.errors[0]?.status === '404',
    faults: refusal.errors.map(({ source }) => source?.pointer ?? ''),
  }
}

interface Refusal {
  readonly errors: readonly { readonly status: string; readonly source?: { readonly pointer: string } }[]
}

/** Kitsu adds the errors of the document to the error it throws. */
function refusalOf(answer: Promise<unknown>): Promise<Refusal> {
  return answer.then(
    () => ({ errors: [] }),
    (error) => error as Refusal,
  )
}

function titleOf({ title }: { title: string }): string {
  return title
}

function idOf({ id }: { id: string }): string {
  return id
}
