import { expect } from 'chai'
import { discover, loadSeeds } from '#discovery'
import type { Logger } from '#kernel/plugin'
import { type Database, type DatabaseOptions, migrate, openDatabase, type Seed, seed } from '#store'
import { defaultLimits } from '#store/connection/orm-options.ts'
import { root, type TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { mediaType } from '#test/support/client.ts'
import { startClusteredService } from '#test/support/clustered-service.ts'
import { projectSchema } from '#test/support/database.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '#test/support/replicated-postgres.ts'
import { until } from '#test/support/until.ts'

// A primary and a real standby, which can be held at a point: what is written after it tells who has answered.

if (!process.env.DATABASE_URL) {
  describe('Read replicas', () => {
    let servers: ReplicatedPostgres
    let database: Database
    let app: TestApp
    const said: string[] = []
    const note = (_details: object, message: string) => void said.push(message)
    const logger: Logger = { info: note, warn: note, error: note }

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
    const start = (on: Database) => startApp({ database: on, config: { trustProxy: true }, wrote: () => {} })

    let clients = 0
    /** The headers of somebody who has not asked before. */
    const somebody = (): Record<string, string> => ({ 'x-forwarded-for': `10.0.0.${++clients}` })
    const genres = async (headers: Record<string, string>, { client } = app): Promise<string[]> => {
      const { status, body } = await client.get('/genres?page[size]=50', headers)
      expect(status).to.equal(200)
      return body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)
    }
    const genre = (name: string) => ({ data: { type: 'genres', id: idOf(name), attributes: { name } } })
    const idOf = (name: string) => name.toLowerCase().replace(/[^a-z]+/g, '-')
    const create = async (name: string, headers: Record<string, string>) => {
      const { status, headers: answered } = await app.client.post('/genres', genre(name), headers)
      expect(status).to.equal(201)
      return answered.get('set-cookie') ?? ''
    }
    /** The standby has not seen it. */
    const insertUnseen = async (name: string) => {
      await servers.hold()
      await servers.onPrimary(`insert into genres (id, name) values ('${idOf(name)}', '${name}')`)
    }

    it('are asked by those who only read', async () => {
      await insertUnseen('Polka')
      expect(await genres(somebody())).not.to.include('Polka')
      await servers.follow()
      expect(await genres(somebody())).to.include('Polka')
    })

    it('have what was written when it is answered, for whoever asks then, if they are not late', async () => {
      await servers.delay(20)
      for (const name of ['Waltz', 'Foxtrot', 'Quickstep']) {
        await create(name, somebody())
        expect(await genres(somebody())).to.include(name)
      }
      await servers.delay(3000)
      await create('Jive', somebody())
      expect(await genres(somebody())).not.to.include('Jive')
      await servers.delay(0)
    })

    it('are not asked by those who have written what they have not seen', async () => {
      await servers.hold()
      const [writer, other] = [somebody(), somebody()]
      await create('Ska', writer)
      expect(await genres(writer)).to.include('Ska')
      expect(await genres(other)).not.to.include('Ska')
    })

    it('are asked again by those whose write they have seen', async () => {
      const writer = somebody()
      await create('Zydeco', writer)
      await servers.follow()
      await insertUnseen('Fado')
      await until(async () => !(await genres(writer)).includes('Fado'))
      expect(await genres(writer)).to.include('Zydeco')
    })

    it('know a principal wherever it asks from', async () => {
      await servers.hold()
      const token = { authorization: 'Bearer admin' }
      await create('Samba', { ...token, ...somebody() })
      expect(await genres({ ...token, ...somebody() })).to.include('Samba')
    })

    it('know a client by its cookie, also in another process', async () => {
      const other = await open({})
      const twin = await start(other)
      await servers.hold()
      const cookie = await create('Tango', somebody())
      expect(cookie).to.match(/^written=\d+; path=\/; expires=[^;]+; samesite=lax; httponly$/)
      const headers = { ...somebody(), cookie: cookie.split(';')[0] as string }
      expect(await genres(headers, twin)).to.include('Tango')
      expect(await genres(somebody(), twin)).not.to.include('Tango')
      await twin.close()
      await other.close()
    })

    for (const [what, name, forge] of [
      ['the largest number', 'Skiffle', () => '99999999999999999999'],
      ['a position beyond the log of the primary', 'Rebetiko', (position: bigint) => String(position + 1_000_000n)],
      ['not a number', 'Gamelan', () => 'forever'],
    ] as const) {
      it(`answer a client whose cookie was forged: ${what}`, async () => {
        const [row] = await servers.onPrimary(`select (pg_current_wal_insert_lsn() - '0/0')::text as position`)
        await insertUnseen(name)
        const headers = { ...somebody(), cookie: `written=${forge(BigInt(row?.position as string))}` }
        for (let time = 0; time < 3; time++) expect(await genres(headers)).not.to.include(name)
      })
    }

    it('know a client without cookies in all workers of a service', async () => {
      const crew = await startClusteredService({
        DATABASE_URL: servers.primaryUrl,
        DATABASE_REPLICA_URLS: servers.standbyUrl,
        DATABASE_REPLICA_LAG: '600',
      })
      try {
        await crew.servingPids()
        await servers.hold()
        const headers = { accept: mediaType, 'content-type': mediaType }
        await fetch(`${crew.url}/genres`, { method: 'POST', headers, body: JSON.stringify(genre('Cumbia')) })
        for (let time = 0; time < 10; time++) expect((await crew.get('/genres/cumbia')).status).to.equal(200)
      } finally {
        process.kill(crew.pid, 'SIGTERM')
        await crew.ended
      }
    })

    it('do not care for a cookie that is none of ours', async () => {
      await insertUnseen('Klezmer')
      for (const written of ['', 'x', '-1', '1e5', '9'.repeat(400), '%00'])
        expect(await genres({ ...somebody(), cookie: `written=${written}` })).not.to.include('Klezmer')
    })

    it('are not asked inside of a write, nor after a batch', async () => {
      const writer = somebody()
      await servers.hold()
      await create('Bolero', writer)
      const change = { data: { ...genre('Bolero').data, attributes: { name: 'Bossa nova' } } }
      expect((await app.client.patch('/genres/bolero', change, somebody())).status).to.equal(200)
      const media = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
      const operations = { 'atomic:operations': [{ op: 'add', ...genre('Forro') }] }
      const batch = { ...writer, accept: media, 'content-type': media }
      expect((await app.client.post('/operations', operations, batch)).headers.get('set-cookie')).to.match(/^written=/)
      expect(await genres(writer)).to.include.members(['Bossa nova', 'Forro'])
    })

    it('are not asked when they are too far behind', async () => {
      const strict = await open({}, 0.5)
      const strictApp = await start(strict)
      await insertUnseen('Calypso')
      expect(await genres(somebody())).not.to.include('Calypso')
      const isSaid = () => said.includes('A replica is too far behind to be asked')
      await until(async () => (await genres(somebody(), strictApp)).includes('Calypso') && isSaid())
      await strictApp.close()
      await strict.close()
    })

    it('may go and come back, and no read fails', async () => {
      const reading = async () => void expect(await genres(somebody())).not.to.be.empty
      said.length = 0
      await servers.stopStandby()
      for (let time = 0; time < 20; time++) await reading()
      expect(said).to.deep.equal(['A replica is not there, or follows nobody'])
      await servers.startStandby()
      await until(async () => {
        await reading()
        return said.includes('A replica is there')
      })
      await insertUnseen('Mambo')
      await until(async () => !(await genres(somebody())).includes('Mambo'))
    })

    it('may hang, and their reads are answered by the primary', async () => {
      const hanging = await open({ databaseLimits: { ...defaultLimits, statement: 0.5 } })
      const hangingApp = await start(hanging)
      await genres(somebody(), hangingApp) // by a connection that stays
      const thaw = await servers.freeze()
      for (let time = 0; time < 5; time++) expect(await genres(somebody(), hangingApp)).not.to.be.empty
      thaw()
      await insertUnseen('Bachata')
      await until(async () => !(await genres(somebody(), hangingApp)).includes('Bachata'))
      await hangingApp.close()
      await hanging.close()
    })

    it('are not asked unless they follow somebody', async () => {
      await insertUnseen('Rumba')
      const alone = await open({ replicaUrls: [servers.primaryUrl, 'postgres://nobody@127.0.0.1:1/nothing'] })
      const aloneApp = await start(alone)
      expect(await genres(somebody(), aloneApp)).to.include('Rumba')
      await aloneApp.close()
      await alone.close()
    })
  })
}
