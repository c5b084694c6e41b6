import { expect } from 'chai'
import { LibraryItem } from '#resources/libraries/entity.ts'
import { PlaylistEntry } from '#resources/playlists/entity.ts'
import { Track } from '#resources/tracks/entity.ts'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'

// A relation may have any number of members; a write of a few members must not load all of them.

const morning = '00000000-0000-4000-8000-000000000001'
const count = 700
const keys = Array.from({ length: count }, (_, index) => 1001 + index)
const track = (id: number) => ({ type: 'tracks', id: String(id) })
const entry = (id: number) => ({ ...track(id), meta: { pivot: { position: 5, weight: 5 } } })

describe('Relationship writes with 700 members', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })
  beforeEach(async () => {
    const em = (await testDatabase()).orm.em.fork()
    markDirty()
    await em.insertMany(
      Track,
      keys.map((id) => ({ id, title: `Track ${id}`, genres: ['rock'] })),
    )
    await em.insertMany(
      PlaylistEntry,
      keys.map((id) => ({ id: id + 1000, playlist: morning, track: id, position: 1 })),
    )
    await em.insertMany(
      LibraryItem,
      keys.map((id) => ({ id: id + 1000, library: 1, item: ['tracks', id] as never, position: id })),
    )
  })

  const send = async (method: string, path: string, data: object[]) => {
    const statements = await statementsOf(async () => {
      const { status, text } = await client.send(method, path, { body: { data }, headers: as('ada@example.com') })
      expect(status, text).to.equal(200)
    })
    return statements.map(({ sql }) => sql)
  }
  const positionOf = async (key: number) => {
    const em = (await testDatabase()).orm.em.fork()
    return (await em.findOneOrFail(LibraryItem, { library: 1, item: ['tracks', key] as never })).position
  }

  describe('join table with pivot fields', () => {
    const path = `/playlists/${morning}/relationships/orderedTracks`
    const ofNamedTracks = /(t0\."id"|"track_id") = (any\()?\$/
    const idsOf = async () => {
      const { body } = await client.get(path)
      return body.data.map(({ id }: { id: string }) => id)
    }

    it('reads only the join table rows of the sent members for POST and DELETE', async () => {
      for (const method of ['POST', 'DELETE']) {
        const statements = await send(method, path, [entry(1001)])
        const reads = statements.slice(0, -1).filter((sql) => /^select .*"playlist_entries"/.test(sql))
        for (const sql of reads) expect(sql, method).to.match(ofNamedTracks)
      }
      expect(await idsOf()).to.have.length(count + 2)
    })

    it('deletes the other rows with one statement for PATCH', async () => {
      const statements = await send('PATCH', path, [entry(1001), entry(2)])
      expect(statements.filter((sql) => sql.startsWith('delete'))).to.have.length(1)
      const reads = statements.slice(0, -1).filter((sql) => /^select .*"playlist_entries"/.test(sql))
      for (const sql of reads) expect(sql).to.match(ofNamedTracks)
      expect(await idsOf()).to.have.members(['1001', '2'])
    })

    it('deletes all rows with one statement for PATCH with an empty list', async () => {
      const statements = await send('PATCH', path, [])
      expect(statements.filter((sql) => sql.startsWith('delete'))).to.have.length(1)
      expect(await idsOf()).to.deep.equal([])
    })
  })

  describe('polymorphic join table', () => {
    const path = '/libraries/1/relationships/items'

    it('locks only the join table rows of the sent members for POST', async () => {
      const statements = await send('POST', path, [track(1001), track(4)])
      const locks = statements.filter((sql) => /from "library_items".* for no key update/.test(sql))
      expect(locks).to.have.length(1)
      expect(locks[0]).to.match(/"item_id" = any\(\$/)
      expect(await positionOf(1001)).to.equal(1001)
      expect(await positionOf(4)).to.equal(1701)
    })

    it('locks only the join table rows of the sent members for DELETE', async () => {
      const statements = await send('DELETE', path, [track(1001)])
      const locks = statements.filter((sql) => /from "library_items".* for no key update/.test(sql))
      expect(locks[0]).to.match(/"item_id" = any\(\$/)
      const { body } = await client.get(`${path}?page[size]=50`)
      expect(body.data.map(({ id }: { id: string }) => id)).not.to.include.members(['1001'])
    })

    it('deletes the other rows with one statement and numbers the sent members for PATCH', async () => {
      const statements = await send('PATCH', path, [track(1002), track(1001), track(4)])
      expect(statements.filter((sql) => sql.startsWith('delete'))).to.have.length(1)
      const { body } = await client.get(path)
      expect(body.data).to.deep.equal(
        [track(1002), track(1001), track(4)].map((identifier) => ({ ...identifier, meta })),
      )
      expect([await positionOf(1002), await positionOf(1001), await positionOf(4)]).to.deep.equal([1, 2, 3])
    })
  })
})

const meta = { served_by: 'music-catalog' }
