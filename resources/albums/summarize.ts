import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Unit } from '#kernel'

export interface AlbumSummary {
  readonly albums: number
  readonly tracks: number
  /** Null if no album has a rating. */
  readonly averageRating: number | null
}

/** Counts the published albums and their tracks, by one statement. */
export async function summarize({ em }: Unit): Promise<AlbumSummary> {
  const [summary] = await (em as SqlEntityManager).execute<[AlbumSummary]>(`
    select
      count(*)::int as "albums",
      (select count(*)::int from tracks join albums on albums.id = tracks.album_id where albums.published) as "tracks",
      round(avg(average_rating), 2)::float8 as "averageRating"
    from albums
    where published`)
  return { ...summary }
}
