import type { MeasuredService } from './measured-service.ts'

/** One kind of request, sent to both services. */
export interface WorkItem {
  readonly name: string
  /** Minimum throughput relative to the hand-written service. */
  readonly goal: number
  readonly reads: boolean
  /** The requests of one run, sent one after another. */
  requests(service: MeasuredService): Promise<readonly WorkRequest[]>
}

export interface WorkRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Tracks of the bulk seed whose playlists the bench changes. */
export const changedTracks = { from: 9001, to: 9400 }

const mediaType = 'application/vnd.api+json'
const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`

/** Albums of the bulk seed, all of them published. */
const albums = numbers(1041, 1080)

/** Playlists of the bulk seed; `assignPlaylists` makes the caller their owner. */
export const twentyPlaylists = numbers(1001, 1020).map((id) => ({
  type: 'playlists',
  id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
}))

export const workItems: readonly WorkItem[] = [
  read('one album', 0.9, ...albums.map((id) => `/albums/${id}`)),
  read('50 albums', 0.9, '/albums?page[size]=50'),
  read('50 albums with include', 1, '/albums?page[size]=50&include=artist,tracks.playlists'),
  read(
    'sparse, sorted, filtered',
    0.9,
    '/tracks?filter[genres]=jazz&sort=title,-trackNumber&fields[tracks]=title,durationSeconds&page[size]=50',
  ),
  read('related page', 0.9, ...albums.map((id) => `/albums/${id}/tracks?page[size]=10`)),
  read('deep page by number', 0.9, '/tracks?page[number]=150&page[size]=50'),
  {
    name: 'deep page by cursor',
    goal: 0.9,
    reads: true,
    requests: async (service) => {
      const { headers } = service
      return [{ ...get(await followNextLinks(service, '/admin/users?page[size]=10', 8)), headers }]
    },
  },
  write('create track', 0.6, ...albums.map((id) => post('/tracks', { data: track(id) }))),
  write(
    'patch title',
    0.45,
    // Titles alternate, so that every PATCH changes the row.
    ...['Album', 'Record'].flatMap((word) => albums.map((id) => patch(`/albums/${id}`, album(id, `${word} ${id}`)))),
  ),
  {
    name: 'add 20 members',
    goal: 0.5,
    reads: false,
    requests: async ({ headers }) =>
      numbers(changedTracks.from, changedTracks.to).map((id) => {
        const request = post(`/tracks/${id}/relationships/playlists`, { data: twentyPlaylists })
        return { ...request, headers: { ...request.headers, ...headers } }
      }),
  },
  write('atomic batch of 20', 0.5, {
    method: 'POST',
    path: '/operations',
    headers: { 'content-type': atomicType, accept: atomicType },
    body: JSON.stringify({ 'atomic:operations': albums.slice(0, 20).map((id) => ({ op: 'add', data: track(id) })) }),
  }),
]

function read(name: string, goal: number, ...paths: readonly string[]): WorkItem {
  return { name, goal, reads: true, requests: async () => paths.map(get) }
}

function write(name: string, goal: number, ...requests: readonly WorkRequest[]): WorkItem {
  return { name, goal, reads: false, requests: async () => requests }
}

export function get(path: string): WorkRequest {
  return { method: 'GET', path }
}

function post(path: string, body: object): WorkRequest {
  return { method: 'POST', path, headers: { 'content-type': mediaType }, body: JSON.stringify(body) }
}

function patch(path: string, data: object): WorkRequest {
  return { ...post(path, { data }), method: 'PATCH' }
}

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

/** Returns the path of the page after a number of `next` links. */
async function followNextLinks({ url, headers }: MeasuredService, path: string, steps: number): Promise<string> {
  let at = path
  for (let step = 0; step < steps; step++) {
    const { links } = (await (await fetch(url + at, { headers })).json()) as { links: { next: string } }
    at = links.next.slice(url.length)
  }
  return at
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
