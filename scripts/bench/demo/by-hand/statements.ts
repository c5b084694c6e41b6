import type pg from 'pg'
import type { Row } from './documents.ts'

// The prepared statements of the hand-written service: named, so that PostgreSQL parses each once per connection.

type Client = pg.Pool | pg.PoolClient

const albumColumns =
  'id, title, average_rating, artwork, released_at, explicit, status, available_from, available_until, label, catalogue_number, artist_id'
const trackColumns = 'id, title, track_number, length_seconds, explicit, genres, preview_offset, album_id'
/** The album of a track is null if it is not published. */
const publicTrackColumns =
  't.id, t.title, t.track_number, t.length_seconds, t.explicit, t.genres, t.preview_offset, a.id as album_id'
const publishedAlbums = 'left join albums a on a.id = t.album_id and a.published'
const publicTracks = `select ${publicTrackColumns} from tracks t ${publishedAlbums}`

export async function albumById(client: Client, id: number): Promise<Row | undefined> {
  return (await rows(client, 'album', `select ${albumColumns} from albums where id = $1 and published`, [id]))[0]
}

export function albumPage(client: Client, limit: number, offset: number): Promise<Row[]> {
  const sql = `select ${albumColumns} from albums where published order by released_at desc, id desc limit $1 offset $2`
  return rows(client, 'albums', sql, [limit, offset])
}

export function artistsById(client: Client, ids: readonly unknown[]): Promise<Row[]> {
  const sql = 'select id, name, slug, website, bio, created_at from artists where id = any($1)'
  return rows(client, 'artists', sql, [ids])
}

export async function trackCounts(client: Client, artistIds: readonly unknown[]): Promise<Map<unknown, number>> {
  const sql = `select a.artist_id as id, count(*)::int as count from albums a join tracks t on t.album_id = a.id
    where a.artist_id = any($1) and a.published group by a.artist_id`
  return new Map((await rows(client, 'counts', sql, [artistIds])).map(({ id, count }) => [id, count as number]))
}

export function tracksOfAlbums(client: Client, albumIds: readonly unknown[]): Promise<Row[]> {
  return rows(client, 'album-tracks', `${publicTracks} where t.album_id = any($1) order by t.id`, [albumIds])
}

export function trackPage(client: Client, limit: number, offset: number): Promise<Row[]> {
  const sql = `select ${publicTrackColumns} from (select * from tracks where explicit = false order by id limit $1 offset $2) t
    ${publishedAlbums} order by t.id`
  return rows(client, 'tracks', sql, [limit, offset])
}

export function tracksOfGenre(client: Client, genre: string, limit: number, offset: number): Promise<Row[]> {
  const sql = `select id, title, length_seconds from tracks where genres && array[$1] and explicit = false
    order by title, track_number desc, id desc limit $2 offset $3`
  return rows(client, 'genre', sql, [genre, limit, offset])
}

export function trackPageOfAlbum(client: Client, albumId: number, limit: number, offset: number): Promise<Row[]> {
  const sql = `${publicTracks} where t.album_id = $1 and t.explicit = false order by t.id limit $2 offset $3`
  return rows(client, 'album-track-page', sql, [albumId, limit, offset])
}

export function playlistsOfTracks(client: Client, trackIds: readonly unknown[]): Promise<Row[]> {
  const sql = `select m.track_id, p.id, p.title, p.slug, p.public, p.external_id, p.owner_id
    from playlist_tracks m join playlists p on p.id = m.playlist_id where m.track_id = any($1) order by p.id`
  return rows(client, 'track-playlists', sql, [trackIds])
}

export async function playlistIdsOfTracks(
  client: Client,
  trackIds: readonly unknown[],
): Promise<Map<unknown, string[]>> {
  const sql = 'select track_id as id, playlist_id from playlist_tracks where track_id = any($1) order by playlist_id'
  const found = new Map<unknown, string[]>()
  for (const { id, playlist_id } of await rows(client, 'track-playlist-ids', sql, [trackIds])) {
    const list = found.get(id)
    if (list) list.push(playlist_id as string)
    else found.set(id, [playlist_id as string])
  }
  return found
}

export function usersAfter(client: Client, id: number, limit: number): Promise<Row[]> {
  const sql = `select id, email, display_name, birth_date, preferences, last_seen_ip from users
    where id > $1 order by id limit $2`
  return rows(client, 'users', sql, [id, limit])
}

export async function insertTrack(client: Client, title: string, trackNumber: number, albumId: number): Promise<Row> {
  const sql = `insert into tracks (title, track_number, album_id) values ($1, $2, $3) returning ${trackColumns}`
  return (await rows(client, 'insert-track', sql, [title, trackNumber, albumId]))[0] as Row
}

export async function updateTitle(client: Client, id: number, title: string): Promise<Row | undefined> {
  const sql = `update albums set title = $2 where id = $1 and published returning ${albumColumns}`
  return (await rows(client, 'update-album', sql, [id, title]))[0]
}

export async function trackExists(client: Client, id: number): Promise<boolean> {
  return (await rows(client, 'track-exists', 'select id from tracks where id = $1', [id])).length > 0
}

/** Returns the playlists that exist, with the e-mail address of their owner. */
export function ownersOfPlaylists(client: Client, ids: readonly string[]): Promise<Row[]> {
  const sql = 'select p.id, u.email from playlists p left join users u on u.id = p.owner_id where p.id = any($1)'
  return rows(client, 'playlist-owners', sql, [ids])
}

export async function addPlaylists(client: Client, trackId: number, ids: readonly string[]): Promise<void> {
  const sql = `insert into playlist_tracks (playlist_id, track_id) select unnest($2::uuid[]), $1 on conflict do nothing`
  await rows(client, 'add-playlists', sql, [trackId, ids])
}

export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function rows(client: Client, name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
  return (await client.query<Row>({ name, text, values: [...values] })).rows
}
