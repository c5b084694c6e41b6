import JsonApi from 'devour-client'
import type { Cycle } from './cycle.ts'

export async function useClient(apiUrl: string): Promise<Cycle> {
  const api = new JsonApi({ apiUrl, logger: false, errorBuilder: ({ source }) => source?.pointer })
  api.define('album', {
    title: '',
    status: '',
    artist: { jsonApi: 'hasOne', type: 'artists' },
    tracks: { jsonApi: 'hasMany', type: 'tracks' },
  })
  api.define('artist', { name: '' })
  api.define('track', { title: '' })

  const listed = await api.findAll('album', { sort: 'title' })
  const first = await api.findAll('album', { sort: 'title', page: { size: 1 } })
  const second = await api.request(first.links.next)
  const { data: album } = await api.find('album', '1', { include: 'artist,tracks' })

  const attributes = { title: 'Third', status: 'upcoming', artist: { id: '2' } }
  const { data: created } = await api.create('album', attributes, { include: 'artist' })
  const { data: updated } = await api.update('album', { id: created.id, status: 'released' })
  await api.update('album', { id: created.id, artist: { id: '1' } })
  const { data: replaced } = await api.one('album', created.id).relationships('artist').get()

  const tracks = () => api.one('album', created.id).relationships().all('track')
  await tracks().post([{ id: '3' }, { id: '4' }])
  const { data: added } = await tracks().get()
  await tracks().destroy([{ type: 'tracks', id: '4' }])
  const { data: removed } = await tracks().get()
  await tracks().patch([])
  const { data: emptied } = await tracks().get()

  await api.destroy('album', created.id)
  const deleted = await api.find('album', created.id).catch((thrown) => thrown)
  const errors = await api.create('album', { title: '', status: 'lost' }).catch((thrown) => thrown)
  return {
    listed: listed.data.map(readTitle),
    pages: [first, second].map(({ data }) => data.map(readTitle)),
    included: { artist: album.artist.name, tracks: album.tracks.map(readTitle) },
    created: { title: created.title, status: created.status, artist: created.artist.id },
    updated: updated.status,
    replaced: replaced.id,
    added: added.map(readId),
    removed: removed.map(readId),
    emptied: emptied.map(readId),
    isDeleted: '0' in deleted,
    faults: Object.values(errors),
  }
}

function readTitle({ title }: { title: string }): string {
  return title
}

function readId({ id }: { id: string }): string {
  return id
}
