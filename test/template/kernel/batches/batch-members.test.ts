import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import { startApp, type TestApp } from '#test/support/app.ts'
import { add, sendBatch } from '#test/support/batch.ts'
import '#test/support/catalogue.ts'
import { resetTestDatabase, testDatabase } from '#test/support/database.ts'
import { statementsOf } from '#test/support/statements.ts'

interface Member {
  readonly type: string
  readonly id: string
  readonly meta?: object
}

describe('A batch of creates with many members', () => {
  let demo: TestApp
  let tracks: readonly number[]
  /** Entities that the unit of work manages after each operation, by class. */
  const managed: Record<string, number>[] = []

  before(async () => {
    const watch: Plugin = {
      name: 'watch',
      plan: addSteps({
        afterSave({ context: { unit } }) {
          const counts: Record<string, number> = {}
          for (const entity of unit.em.getUnitOfWork().getIdentityMap()) {
            const { name } = entity.constructor
            counts[name] = (counts[name] ?? 0) + 1
          }
          managed.push(counts)
          return undefined
        },
      }),
    }
    demo = await startApp({ plugins: [...plugins, watch] })
  })
  beforeEach(async () => {
    await resetTestDatabase()
    managed.length = 0
    const numbers = "insert into tracks (title, track_number) select 'T', n from generate_series(1, 40) n returning id"
    tracks = (await rows(numbers)).map(({ id }) => id as number)
  })
  after(() => demo.close())

  const rows = async (sql: string) => (await testDatabase()).orm.em.getConnection().execute(sql)
  const member = (id: number): Member => ({ type: 'tracks', id: String(id) })
  const entry = (id: number, index: number): Member => ({
    ...member(id),
    meta: { pivot: { position: index + 1, weight: index + 1 } },
  })
  const batch = async (type: string, attributes: object, linkage: readonly Record<string, Member[]>[]) => {
    const operations = linkage.map((one) => add(type, attributes, one))
    const statements = await statementsOf(async () => {
      expect((await sendBatch(demo.client, operations)).status).to.equal(200)
    })
    return statements.length
  }
  const three = <T>(value: T): T[] => [value, value, value]

  for (const [relation, identify] of [
    ['tracks', member],
    ['orderedTracks', entry],
  ] as const) {
    it(`sends as many statements for 40 members of '${relation}' as for 2`, async () => {
      const few = await batch('playlists', { title: 'Few' }, three({ [relation]: tracks.slice(0, 2).map(identify) }))
      const many = await batch('playlists', { title: 'Many' }, three({ [relation]: tracks.map(identify) }))
      expect(many).to.equal(few)
    })
  }

  it('does not keep the entities of earlier operations in the unit of work', async () => {
    await batch('playlists', { title: 'Mix' }, three({ orderedTracks: tracks.map(entry) }))
    expect(managed.map(({ Playlist }) => Playlist)).to.deep.equal([1, 1, 1])
    expect(managed.map(({ PlaylistEntry }) => PlaylistEntry)).to.deep.equal([40, 40, 40])
    const [{ count }] = (await rows(
      `select count(*)::int as count from playlist_entries e join playlists p on p.id = e.playlist_id
        where p.title = 'Mix' and e.position = e.weight`,
    )) as [{ count: number }]
    expect(count).to.equal(120)
  })

  it('keeps moved members in the collection of their parent for hooks', async () => {
    await batch('albums', { title: 'Moved' }, [{ tracks: tracks.slice(0, 10).map(member) }])
    expect(managed[0]).to.include({ Album: 1, Track: 10 })
  })
})
