import { expect } from 'chai'
import { loadMigrations } from '#discovery'
import { createClient } from '#test/support/client.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { type ChildWorld, startChildWorld } from '#test/template/proofs/live/child-world.ts'
import { requesters } from '#test/template/proofs/live/run-live.ts'
import { livePlugins, startWorld, type World } from '#test/template/proofs/live/world.ts'
import { createLibraryTables, libraryEntities } from '#test/template/support/library/index.ts'
import { type OpenedStream, openStream } from '#test/template/support/read-events.ts'

const headers = as('unrestricted')
/** Seconds between two reads of a whole collection: longer than the tests, so that only the change log tells of changes. */
const recheck = 3_600

describe('Streams of two processes on one server', () => {
  let database: TestDatabase
  let world: World
  let other: ChildWorld
  let urls: readonly [here: string, there: string]
  const streams: OpenedStream[] = []
  const open = async (url: string, lastEventId = '') => {
    const stream = await openStream(`${url}/shelves`, { ...headers, 'last-event-id': lastEventId })
    streams.push(stream)
    return stream
  }
  const create = (url: string, name: string) =>
    createClient(url, () => {}).post('/shelves', { data: { type: 'shelves', attributes: { name } } }, headers)

  before(async function () {
    if (!process.env.DATABASE_URL) this.skip() // the embedded database has one process
    const migrations = await loadMigrations({ root: '', folders: [] }, livePlugins)
    database = await openTestDatabase({ entities: libraryEntities, migrations })
    await createLibraryTables(database)
    world = await startWorld(database, recheck, requesters.slice(0, 1))
    const { DATABASE_POOLER = '' } = process.env
    other = await startChildWorld({
      DATABASE_URL: database.databaseUrl as string,
      DATABASE_POOLER,
      RECHECK: String(recheck),
    })
    urls = [world.urls[0] as string, other.urls[0] as string]
  })
  after(async () => {
    for (const stream of streams) stream.close()
    await other?.kill()
    await world?.close()
    await database?.close()
  })

  it('have the changes that the other process makes', async () => {
    const [here, there] = [await open(urls[0]), await open(urls[1])]
    for (const stream of [here, there]) expect((await stream.next())?.event).to.equal('snapshot')
    for (const [index, url] of urls.entries()) {
      expect((await create(url, `shelf ${index}`)).status).to.equal(201)
      for (const stream of [here, there]) {
        const added = await stream.next()
        expect([added?.event, added?.data.data[0].attributes.name]).to.deep.equal(['added', `shelf ${index}`])
      }
    }
  })

  it('resume in the other process, without a snapshot', async () => {
    const first = await open(urls[0])
    const snapshot = await first.next()
    first.close()
    const second = await open(urls[1], snapshot?.id)
    await create(urls[0], 'later')
    const added = await second.next()
    expect([added?.event, added?.data.data[0].attributes.name]).to.deep.equal(['added', 'later'])
  })
})
