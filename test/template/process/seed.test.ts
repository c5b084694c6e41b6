import { resolve } from 'node:path'
import { expect } from 'chai'
import { discover, loadSeeds } from '#app/discovery/discovery.ts'
import { Album } from '#resources/albums/entity.ts'
import { Artist } from '#resources/artists/entity.ts'
import { CatalogExport } from '#resources/catalog-exports/entity.ts'
import { Favorite } from '#resources/favorites/entity.ts'
import { Library } from '#resources/libraries/entity.ts'
import { Product } from '#resources/products/entity.ts'
import { Release } from '#resources/releases/entity.ts'
import { Track } from '#resources/tracks/entity.ts'
import type { Database } from '#store/connection/types.ts'
import { type NamedSeed, type Seed, seed } from '#store/migrations/seed.ts'
import { countRows } from '#store/migrations/tables.ts'
import { markDirty } from '#test/support/app.ts'
import { testDatabase } from '#test/support/database.ts'

/** The rows of the demo data, and those of one generated unit. */
const demo: Readonly<Record<string, number>> = {
  albums: 3,
  artists: 2,
  catalog_exports: 2,
  devices: 0,
  export_jobs: 2,
  favorites: 3,
  genres: 0,
  libraries: 1,
  library_items: 3,
  playlist_entries: 3,
  playlist_tracks: 2,
  playlists: 1,
  products: 0,
  releases: 2,
  tracks: 4,
  users: 1,
}
const unit: Readonly<Record<string, number>> = {
  albums: 100,
  artists: 20,
  devices: 20,
  favorites: 100,
  libraries: 10,
  library_items: 200,
  playlist_entries: 1000,
  playlist_tracks: 1000,
  playlists: 50,
  products: 20,
  releases: 50,
  tracks: 1000,
  users: 10,
}
const tables = Object.keys(demo)

