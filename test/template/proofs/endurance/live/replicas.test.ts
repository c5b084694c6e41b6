import { expect } from 'chai'
import { loadMigrations } from '#discovery'
import { live } from '#plugins/live/index.ts'
import { type Database, migrate, openDatabase } from '#store'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { TestApp } from '#test/support/app.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { createLibraryTables, libraryEntities } from '#test/template/support/library/index.ts'
import { openStream } from '#test/template/support/read-events.ts'
import { startRecordedLibrary, withPlugins } from '#test/template/support/recorded-library.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '#test/template/support/replicated-postgres.ts'

// A primary and a real standby whose replay is paused: it has none of the changes.

describeIf(!hasServer)('A stream with a read replica', () => {
  let servers: ReplicatedPostgres
  let database: Database
  let started: TestApp

  before(async () => {
    servers = await startReplicatedPostgres()
    const plugins = withPlugins(live())
    database = await openDatabase({
      databaseUrl: servers.primaryUrl,
      replicaUrls: [servers.standbyUrl],
      databaseLimits: { ...defaultLimits, replicaLag: 600 },
      dataDir: null,
      entities: libraryEntities,
      migrations: await loadMigrations({ root: '', folders: [] }, plugins),
    })
    await migrate(database)
    await createLibraryTables(database)
    started = await startRecordedLibrary(database, { plugins, undescribed: ['default', 'admin'] })
    const { config } = started.app
    Object.assign(config, { variables: { ...config.variables, LIVE_RECHECK_SECONDS: 3_600 } })
    await started.app.start()
    await servers.follow()
  })
  after(async () => {
    await started?.close()
    await database?.close()
    await servers?.close()
  })

  it('has the changes that the replica has not replayed', async () => {
    const { client } = started
    const stream = await openStream(`${client.url}/books`, {})
    expect((await stream.next())?.event).to.equal('snapshot')
    await servers.hold()
    await servers.onPrimary(`insert into books (id, title) values (1, 'A')`)
    expect((await client.get('/books')).body.data).to.deep.equal([])
    expect((await stream.next())?.event).to.equal('added')
    const later = await openStream(`${client.url}/books`, { 'x-stream': 'another' })
    expect((await later.next())?.data.data).to.have.length(1)
    for (const opened of [stream, later]) opened.close()
  })
})
