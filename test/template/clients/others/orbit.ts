import { type ClientError, JSONAPISource } from '@orbit/jsonapi'
import { MemorySource } from '@orbit/memory'
import {
  type InitializedRecord,
  type RecordIdentity,
  RecordKeyMap,
  type RecordQueryBuilder,
  RecordSchema,
} from '@orbit/records'
import type { Cycle } from './cycle.ts'

/** Orbit assigns its own id to every record; the id of the service is a key beside it. */
const keys = { remoteId: {} }
const text = { type: 'string' }

const schema = new RecordSchema({
  models: {
    albums: {
      keys,
      attributes: { title: text, status: text },
      relationships: { artist: { kind: 'hasOne', type: 'artists' }, tracks: { kind: 'hasMany', type: 'tracks' } },
    },
    artists: { keys, attributes: { name: text } },
    tracks: { keys, attributes: { title: text } },
  },
})

/** Keeps types and relations unchanged; Orbit would write plurals and hyphens into paths. */
const serializerSettingsFor = () => ({ serializationOptions: { inflectors: [] } })

export async function useClient(host: string): Promise<Cycle> {
  const keyMap = new RecordKeyMap()
  const remote = new JSONAPISource({ schema, keyMap, host, serializerSettingsFor })
  const { cache } = createMemory(remote, keyMap)
  const identityOf = (type: string, remoteId: string) => ({
    type,
    id: keyMap.keyToId(type, 'remoteId', remoteId) as string,
  })
  const find = async (build: Find) => {
    const { data = [], details } = await remote.query<InitializedRecord[]>(build, { fullResponse: true })
    return { records: data, next: details?.[0]?.document?.links?.next as string }
  }
  const remoteIdOf = ({ type, id }: RecordIdentity) => keyMap.idToKey(type, 'remoteId', id) as string

  const listed = await find((q) => q.findRecords('albums').sort('title'))
  const first = await find((q) =>
    q
      .findRecords('albums')
      .sort('title')
      .options({ page: { size: 1 } }),
  )
  const second = await find((q) => q.findRecords('albums').options({ url: first.next }))
  const { id } = identityOf('albums', '1')
  await remote.query((q) => q.findRecord({ type: 'albums', id }).options({ include: ['artist', 'tracks'] }))
  const artist = cache.query<InitializedRecord>((q) => q.findRelatedRecord({ type: 'albums', id }, 'artist'))
  const tracks = cache.query<InitializedRecord[]>((q) => q.findRelatedRecords({ type: 'albums', id }, 'tracks'))

  const album = { type: 'albums', id: schema.generateId() }
  const attributes = { title: 'Third', status: 'upcoming' }
  const relationships = { artist: { data: identityOf('artists', '2') } }
  const created = await remote.update<InitializedRecord>((t) => t.addRecord({ ...album, attributes, relationships }))
  const updated = await remote.update<InitializedRecord>((t) => t.replaceAttribute(album, 'status', 'released'))
  await remote.update((t) => t.replaceRelatedRecord(album, 'artist', identityOf('artists', '1')))
  const replaced = await remote.query<InitializedRecord>((q) => q.findRelatedRecord(album, 'artist'))

  const members: Find = (q) => q.findRelatedRecords(album, 'tracks')
  await remote.query((q) => q.findRecords('tracks'))
  await remote.update((t) =>
    ['3', '4'].map((track) => t.addToRelatedRecords(album, 'tracks', identityOf('tracks', track))),
  )
  const added = await find(members)
  await remote.update((t) => t.removeFromRelatedRecords(album, 'tracks', identityOf('tracks', '4')))
  const removed = await find(members)
  await remote.update((t) => t.replaceRelatedRecords(album, 'tracks', []))
  const emptied = await find(members)

  await remote.update((t) => t.removeRecord(album))
  const deleted = await remote.query((q) => q.findRecord(album))
  const invalid = { type: 'albums', id: schema.generateId(), attributes: { title: '', status: 'lost' } }
  const faults = await remote.update((t) => t.addRecord(invalid)).then(() => [], readPointers)
  return {
    listed: listed.records.map(readTitle),
    pages: [first, second].map(({ records }) => records.map(readTitle)),
    included: { artist: artist?.attributes?.name as string, tracks: tracks.map(readTitle) },
    created: {
      title: readTitle(created),
      status: created.attributes?.status as string,
      artist: remoteIdOf(created.relationships?.artist?.data as RecordIdentity),
    },
    updated: updated.attributes?.status as string,
    replaced: remoteIdOf(replaced),
    added: added.records.map(remoteIdOf),
    removed: removed.records.map(remoteIdOf),
    emptied: emptied.records.map(remoteIdOf),
    isDeleted: deleted === undefined,
    faults,
  }
}

type Find = (q: RecordQueryBuilder) => ReturnType<RecordQueryBuilder['findRecords' | 'findRelatedRecords']>

/** Stores every response, as an application would. */
function createMemory(remote: JSONAPISource, keyMap: RecordKeyMap): MemorySource {
  const memory = new MemorySource({ schema, keyMap })
  remote.on('transform', (transform) => memory.sync(transform))
  return memory
}

function readTitle({ attributes }: InitializedRecord): string {
  return attributes?.title as string
}

function readPointers({ data }: ClientError): string[] {
  const { errors } = data as { errors: readonly { source: { pointer: string } }[] }
  return errors.map(({ source }) => source.pointer)
}
