import { mock } from 'node:test'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { discover, loadSeeds } from '#discovery'
import { addSteps, type Logger, type Plugin } from '#kernel/plugin'
import { type Database, type DatabaseOptions, migrate, openDatabase, type Seed, seed } from '#store'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { Connection } from '#store/driver/index.ts'
import { root, type TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { mediaType } from '#test/support/client.ts'
import { projectSchema } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { startClusteredService } from '#test/template/support/clustered-service.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '#test/template/support/replicated-postgres.ts'

/** MikroORM manages the transactions if a subscriber listens to their events. */
const listener = { async afterTransactionCommit() {} }

/** Milliseconds for which a write waits for a replica. */
const writeWait = 100

// A primary and a real standby whose replay can be paused: rows written after the pause show which server was read.

describeIf(!hasServer)('Read replicas', () => {
  let servers: ReplicatedPostgres
  let database: Database
  let app: TestApp
  const logged: string[] = []
  const record = (_details: object, message: string) => void logged.push(message)
  const logger: Logger = { info: record, warn: record, error: record }

  before(async () => {
    servers = await startReplicatedPostgres()
    database = await open({})
    await migrate(database)
    await seed(database, await loadSeeds<Seed>(await discover(root)))
    app = await start(database)
  })
  after(async () => {
    await app?.close()
    await database?.close()
    await servers?.close()
  })
  beforeEach(() => servers.follow())

  const open = async (options: Partial<DatabaseOptions>, replicaLag = 600) =>
    openDatabase({
      databaseUrl: servers.primaryUrl,
      replicaUrls: [servers.standbyUrl],
      databaseLimits: { ...defaultLimits, replicaLag },
      dataDir: null,
      logger,
      ...(await projectSchema()),
      ...options,
    })
  const options = { config: { trustProxy: true }, onWrite: () => {} }
  const start = (on: Database) => startApp({ database: on, ...options })

  let clients = 0
  /** Returns the headers of a client that has sent no request before. */
  const newClient = (): Record<string, string> => ({ 'x-forwarded-for': `10.0.0.${++clients}` })
  const genres = async (headers: Record<string, string>, { client } = app): Promise<string[]> => {
    const { status, body } = await client.get('/genres?page[size]=50', headers)
    expect(status).to.equal(200)
    return body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)
  }
  const genre = (name: string) => ({ data: { type: 'genres', id: idOf(name), attributes: { name } } })
  const idOf = (name: string) => name.toLowerCase().replace(/[^a-z]+/g, '-')
  const create = async (name: string, headers: Record<string, string>) => {
    const { status, headers: responseHeaders } = await app.client.post('/genres', genre(name), headers)
    expect(status).to.equal(201)
    return responseHeaders.get('set-cookie') ?? ''
  }
  /** Inserts a row that the standby has not replayed. */
  const insertUnreplicated = async (name: string) => {
    await servers.hold()
    await servers.onPrimary(`insert into genres (id, name) values ('${idOf(name)}', '${name}')`)
  }

  it('reads from a replica when the client has not written', async () => {
    await insertUnreplicated('Polka')
    expect(await genres(newClient())).not.to.include('Polka')
    await servers.follow()
    expect(await genres(newClient())).to.include('Polka')
  })

  it('reports the state and the lag of a replica', async () => {
    const stateNow = () => app.app.store.replicas?.()[0]
    await insertUnreplicated('Lag')
    await eventually(() => (stateNow()?.lag ?? 0) > 0)
    expect(stateNow()).to.include({ name: new URL(servers.standbyUrl).host, state: 'available' })
    await servers.follow()
    await eventually(() => stateNow()?.lag === 0)
  })

  it('returns a committed row to every client, unless the standby is late', async () => {
    await servers.delay(20)
    const { setTimeout } = globalThis
    // The standby of a busy machine may need longer than a write waits for it.
    const timers = mock.method(globalThis, 'setTimeout', (run: () => void, milliseconds: number, ...args: []) =>
      setTimeout(run, milliseconds === writeWait ? 120_000 : milliseconds, ...args),
    )
    try {
      for (const name of ['Waltz', 'Foxtrot', 'Quickstep']) {
        await create(name, newClient())
        expect(await genres(newClient())).to.include(name)
      }
    } finally {
      timers.mock.restore()
    }
    await servers.delay(0)
    await servers.hold()
    await create('Jive', newClient())
    expect(await genres(newClient())).not.to.include('Jive')
  })

  it('reads from the primary until the replica has replayed the write of the client', async () => {
    await servers.hold()
    const [writer, other] = [newClient(), newClient()]
    await create('Ska', writer)
    // The reads have one plan.
    for (let time = 0; time < 3; time++) {
      expect(await genres(writer)).to.include('Ska')
      expect(await genres(other)).not.to.include('Ska')
    }
  })

  for (const [description, name, cookie, subscriber] of [
    ['reads the position on the connection of the write', 'Mento', /^written=\d+;/, {}],
    ['sends the reads of the client to the primary if the position is unknown', 'Soca', /^written=primary;/, listener],
  ] as const) {
    it(`${description} when the connection pool is exhausted after the commit`, async () => {
      const small = await open({ databaseLimits: { ...defaultLimits, connections: 1, wait: 2, replicaLag: 600 } })
      small.orm.em.getEventManager().registerSubscriber(subscriber)
      let next: Promise<Connection | undefined> | undefined
      /** Takes the only connection as soon as the write releases it. */
      const occupy: Plugin = {
        name: 'occupy',
        plan: addSteps({
          async afterSave() {
            next = small.connect?.()
          },
        }),
      }
      const smallApp = await startApp({ database: small, plugins: [...plugins, occupy], ...options })
      await servers.hold()
      const writer = newClient()
      const written = await smallApp.client.post('/genres', genre(name), writer)
      expect(written.status).to.equal(201)
      expect(written.headers.get('set-cookie')).to.match(cookie)
      ;(await next)?.release()
      expect(await genres(writer, smallApp)).to.include(name)
      const withCookie = { ...newClient(), cookie: written.headers.get('set-cookie')?.split(';')[0] as string }
      expect(await genres(withCookie)).to.include(name)
      expect(await genres(newClient())).not.to.include(name)
      await smallApp.close()
      await small.close()
    })
  }

  it('reads from the replica after it has replayed the write of the client', async () => {
    const writer = newClient()
    await create('Zydeco', writer)
    await servers.follow()
    await insertUnreplicated('Fado')
    await eventually(async () => !(await genres(writer)).includes('Fado'))
    expect(await genres(writer)).to.include('Zydeco')
  })

  it('returns the write of a principal that reads from another address', async () => {
    await servers.hold()
    const token = { authorization: 'Bearer admin' }
    await create('Samba', { ...token, ...newClient() })
    expect(await genres({ ...token, ...newClient() })).to.include('Samba')
  })

  it('returns the write of a client with its cookie in another process', async () => {
    const other = await open({})
    const twin = await start(other)
    await servers.hold()
    const cookie = await create('Tango', newClient())
    expect(cookie).to.match(/^written=\d+; path=\/; expires=[^;]+; samesite=lax; httponly$/)
    const headers = { ...newClient(), cookie: cookie.split(';')[0] as string }
    expect(await genres(headers, twin)).to.include('Tango')
    expect(await genres(newClient(), twin)).not.to.include('Tango')
    await twin.close()
    await other.close()
  })

  for (const [description, name, forge] of [
    ['the largest number', 'Skiffle', () => '99999999999999999999'],
    ['a position beyond the log of the primary', 'Rebetiko', (position: bigint) => String(position + 1_000_000n)],
    ['not a number', 'Gamelan', () => 'forever'],
  ] as const) {
    it(`reads from the replica when the cookie is forged: ${description}`, async () => {
      const [row] = await servers.onPrimary(`select (pg_current_wal_insert_lsn() - '0/0')::text as position`)
      await insertUnreplicated(name)
      const headers = { ...newClient(), cookie: `written=${forge(BigInt(row?.position as string))}` }
      for (let time = 0; time < 3; time++) expect(await genres(headers)).not.to.include(name)
    })
  }

  it('returns the write of a client without cookies in all workers of a service', async () => {
    const cluster = await startClusteredService({
      DATABASE_URL: servers.primaryUrl,
      DATABASE_REPLICA_URLS: servers.standbyUrl,
      DATABASE_REPLICA_LAG: '600',
    })
    try {
      await cluster.servingPids()
      await servers.hold()
      const headers = { accept: mediaType, 'content-type': mediaType }
      await fetch(`${cluster.url}/genres`, { method: 'POST', headers, body: JSON.stringify(genre('Cumbia')) })
      for (let time = 0; time < 10; time++) expect((await cluster.get('/genres/cumbia')).status).to.equal(200)
    } finally {
      process.kill(cluster.pid, 'SIGTERM')
      await cluster.ended
    }
  })

  it('reads from the replica when the cookie is invalid', async () => {
    await insertUnreplicated('Klezmer')
    for (const written of ['', 'x', '-1', '1e5', '9'.repeat(400), '%00'])
      expect(await genres({ ...newClient(), cookie: `written=${written}` })).not.to.include('Klezmer')
  })

  it('reads from the primary inside a write and after a batch', async () => {
    const writer = newClient()
    await servers.hold()
    await create('Bolero', writer)
    const change = { data: { ...genre('Bolero').data, attributes: { name: 'Bossa nova' } } }
    expect((await app.client.patch('/genres/bolero', change, newClient())).status).to.equal(200)
    const media = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
    const operations = { 'atomic:operations': [{ op: 'add', ...genre('Forro') }] }
    const batch = { ...writer, accept: media, 'content-type': media }
    expect((await app.client.post('/operations', operations, batch)).headers.get('set-cookie')).to.match(/^written=/)
    expect(await genres(writer)).to.include.members(['Bossa nova', 'Forro'])
  })

  it('reads from the primary while the replica exceeds the maximum lag', async () => {
    const strict = await open({}, 0.5)
    const strictApp = await start(strict)
    await insertUnreplicated('Calypso')
    expect(await genres(newClient())).not.to.include('Calypso')
    const isLogged = () => logged.includes('Replica lags too far behind; reads go to the primary.')
    await eventually(async () => (await genres(newClient(), strictApp)).includes('Calypso') && isLogged())
    await strictApp.close()
    await strict.close()
  })

  it('returns 200 for every read while the replica stops and restarts', async () => {
    const expectGenres = async () => void expect(await genres(newClient())).not.to.be.empty
    logged.length = 0
    await servers.stopStandby()
    for (let time = 0; time < 20; time++) await expectGenres()
    expect(logged).to.deep.equal(['Replica unreachable or not in recovery; reads go to the primary.'])
    await servers.startStandby()
    await eventually(async () => {
      await expectGenres()
      return logged.includes('Replica available; it serves reads.')
    })
    await insertUnreplicated('Mambo')
    await eventually(async () => !(await genres(newClient())).includes('Mambo'))
  })

  it('returns 200 for every read while the replica hangs', async () => {
    const hanging = await open({ databaseLimits: { ...defaultLimits, statement: 2 } })
    const hangingApp = await start(hanging)
    await genres(newClient(), hangingApp) // opens a connection that is kept
    const thaw = await servers.freeze()
    for (let time = 0; time < 5; time++) expect(await genres(newClient(), hangingApp)).not.to.be.empty
    thaw()
    await insertUnreplicated('Bachata')
    await eventually(async () => !(await genres(newClient(), hangingApp)).includes('Bachata'))
    await hangingApp.close()
    await hanging.close()
  })

  it('reads from the primary when no replica is in recovery', async () => {
    await insertUnreplicated('Rumba')
    const alone = await open({ replicaUrls: [servers.primaryUrl, 'postgres://unknown@127.0.0.1:1/nothing'] })
    const aloneApp = await start(alone)
    expect(await genres(newClient(), aloneApp)).to.include('Rumba')
    await aloneApp.close()
    await alone.close()
  })
})
