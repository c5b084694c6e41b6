import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type Listeners, lifecycle } from '#plugins/lifecycle/index.ts'
import { observeStatements } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { add, addAs, expectFailure, type Identity, readResults, readTables, sendBatch } from '#test/support/batch.ts'
import { startApp } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { statementsOf } from '#test/support/statements.ts'

// Batches of the maximum size whose resources refer to each other: committed or rolled back as a whole.

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const named = (type: string, lid: string, meta?: object): Identity => ({ type, lid, ...(meta && { meta }) })

/** An artist, 9 albums of 9 tracks each, and 8 playlists with a track of every album, in an order of their own. */
const discography = [
  addAs('artist', 'artists', { name: 'Low' }),
  ...numbers(9).map((album) =>
    addAs(`album ${album}`, 'albums', { title: `Album ${album}` }, { artist: named('artists', 'artist') }),
  ),
  ...numbers(81).map((track) =>
    addAs(
      `track ${track}`,
      'tracks',
      { title: `Track ${track}`, trackNumber: 1 + (track % 9) },
      { album: named('albums', `album ${Math.floor(track / 9)}`) },
    ),
  ),
  ...numbers(8).map((playlist) => add('playlists', { title: `Playlist ${playlist}` }, playlistOrder(playlist))),
]
const last = add('playlists', { title: 'Playlist 8' }, playlistOrder(8))

/** One track of every album, the last album first. */
function playlistOrder(playlist: number) {
  const members = numbers(9).map((album) =>
    named('tracks', `track ${album * 9 + playlist}`, { pivot: { position: 9 - album, weight: 100 + album } }),
  )
  return { orderedTracks: members, tracks: members.slice(0, 3).map(({ type, lid }) => named(type, lid as string)) }
}

describe('A batch of 100 operations', () => {
  let app: TestApp
  let client: Client
  const heard: string[] = []
  let isFailing = false

  before(async () => {
    const after = ['AfterCreate', 'AfterUpdate', 'AfterSave', 'AfterDelete', 'AfterRelationshipMutate']
    const on: Listeners = {
      ...Object.fromEntries(after.map((name) => [name, () => void heard.push(name)])),
      async BeforeCreate({ type, context }) {
        if (type === 'artists' && isFailing)
          await context.unit.enqueue('export-catalog', { exportId: 1, format: 'csv' })
      },
    }
    app = await startApp({ plugins: plugins.map((one) => (one.name === 'lifecycle' ? lifecycle({ on }) : one)) })
    client = app.client
  })
  beforeEach(() => {
    heard.splice(0)
    isFailing = false
  })
  after(() => app.close())

  it('runs in one transaction when its operations refer to each other by local ids', async () => {
    const borders: string[] = []
    const stop = observeStatements(({ sql }) => {
      if (/^(begin|commit|rollback|savepoint)/i.test(sql)) borders.push(sql.toLowerCase())
    })
    const answer = await sendBatch(client, [...discography, last])
    stop()
    const results = readResults(answer)
    expect(results).to.have.length(100)
    expect(borders).to.deep.equal(['begin', 'commit'])
    expect(heard).to.deep.equal(numbers(100).flatMap(() => ['AfterCreate', 'AfterSave']))

    const { id } = results[99] ?? {}
    const { body } = await client.get(`/playlists/${id}/orderedTracks?sort=position&page[size]=9`)
    expect(body.data.map(({ attributes }: { attributes: { title: string } }) => attributes.title)).to.deep.equal(
      numbers(9).map((place) => `Track ${(8 - place) * 9 + 8}`),
    )
    expect(body.data[0].meta.pivot).to.deep.include({ position: 1, weight: 108 })
    const tracks = await client.get(`/playlists/${id}/relationships/tracks`)
    expect(tracks.body.data).to.have.length(3)
    const album = await client.get(`/albums/${results[9]?.id}?include=artist,tracks`)
    expect(album.body.included).to.have.length(10)
  })

  for (const [what, failing, status, code, pointer] of [
    ['is invalid', add('playlists', { public: true }, playlistOrder(8)), 422, 'VALIDATION_FAILED', '/data/attributes'],
    ['returns 202', add('catalog-exports', { format: 'csv' }), 422, 'ASYNC_WRITE_IN_ATOMIC_OPERATION', ''],
  ] as const) {
    it(`leaves tables and jobs unchanged and runs no hook after commit when the last operation ${what}`, async () => {
      isFailing = true
      const before = [await readTables(await testDatabase()), await jobs()]
      const answer = await sendBatch(client, [...discography, failing])
      expectFailure(answer, status, code, `/atomic:operations/99${pointer}`)
      expect([await readTables(await testDatabase()), await jobs()]).to.deep.equal(before)
      expect(heard).to.deep.equal([])
    })
  }
})

describe('Statements of a batch', () => {
  let app: TestApp

  before(async () => {
    app = await startApp()
  })
  after(() => app.close())

  const album = addAs('album', 'albums', { title: 'Trust' })
  const track = add('tracks', { title: 'Canada' }, { album: named('albums', 'album') })
  for (const count of [1, 10, 50]) {
    it(`are one insert for an album and one insert for its ${count} tracks`, async () => {
      const statements = await statementsOf(async () => {
        readResults(await sendBatch(app.client, [album, ...numbers(count).map(() => track)]))
      })
      const verbs = statements.map(({ sql }) => sql.split(' ')[0])
      expect(verbs).to.deep.equal(['insert', 'insert'])
    })

    it(`are two for each of ${count} updates of an album: lock and update`, async () => {
      const changes = numbers(count).map((index) => ({
        op: 'update',
        data: { type: 'albums', id: '1', attributes: { title: `Trust ${count} ${index}` } },
      }))
      const statements = await statementsOf(async () => {
        readResults(await sendBatch(app.client, changes))
      })
      const verbs = statements.map(({ sql }) => sql.split(' ')[0])
      expect(verbs).to.deep.equal(numbers(count).flatMap(() => ['select', 'update']))
    })
  }

  it('insert rows in the order of the operations, also if only some of them have a value for a column', async () => {
    const tracks = [{}, { durationSeconds: 60 }, {}, { durationSeconds: 90 }].map((attributes, index) =>
      add('tracks', { title: `Track ${index}`, trackNumber: 1, ...attributes }),
    )
    const ids = readResults(await sendBatch(app.client, tracks)).map(({ id }) => Number(id))
    expect(ids).to.deep.equal(ids.toSorted((one, other) => one - other))
  })

  it('end with 404 at the operation that refers to a missing resource', async () => {
    const wrong = add('tracks', { title: 'Canada' }, { album: { type: 'albums', id: '4711' } })
    const answer = await sendBatch(app.client, [...numbers(5).map(() => add('tracks', { title: 'Sunflower' })), wrong])
    expectFailure(answer, 404, 'RESOURCE_NOT_FOUND', '/atomic:operations/5/data/relationships/album/data')
  })
})

/** The jobs of asynchronous writes, without those that are repeated in the background; empty if no queue was opened. */
async function jobs(): Promise<unknown> {
  const connection = (await testDatabase()).orm.em.getConnection()
  const [{ queue } = { queue: null }] = await connection.execute(`select to_regclass('pgboss.job') as queue`)
  return queue ? connection.execute("select id, state from pgboss.job where name = 'export-catalog' order by id") : []
}
