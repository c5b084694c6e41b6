import { atomicBatch, firstPageAfter, numbers, patch, post, read, type WorkItem, write } from '../work-items.ts'

/** Tracks of the bulk seed whose playlists the bench changes. */
export const changedTracks = { from: 9001, to: 9400 }

/** Albums of the bulk seed, all of them published. */
const albums = numbers(1041, 1080)

/** Playlists of the bulk seed; `prepareDemo` makes the caller their owner. */
export const twentyPlaylists = numbers(1001, 1020).map((id) => ({
  type: 'playlists',
  id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
}))

export const demoItems: readonly WorkItem[] = [
  read('one album', 0.95, ...albums.map((id) => `/albums/${id}`)),
  read('50 albums', 0.95, '/albums?page[size]=50'),
  read('50 albums with include', 0.95, '/albums?page[size]=50&include=artist,tracks.playlists'),
  read(
    'sparse, sorted, filtered',
    0.95,
    '/tracks?filter[genres]=jazz&sort=title,-trackNumber&fields[tracks]=title,durationSeconds&page[size]=50',
  ),
  read('related page', 0.95, ...albums.map((id) => `/albums/${id}/tracks?page[size]=10`)),
  read('deep page by number', 0.95, '/tracks?page[number]=150&page[size]=50'),
  {
    name: 'deep page by cursor',
    goal: 0.95,
    reads: true,
    requests: async (service) => [await firstPageAfter(service, '/admin/users?page[size]=10', 8)],
  },
  write('create track', 0.9, ...albums.map((id) => post('/tracks', { data: track(id) }))),
  write(
    'patch title',
    0.8,
    // Titles alternate, so that every PATCH changes the row.
    ...['Album', 'Record'].flatMap((word) => albums.map((id) => patch(`/albums/${id}`, album(id, `${word} ${id}`)))),
  ),
  {
    name: 'add 20 members',
    goal: 0.9,
    reads: false,
    requests: async ({ headers }) =>
      numbers(changedTracks.from, changedTracks.to).map((id) => {
        const request = post(`/tracks/${id}/relationships/playlists`, { data: twentyPlaylists })
        return { ...request, headers: { ...request.headers, ...headers } }
      }),
  },
  write('batch of 20 creates', 1, atomicBatch(albums.slice(0, 20).map((id) => ({ op: 'add', data: track(id) })))),
]

function album(id: number, title: string) {
  return { type: 'albums', id: String(id), attributes: { title } }
}

function track(albumId: number) {
  return {
    type: 'tracks',
    attributes: { title: 'Benchmark', trackNumber: 3 },
    relationships: { album: { data: { type: 'albums', id: String(albumId) } } },
  }
}
