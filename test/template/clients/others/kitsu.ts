import Kitsu from 'kitsu'
import type { Cycle } from './cycle.ts'

/** Keeps types and ids unchanged, which kitsu would otherwise write with hyphens. */
const unchangedNames = { camelCaseTypes: false, resourceCase: 'none', pluralize: false }

export async function useClient(baseURL: string): Promise<Cycle> {
  const api = new Kitsu({ baseURL, ...unchangedNames })
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
  await api.delete(tracks, ['4'] as never) // its types accept only numbers
  const { data: removed } = await api.get(tracks)
  await api.update(tracks, [])
  const { data: emptied } = await api.get(tracks)

  await api.delete('albums', created.id)
  const deleted = await readErrors(api.get(`albums/${created.id}`))
  const rejected = await readErrors(api.create('albums', { title: '', status: 'lost' }))
  return {
    listed: listed.data.map(readTitle),
    pages: [first, second].map(({ data }) => data.map(readTitle)),
    included: { artist: album.artist.data.name, tracks: album.tracks.data.map(readTitle) },
    created: { title: created.title, status: created.status, artist: created.artist.data.id },
    updated: updated.status,
    replaced: replaced.id,
    added: added.map(readId),
    removed: removed.map(readId),
    emptied: emptied.map(readId),
    isDeleted: deleted.errors[0]?.status === '404',
    faults: rejected.errors.map(({ source }) => source?.pointer ?? ''),
  }
}

interface ErrorDocument {
  readonly errors: readonly { readonly status: string; readonly source?: { readonly pointer: string } }[]
}

/** Returns the errors of the document, which Kitsu adds to the error that it throws. */
function readErrors(response: Promise<unknown>): Promise<ErrorDocument> {
  return response.then(
    () => ({ errors: [] }),
    (error) => error as ErrorDocument,
  )
}

function readTitle({ title }: { title: string }): string {
  return title
}

function readId({ id }: { id: string }): string {
  return id
}
