import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import pg from 'pg'
import { launch } from '#test/support/catalogue.ts'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import type { Ending } from '#test/support/service.ts'
import { freePort } from '../../scripts/support/free-port.ts'

// Several processes serve one port, under one that holds them together. They need a server for their database.

if (process.env.DATABASE_URL) {
  describe('WORKERS', function () {
    this.timeout(60_000)

    let database: TestDatabase
    let service: Crew
    let metricsUrl: string
    before(async () => {
      database = await openTestDatabase(await projectSchema())
      const METRICS_PORT = String(await freePort())
      metricsUrl = `http://127.0.0.1:${METRICS_PORT}/metrics`
      service = await start({ METRICS_PORT, RATE_LIMIT: '1000', STOP_DELAY_SECONDS: '1' })
    })
    const started: Crew[] = []
    after(async () => {
      for (const { pid } of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      await database?.close()
    })
    const environment = () => ({ DATABASE_URL: database.databaseUrl as string, WORKERS: '2' })
    const start = async (env: Record<string, string>) => {
      const crew = await startCrew({ ...environment(), ...env })
      started.push(crew)
      return crew
    }

    it('serve one port together, on a database that the first of them has prepared', async () => {
      expect(await service.serving()).to.have.length(2)
      expect((await ask(service, '/ready')).body).to.deep.equal({ status: 'ok' })
      expect((await ask(service, '/genres')).body).to.deep.include({ data: [] })
    })

    it('count the requests of a client together', async () => {
      const left = async () => Number(/r=(\d+)/.exec(String((await ask(service, '/genres')).ratelimit))?.[1])
      const first = await left()
      for (let time = 1; time <= 10; time++) expect(await left()).to.equal(first - time)
    })

    it('are measured together, on a port of the process above them', async () => {
      const counted = async () => {
        const text = await (await fetch(metricsUrl)).text()
        return Number(/^http_request_duration_seconds_count\{[^}]*albums\.index[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0)
      }
      expect(await counted()).to.equal(0)
      for (let time = 0; time < 10; time++) expect((await ask(service, '/albums')).status).to.equal(200)
      expect(await counted()).to.equal(10)
    })

    it('leave signals to the process above them, which a terminal sends to all', async () => {
      const before = await service.serving()
      for (const pid of before) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(pid, signal)
      expect((await ask(service, '/ready')).status).to.equal(200)
      expect(await service.serving()).to.have.members(before)
    })

    it('are replaced when they die, while the others serve, and are measured all the while', async () => {
      const [victim, other] = await service.serving()
      process.kill(victim as number, 'SIGKILL')
      await until(() => !isAlive(victim as number))
      expect((await fetch(metricsUrl)).status).to.equal(200)
      expect((await ask(service, '/genres')).status).to.equal(200)
      const now = await service.serving()
      expect(now).to.include(other)
      expect(now).not.to.include(victim)
    })

    it('finish what is under way when they are told to stop, and all end', async () => {
      const pids = await service.serving()
      const asked = Array.from({ length: 20 }, () => ask(service, '/albums?include=artist,tracks'))
      process.kill(service.pid, 'SIGTERM')
      for (const { status } of await Promise.all(asked)) expect(status).to.equal(200)
      expect((await service.ended).code).to.equal(0)
      expect(pids.filter(isAlive)).to.deep.equal([])
    })

    it('end at once at the second signal', async () => {
      const stopping = await start({ STOP_DELAY_SECONDS: '60' })
      const pids = await stopping.serving()
      process.kill(stopping.pid, 'SIGTERM')
      await until(async () => (await ask(stopping, '/ready')).status === 503)
      process.kill(stopping.pid, 'SIGTERM')
      expect((await stopping.ended).code).to.equal(1)
      await until(() => !pids.some(isAlive))
    })

    it('say once why they cannot start', async () => {
      const { code, stderr } = await launch({ ...environment(), DISABLED_PLUGINS: 'pagination' }).ended
      expect(code).to.equal(1)
      expect(stderr.match(/Plugin 'cursor-profile' needs 'pagination'/g)).to.have.length(1)
    })

    it('are given up when none serves and none can be started', async () => {
      const lost = await start({})
      const pids = await lost.serving()
      await administer(`alter database ${database.orm.config.get('dbName')} allow_connections false`)
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      const { code, stderr } = await lost.ended
      expect(code).to.equal(1)
      expect(stderr).to.match(/^PostgreSQL at .* cannot be used: .*not currently accepting connections\.$/m)
    })
  })
}

/** A service of several processes. */
interface Crew {
  readonly pid: number
  readonly url: string
  readonly ended: Promise<Ending>
  /** The processes that answer, as soon as there are two. */
  serving(): Promise<number[]>
}

async function startCrew(env: Record<string, string>): Promise<Crew> {
  const { child, ended } = launch({ ...env, LOG_LEVEL: 'info' })
  let said = ''
  child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  const url = () => /Listening on (\S+)\. Try:/.exec(said)?.[1]
  let gone = false
  ended.then(() => {
    gone = true
  })
  await until(() => gone || url() !== undefined)
  const crew: Crew = {
    pid: child.pid as number,
    url: url() ?? '',
    ended,
    async serving() {
      const pids = () => [
        ...new Set([...said.matchAll(/"pid":(\d+),.*"msg":"Request"/g)].map(([, pid]) => Number(pid))),
      ]
      const alive = () => pids().filter(isAlive)
      while (alive().length < 2) await ask(crew, '/docs.json')
      return alive()
    },
  }
  return crew
}

/** Over a connection of its own, so that any of them may answer. */
function ask({ url }: Crew, path: string): Promise<{ status?: number; body: unknown; ratelimit: unknown }> {
  return new Promise((resolve, reject) => {
    get(url + path, { agent: false }, async (answer) => {
      resolve({ status: answer.statusCode as number, body: await json(answer), ratelimit: answer.headers.ratelimit })
    }).once('error', reject)
  })
}

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  await client.query(sql)
  await client.end()
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** What other processes bring about, some time. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20)
}
