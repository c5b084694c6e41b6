import { resolve } from 'node:path'
import { expect } from 'chai'
import { discover, loadSeeds } from '#app/kernel/discovery.ts'
import { Album } from '#resources/albums/entity.ts'
import { Artist } from '#resources/artists/entity.ts'
import { Track } from '#resources/tracks/entity.ts'
import type { Database } from '#store/database.ts'
import { type NamedSeed, type Seed, seed } from '#store/seed.ts'
import { countRows } from '#store/tables.ts'
import { markDirty } from '#test/support/app.ts'
import { testDatabase } from '#test/support/database.ts'

describe('seed', () => {
  let database: Database
  let seeds: NamedSeed[]
  before(async () => {
    database = await testDatabase()
    seeds = await loadSeeds<Seed>(await discover(resolve(import.meta.dirname, '../..')))
  })
  beforeEach(markDirty)

  const rows = (sql: string) => database.orm.em.fork().execute(sql)

  it('leaves exactly the demo rows, whatever was there', async () => {
    await database.orm.em.fork().insert(Artist, { name: 'Other', slug: 'other' })
    await seed(database, seeds)
    const counts = await countRows(database.orm.em.fork())
    expect(counts).to.include({ artists: 2, albums: 3, tracks: 4 })
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

  it('lets the sequences continue after it', async () => {
    await seed(database, seeds)
    const em = database.orm.em.fork()
    expect(await em.insert(Artist, { name: 'Next', slug: 'next' })).to.equal(3)
    expect(await em.insert(Album, { title: 'Next' })).to.equal(4)
    expect(await em.insert(Track, { title: 'Next' })).to.equal(5)
  })

  it('generates the same rows for the same scale, and those of N first in N + 1', async () => {
    const content = 'select md5(string_agg(t::text, chr(10) order by id)) as hash from tracks t where id <= 2000'
    await seed(database, seeds, { scale: 1 })
    const first = await rows(content)
    await seed(database, seeds, { scale: 2 })
    expect(await rows(content)).to.deep.equal(first)
    expect(await countRows(database.orm.em.fork())).to.include({ artists: 42, albums: 203, tracks: 2004 })
    expect(await database.orm.em.fork().insert(Track, { title: 'Next' })).to.equal(3001)
  })

  it('generates data of the promised shape', async () => {
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

  it('runs a seed after those it names, and passes over names that are gone', async () => {
    const order: string[] = []
    const note = (name: string, after: string[]) => ({ name, seed: { after, run: async () => void order.push(name) } })
    await seed(database, [note('a', ['b', 'gone']), note('b', ['c']), note('c', [])])
    expect(order).to.deep.equal(['c', 'b', 'a'])
  })
})