describe('seed', () => {
  let database: Database
  let seeds: NamedSeed[]
  before(async () => {
    database = await testDatabase()
    seeds = await loadSeeds<Seed>(await discover(resolve(import.meta.dirname, '../../..')))
  })
  beforeEach(markDirty)

  const rows = (sql: string) => database.orm.em.fork().execute(sql)

  it('replaces all rows by exactly the demo rows', async () => {
    await database.orm.em.fork().insert(Artist, { name: 'Other', slug: 'other' })
    await seed(database, seeds)
    const counts = await countRows(database.orm.em.fork())
    expect(counts).to.include(demo)
    expect(Object.keys(counts).filter((table) => counts[table] && !demo[table])).to.deep.equal([])
    expect(await rows('select id, slug, website from artists order by id')).to.deep.equal([
      { id: 1, slug: 'radiohead', website: 'https://radiohead.com' },
      { id: 2, slug: 'portishead', website: null },
    ])
    const album = await database.orm.em.fork().findOneOrFail(Album, 3)
    expect(album).to.deep.include({
      title: 'Unreleased Sessions',
      published: false,
      status: 'upcoming',
      releasedAt: null,
    })
    const track = await database.orm.em.fork().findOneOrFail(Track, 2)
    expect(track).to.deep.include({ explicit: true, genres: ['rock', 'progressive'], previewOffset: '00:01:00' })
    const exit = await database.orm.em.fork().findOneOrFail(Track, 3)
    expect(exit).to.deep.include({ explicit: false, genres: ['rock'], previewOffset: null })
  })

  it('adds the rows of the demo on request: at least 25 published albums, some with tracks', async () => {
    await seed(database, seeds, { demo: true })
    const counts = await countRows(database.orm.em.fork())
    expect(counts).to.include({ users: 1, playlists: 1 })
    const [{ albums, listed } = {}] =
      await rows(`select count(*)::int as albums, count(distinct t.album_id)::int as listed
      from albums a left join tracks t on t.album_id = a.id where a.published and a.artist_id is not null`)
    expect(albums).to.be.at.least(25)
    expect(listed).to.be.at.least(8)
    const [{ next } = {}] = await rows(`select nextval('albums_id_seq')::int as next`)
    expect(next).to.equal((counts.albums as number) + 1)
  })

  it('sets the sequences to the highest ids', async () => {
    await seed(database, seeds)
    const em = database.orm.em.fork()
    expect(await em.insert(Artist, { name: 'Next', slug: 'next' })).to.equal(3)
    expect(await em.insert(Album, { title: 'Next' })).to.equal(4)
    expect(await em.insert(Track, { title: 'Next' })).to.equal(5)
    expect(await em.insert(Favorite, {})).to.equal(4)
    expect(await em.insert(Library, {})).to.equal(2)
    expect(await em.insert(Release, { catalogNumber: 'Next' })).to.equal(3)
    expect(await em.insert(Product, { name: 'Next' })).to.equal(1)
    expect(await em.insert(CatalogExport, { format: 'csv' })).to.equal(3)
  })

  it('generates the same rows for the same scale, and scale N + 1 contains the rows of scale N', async () => {
    const linesOf = async (table: string) => {
      const lines = await rows(`select t::text as line from ${table} t`)
      return lines.map(({ line }) => line as string)
    }
    await seed(database, seeds, { scale: 1 })
    const first = await Promise.all(tables.map(linesOf))
    await seed(database, seeds, { scale: 2 })
    for (const [index, table] of tables.entries()) {
      expect(first[index], table).to.have.length((demo[table] as number) + (unit[table] ?? 0))
      const again = new Set(await linesOf(table))
      expect(
        first[index]?.filter((line) => !again.has(line)),
        table,
      ).to.deep.equal([])
    }
    const twice = Object.entries(demo).map(([table, count]) => [table, count + 2 * (unit[table] ?? 0)])
    expect(await countRows(database.orm.em.fork())).to.include(Object.fromEntries(twice))
    expect(await database.orm.em.fork().insert(Track, { title: 'Next' })).to.equal(3001)
  })

  it('generates rows with the documented distribution of values', async () => {
    await seed(database, seeds, { scale: 1 })
    const [tracks] = await rows(`select count(*) filter (where explicit)::int as explicit,
      count(*) filter (where preview_offset is null)::int as mute, count(distinct title)::int as titles,
      count(*) filter (where title ~ '[^ -~]|%|_')::int as odd from tracks where id > 1000`)
    expect(tracks).to.include({ explicit: 100, mute: 200, odd: 10 })
    expect(tracks?.titles).to.be.below(150)
    const [albums] = await rows(`select count(*) filter (where not published)::int as hidden,
      count(*) filter (where released_at is null)::int as undated, count(distinct released_at)::int as dates,
      count(*) filter (where average_rating is null)::int as unrated from albums where id > 1000`)
    expect(albums).to.include({ hidden: 2, undated: 5, unrated: 10 })
    expect(albums?.dates).to.be.below(81)
  })

  it('fills every generated playlist and library without references to the demo rows', async () => {
    await seed(database, seeds, { scale: 1 })
    const sizes = (table: string, parent: string) =>
      rows(`select distinct count(*)::int as size from ${table} where ${parent}::text <> '1'
        and ${parent}::text not like '%-000000000001' group by ${parent}`)
    expect(await sizes('playlist_tracks', 'playlist_id')).to.deep.equal([{ size: 20 }])
    expect(await sizes('playlist_entries', 'playlist_id')).to.deep.equal([{ size: 20 }])
    expect(await sizes('library_items', 'library_id')).to.deep.equal([{ size: 20 }])
    expect(await sizes('playlists', 'owner_id')).to.deep.equal([{ size: 5 }])
    const [strays] = await rows(`select
      (select count(*)::int from playlist_tracks where track_id < 1000) as members,
      (select count(*)::int from playlist_entries where track_id < 1000) as entries,
      (select count(*)::int from library_items where item_id < 1000) as items,
      (select count(*)::int from favorites where favoritable_id < 1000 or user_id < 1000) as favorites,
      (select count(*)::int from releases where album_id < 1000) as releases`)
    expect(strays).to.deep.equal({ members: 2, entries: 3, items: 3, favorites: 3, releases: 2 })
    const [missing] = await rows(`select count(*)::int as count from library_items where not exists (
      select 1 from tracks where item_type = 'tracks' and id = item_id) and not exists (
      select 1 from albums where item_type = 'albums' and id = item_id) and not exists (
      select 1 from artists where item_type = 'artists' and id = item_id)`)
    expect(missing).to.deep.equal({ count: 0 })
  })

  it('runs a seed after the types in `after`, and ignores unknown types', async () => {
    const order: string[] = []
    const note = (name: string, after: string[]) => ({ name, seed: { after, run: async () => void order.push(name) } })
    await seed(database, [note('a', ['b', 'gone']), note('b', ['c']), note('c', [])])
    expect(order).to.deep.equal(['c', 'b', 'a'])
  })
})
