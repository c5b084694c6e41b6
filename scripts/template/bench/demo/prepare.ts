import type pg from 'pg'
import { seed } from '../seed.ts'
import { changedTracks, twentyPlaylists } from './work-items.ts'

/** Loads the rows of the demo ten times, and makes the user of the token the owner of the playlists that are changed. */
export async function prepareDemo(database: pg.Client, databaseUrl: string): Promise<void> {
  seed(databaseUrl, '10')
  const ids = twentyPlaylists.map(({ id }) => id)
  await database.query("update users set email = 'admin@example.com' where id = 1001")
  await database.query('update playlists set owner_id = 1001 where id = any($1)', [ids])
}

export async function restoreDemo(database: pg.Client): Promise<void> {
  await database.query("delete from tracks where title = 'Benchmark'")
  await database.query('delete from playlist_tracks where track_id between $1 and $2', [
    changedTracks.from,
    changedTracks.to,
  ])
  await database.query('vacuum tracks, playlist_tracks')
}
