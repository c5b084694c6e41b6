import { cacheKeyFor, useRecommendedStore } from '@warp-drive/core'
import { setupSignals } from '@warp-drive/core/configure'
import { withDefaults } from '@warp-drive/core/reactive'
import type { RequestInfo } from '@warp-drive/core/types/request'
import type { Type } from '@warp-drive/core/types/symbols'
import { JSONAPICache } from '@warp-drive/json-api'
import {
  createRecord,
  deleteRecord,
  findRecord,
  query,
  serializePatch,
  setBuildURLConfig,
  updateRecord,
} from '@warp-drive/utilities/json-api'
import type { Cycle } from './cycle.ts'

/** Disables change notifications, which need a user interface. */
setupSignals(() => ({
  createSignal: () => ({}),
  consumeSignal: () => {},
  notifySignal: () => {},
  createMemo: (_object, _key, read) => read,
  willSyncFlushWatchers: () => false,
}))

const mediaType = 'application/vnd.api+json'
const options = { async: false, inverse: null, linksMode: true } as const
const Store = useRecommendedStore({
  cache: JSONAPICache,
  schemas: [
    withDefaults({
      type: 'albums',
      fields: [
        { kind: 'field', name: 'title' },
        { kind: 'field', name: 'status' },
        { kind: 'belongsTo', name: 'artist', type: 'artists', options },
        { kind: 'hasMany', name: 'tracks', type: 'tracks', options },
      ],
    }),
    withDefaults({ type: 'artists', fields: [{ kind: 'field', name: 'name' }] }),
    withDefaults({ type: 'tracks', fields: [{ kind: 'field', name: 'title' }] }),
  ],
})

interface Track {
  readonly id: string
  readonly title: string
  readonly [Type]: 'tracks'
}

interface Artist {
  readonly id: string
  readonly name: string
  readonly [Type]: 'artists'
}

interface Album {
  readonly id: string
  title: string
  status: string
  readonly artist: Artist
  readonly tracks: readonly Track[]
  readonly [Type]: 'albums'
}

export async function useClient(host: string): Promise<Cycle> {
  setBuildURLConfig({ host, namespace: '' })
  const store = new Store()
  const { cache } = store

  const { content: listed } = await store.request(query<Album>('albums', { sort: 'title' }))
  const { content: first } = await store.request(query<Album>('albums', { sort: 'title', 'page[size]': 1 }))
  const second = await first.next()
  const { content: found } = await store.request(findRecord<Album>('albums', '1', { include: ['artist', 'tracks'] }))
  const { content: other } = await store.request(findRecord<Artist>('artists', '2'))

  const album = store.createRecord<Album>('albums', { title: 'Third', status: 'upcoming' })
  const key = cacheKeyFor(album)
  cache.mutate({ op: 'replaceRelatedRecord', record: key, field: 'artist', value: cacheKeyFor(other.data) })
  await store.request(withBody(createRecord(album), withoutNull(serializePatch(cache, key))))
  const created = { title: album.title, status: album.status, artist: album.artist.id }

  album.status = 'released'
  cache.mutate({ op: 'replaceRelatedRecord', record: key, field: 'artist', value: cacheKeyFor(found.data.artist) })
  await store.request(withBody(updateRecord(album, { patch: true }), serializePatch(cache, key)))
  const { content: stored } = await new Store().request(findRecord<Album>('albums', album.id))

  const tracks = `${host}/albums/${album.id}/relationships/tracks`
  const members = (method: 'POST' | 'PATCH' | 'DELETE', ...ids: readonly string[]) =>
    membersAfter(store, withBody({ url: tracks, method }, { data: ids.map((id) => ({ type: 'tracks', id })) }))
  const added = await members('POST', '3', '4')
  const removed = await members('DELETE', '4')
  const emptied = await members('PATCH')

  store.deleteRecord(album)
  await store.request(deleteRecord(album))
  const deleted = await store.request(findRecord<Album>('albums', album.id)).then(asSuccess, asError)
  const invalid = store.createRecord<Album>('albums', { title: '', status: 'lost' })
  const sent = withoutNull(serializePatch(cache, cacheKeyFor(invalid)))
  const rejected = await store.request(withBody(createRecord(invalid), sent)).then(asSuccess, asError)
  return {
    listed: listed.data.map(readTitle),
    pages: [first.data, second?.data ?? []].map((albums) => albums.map(readTitle)),
    included: { artist: found.data.artist.name, tracks: found.data.tracks.map(readTitle) },
    created,
    updated: stored.data.status,
    replaced: stored.data.artist.id,
    added,
    removed,
    emptied,
    isDeleted: deleted.status === 404,
    faults: rejected.content.errors.map(({ source }) => source.pointer),
  }
}

/** Sends a patch of WarpDrive as JSON:API; the content of a request is up to the application. */
function withBody<R extends object>(request: R, document: object): R & { body: string; headers: Headers } {
  const headers = new Headers({ Accept: mediaType, 'Content-Type': mediaType })
  return { ...request, headers, body: JSON.stringify(document) }
}

/** Omits the id of a new record, which is null in WarpDrive and absent in JSON:API. */
function withoutNull({ data: { id, ...data } }: { data: { id: string | null } }): object {
  return { data: id === null ? data : { ...data, id } }
}

interface ErrorResult {
  readonly status: number
  readonly content: { readonly errors: readonly { readonly source: { readonly pointer: string } }[] }
}

function asSuccess(): ErrorResult {
  return { status: 200, content: { errors: [] } }
}

function asError(error: unknown): ErrorResult {
  return error as ErrorResult
}

async function membersAfter(store: InstanceType<typeof Store>, request: RequestInfo): Promise<string[]> {
  await store.requestManager.request(request)
  const { content } = await store.requestManager.request<{ data: { id: string }[] }>({ url: request.url as string })
  return content.data.map(({ id }) => id)
}

function readTitle({ title }: { readonly title: string }): string {
  return title
}
