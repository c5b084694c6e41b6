import { Album } from '#resources/albums/entity.ts'
import { Artist } from '#resources/artists/entity.ts'
import { Track } from '#resources/tracks/entity.ts'
import { takeDirty } from '#test/support/app.ts'
import { resetTestDatabase, testDatabase } from '#test/support/database.ts'
import { hasServer } from './describe-if.ts'

// The operations whose statements are counted, with their number of statements; tracing has the same number of spans.

/** Artists need one more statement for their track counts, tracks one more for the linkage of their playlists. */
export const collectionReads: readonly [path: string, count: number][] = [
  ['/tracks', 2],
  ['/albums?include=tracks', 3],
  ['/albums?include=tracks,artist', 5],
  ['/albums', 3],
  ['/artists', 2],
  ['/artists?include=albums', 3],
  ['/artists?include=albums.tracks', 5],
  ['/tracks?include=album.artist', 5],
  ['/tracks?include=album.artist.albums', 6],
]

export const singleReads: readonly [path: string, count: number][] = [
  ['/artists/101', 2],
  ['/albums/101?include=', 1],
  ['/albums/101?include=tracks', 3],
  ['/albums/101/tracks', 2],
  ['/artists/101/albums?include=', 2],
  ['/tracks/101/album?include=', 2],
  ['/albums/101/relationships/tracks', 1],
  ['/tracks/101/relationships/album', 2],
]

export interface Write {
  readonly title: string
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly headers?: Record<string, string>
  readonly status: number
  /** The first word of every statement. */
  readonly statements: readonly string[]
  /** On a database server, if they are others. */
  readonly serverStatements?: readonly string[]
}

const album = { data: { type: 'albums', id: '1' } }
const track = { data: { type: 'tracks', attributes: { title: 'New' }, relationships: { album } } }
const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

/** In this order, on the demo data. */
export const writes: readonly Write[] = [
  {
    title: 'creates a resource with a to-one relationship with one insert, which also checks the target',
    method: 'POST',
    path: '/tracks',
    body: track,
    status: 201,
    statements: ['begin', 'insert', 'commit'],
    serverStatements: ['insert'],
  },
  {
    title: 'runs a transaction when the response has more than the new row',
    method: 'POST',
    path: '/tracks?include=album',
    body: track,
    status: 201,
    statements: ['begin', 'insert', 'select', 'commit'],
  },
  {
    title: 'creates a resource without relationships with an insert and a select',
    method: 'POST',
    path: '/artists?fields[artists]=name',
    body: { data: { type: 'artists', attributes: { name: 'New' } } },
    status: 201,
    statements: ['begin', 'insert', 'select', 'commit'],
  },
  {
    title: 'runs an update that finds no change, and two selects, when nothing changes',
    method: 'PATCH',
    path: '/tracks/1?fields[tracks]=title',
    body: { data: { type: 'tracks', id: '1', attributes: { title: 'Airbag' } } },
    status: 200,
    statements: hasServer
      ? ['update', 'begin', 'select', 'select', 'commit']
      : ['begin', 'update', 'select', 'select', 'commit'],
  },
  {
    title: 'changes a to-one relationship with five statements: subject, target, update, parent and linkage',
    method: 'PATCH',
    path: '/tracks/1/relationships/album',
    body: { data: { type: 'albums', id: '2' } },
    status: 200,
    statements: ['begin', 'select', 'select', 'update', 'select', 'select', 'commit'],
  },
  {
    title: 'deletes a resource with one statement',
    method: 'DELETE',
    path: '/tracks/1',
    status: 204,
    statements: ['begin', 'delete', 'commit'],
    serverStatements: ['delete'],
  },
  {
    title: 'rolls back when the write fails',
    method: 'DELETE',
    path: '/artists/1',
    status: 409,
    statements: ['begin', 'select', 'delete', 'rollback'],
  },
  {
    title: 'runs a batch in one transaction, with one multi-row insert and no statement for a local id',
    method: 'POST',
    path: '/operations',
    body: {
      'atomic:operations': [
        { op: 'add', data: { type: 'albums', lid: 'new', attributes: { title: 'New' } } },
        { op: 'add', data: release('NEW 01') },
        { op: 'add', data: release('NEW 02') },
      ],
    },
    headers: { 'content-type': atomic, accept: atomic },
    status: 200,
    statements: ['begin', 'insert', 'insert', 'commit'],
  },
]

function release(catalogNumber: string) {
  const relationships = { album: { data: { type: 'albums', lid: 'new' } } }
  return { type: 'releases', attributes: { catalogNumber }, relationships }
}

/** Loads the demo data and 60 more albums, each with an artist and three tracks. */
export async function loadLargeCatalogue(): Promise<void> {
  takeDirty()
  await resetTestDatabase()
  const em = (await testDatabase()).orm.em.fork()
  const ids = Array.from({ length: 60 }, (_, index) => 101 + index)
  await em.insertMany(
    Artist,
    ids.map((id) => ({ id, name: `Artist ${id}`, slug: `artist-${id}`, createdAt: new Date() })),
  )
  await em.insertMany(
    Album,
    ids.map((id) => ({ id, title: `Album ${id}`, artist: id })),
  )
  await em.insertMany(
    Track,
    ids.flatMap((id) => [0, 100, 200].map((step) => ({ id: id + step, title: `Track ${id}`, album: id }))),
  )
}
