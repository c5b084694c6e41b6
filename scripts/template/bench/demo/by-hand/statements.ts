import type pg from 'pg'
import type { Row } from './documents.ts'

// The prepared statements of the hand-written service: named, so that PostgreSQL parses each once per connection, and one
// for each request where one is enough.

const albumColumns =
  'id, title, average_rating, artwork, released_at, explicit, status, available_from, available_until, label, catalogue_number, artist_id'

const artistColumns = `r.id as artist_id, r.name, r.slug, r.website, r.bio, r.created_at,
  (select count(*)::int from albums b join tracks t on t.album_id = b.id where b.artist_id = r.id and b.published)
    as track_count`

/** The album of a track is null if it is not published. */
const trackColumns = `t.id, t.title, t.track_number, t.length_seconds, t.explicit, t.genres, t.preview_offset,
  a.id as album_id`
const publicTrackColumns = `${trackColumns}, array(select playlist_id from playlist_tracks m where m.track_id = t.id order by 1) as playlist_ids`
const publishedAlbums = 'left join albums a on a.id = t.album_id and a.published'

/** The columns of a new track, which is in no playlist. */
const newTrackColumns = `id, title, track_number, length_seconds, explicit, genres, preview_offset, album_id,
  '{}'::uuid[] as playlist_ids`

/** An album with the columns of its artist. */
export async function albumById(pool: pg.Pool, id: number): Promise<Row | undefined> {
  const sql = `select l.*, ${artistColumns} from (select ${albumColumns} from albums where id = $1 and published) l
    left join artists r on r.id = l.artist_id`
  return (await rows(pool, 'album', sql, [id]))[0]
}

export function albumPage(pool: pg.Pool, limit: number, offset: number): Promise<Row[]> {
  const sql = `select ${albumColumns} from albums where published order by released_at desc, id desc limit $1 offset $2`
  return rows(pool, 'albums', sql, [limit, offset])
}

export function artistsById(pool: pg.Pool, ids: readonly unknown[]): Promise<Row[]> {
  return rows(pool, 'artists', `select ${artistColumns} from artists r where r.id = any($1)`, [ids])
}

/** The tracks of many albums, without the ids of their playlists: those are many, and `pg` is slow to parse arrays. */
export function tracksOfAlbums(pool: pg.Pool, albumIds: readonly unknown[]): Promise<Row[]> {
  const sql = `select ${trackColumns} from tracks t ${publishedAlbums} where t.album_id = any($1) order by t.id`
  return rows(pool, 'album-tracks', sql, [albumIds])
}

export function trackPage(pool: pg.Pool, limit: number, offset: number): Promise<Row[]> {
  const sql = `select ${publicTrackColumns} from (select * from tracks where explicit = false order by id limit $1 offset $2) t
    ${publishedAlbums} order by t.id`
  return rows(pool, 'tracks', sql, [limit, offset])
}

export function tracksOfGenre(pool: pg.Pool, genre: string, limit: number, offset: number): Promise<Row[]> {
  const sql = `select id, title, length_seconds from tracks where genres && array[$1] and explicit = false
    order by title, track_number desc, id desc limit $2 offset $3`
  return rows(pool, 'genre', sql, [genre, limit, offset])
}

/** Returns one row without an id if the album has no tracks, and none if there is no such album. */
export function trackPageOfAlbum(pool: pg.Pool, albumId: number, limit: number, offset: number): Promise<Row[]> {
  const sql = `select p.* from (select id from albums where id = $1 and published) one
    left join lateral (select ${publicTrackColumns} from tracks t ${publishedAlbums}
      where t.album_id = $1 and t.explicit = false order by t.id limit $2 offset $3) p on true`
  return rows(pool, 'album-track-page', sql, [albumId, limit, offset])
}

/** The id of each playlist of each track: a playlist has many tracks, so that its columns are read once, by another statement. */
export function playlistIdsOfTracks(pool: pg.Pool, trackIds: readonly unknown[]): Promise<Row[]> {
  const sql = 'select track_id, playlist_id as id from playlist_tracks where track_id = any($1) order by playlist_id'
  return rows(pool, 'track-playlists', sql, [trackIds])
}

export function playlistsById(pool: pg.Pool, ids: readonly unknown[]): Promise<Row[]> {
  const sql = 'select id, title, slug, public, external_id, owner_id from playlists where id = any($1)'
  return rows(pool, 'playlists', sql, [ids])
}

export function usersAfter(pool: pg.Pool, id: number, limit: number): Promise<Row[]> {
  const sql = `select id, email, display_name, birth_date, preferences, last_seen_ip from users
    where id > $1 order by id limit $2`
  return rows(pool, 'users', sql, [id, limit])
}

/** Returns no row if the album does not exist or is not published. */
export async function insertTrack(
  pool: pg.Pool,
  title: string,
  trackNumber: number,
  albumId: number,
): Promise<Row | undefined> {
  const sql = `insert into tracks (title, track_number, album_id)
    select $1, $2, id from albums where id = $3 and published returning ${newTrackColumns}`
  return (await rows(pool, 'insert-track', sql, [title, trackNumber, albumId]))[0]
}

/** Inserts all tracks, or none if one of their albums does not exist or is not published. */
export function insertTracks(
  pool: pg.Pool,
  titles: readonly string[],
  trackNumbers: readonly number[],
  albumIds: readonly number[],
): Promise<Row[]> {
  const sql = `with input as (select * from unnest($1::text[], $2::int[], $3::int[]) with ordinality as i (title, number, album, at)),
      found as (select i.* from input i join albums a on a.id = i.album and a.published)
    insert into tracks (title, track_number, album_id) select title, number, album from found
      where (select count(*) from found) = cardinality($1::text[]) order by at returning ${newTrackColumns}`
  return rows(pool, 'insert-tracks', sql, [titles, trackNumbers, albumIds])
}

/** Returns the album with the columns of its artist. */
export async function updateTitle(pool: pg.Pool, id: number, title: string): Promise<Row | undefined> {
  const sql = `with updated as (update albums set title = $2 where id = $1 and published returning ${albumColumns})
    select u.*, ${artistColumns} from updated u left join artists r on r.id = u.artist_id`
  return (await rows(pool, 'update-album', sql, [id, title]))[0]
}

interface AddedPlaylists {
  /** Whether the track exists. */
  readonly found: boolean
  /** The number of given playlists that exist, and of those whose owner has the e-mail address. */
  readonly existing: number
  readonly owned: number
  /** The playlists of the track. */
  readonly ids: readonly string[]
}

/** Adds the playlists if all of them exist and have this owner. */
export async function addPlaylists(
  pool: pg.Pool,
  trackId: number,
  ids: readonly string[],
  owner: string,
): Promise<AddedPlaylists> {
  // The last select sees no rows of the insert: the members are those before and the new ones.
  const sql = `with track as (select id from tracks where id = $1 for no key update),
      given as (select p.id, u.email from playlists p left join users u on u.id = p.owner_id where p.id = any($2)),
      added as (insert into playlist_tracks (playlist_id, track_id) select given.id, track.id from given, track
        where (select count(*) from given where email = $3) = cardinality($2::uuid[])
        on conflict do nothing returning playlist_id)
    select exists (select from track) as found, (select count(*)::int from given) as existing,
      (select count(*)::int from given where email = $3) as owned,
      array(select playlist_id from playlist_tracks where track_id = $1 union select playlist_id from added order by 1) as ids`
  const [result] = await rows(pool, 'add-playlists', sql, [trackId, ids, owner])
  return result as unknown as AddedPlaylists
}

async function rows(pool: pg.Pool, name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values: [...values] })).rows
}
