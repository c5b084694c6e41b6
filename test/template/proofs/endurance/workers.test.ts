import { expect } from 'chai'
import pg from 'pg'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { launch } from '#test/template/support/catalogue-service.ts'
import { type ClusteredService, isAlive, startClusteredService } from '#test/template/support/clustered-service.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { sendContinually } from '#test/template/support/send-continually.ts'
import { freePort } from '../../../../scripts/support/free-port.ts'

// Several worker processes serve one port under a supervisor. They need a database server.

describeIf(hasServer)('WORKERS', () => {
  let database: TestDatabase
  let service: ClusteredService
  let metricsUrl: string
  before(async () => {
    database = await openTestDatabase(await projectSchema())
    const METRICS_PORT = String(await freePort())
    metricsUrl = `http://127.0.0.1:${METRICS_PORT}/metrics`
    const limit = { RATE_LIMIT: '100000', RATE_LIMIT_SECONDS: '86400' } // the window does not end during the tests
    service = await start({ METRICS_PORT, ...limit, STOP_DELAY_SECONDS: '1' })
  })
  const started: ClusteredService[] = []
  after(async () => {
    for (const { pid } of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    await database?.close()
  })
  const environment = () => ({ DATABASE_URL: database.databaseUrl as string, WORKERS: '2' })
  const start = async (env: Record<string, string>) => {
    const cluster = await startClusteredService({ ...environment(), ...env })
    started.push(cluster)
    return cluster
  }

  it('serves one port with two processes, on a database that the first has migrated', async () => {
    expect(await service.servingPids()).to.have.length(2)
    expect((await service.get('/ready')).body).to.deep.equal({ status: 'ok' })
    expect((await service.get('/genres')).body).to.deep.include({ data: [] })
  })

  it('counts the requests of a client in all processes together', async () => {
    const left = async () => Number(/r=(\d+)/.exec(String((await service.get('/genres')).rateLimit))?.[1])
    const first = await left()
    for (let time = 1; time <= 10; time++) expect(await left()).to.equal(first - time)
  })

  it('returns the metrics of all processes on the port of the supervisor', async () => {
    const counted = async () => {
      const text = await (await fetch(metricsUrl)).text()
      return Number(/^http_request_duration_seconds_count\{[^}]*albums\.index[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0)
    }
    expect(await counted()).to.equal(0)
    for (let time = 0; time < 10; time++) expect((await service.get('/albums')).status).to.equal(200)
    expect(await counted()).to.equal(10)
  })

  it('ignores signals in worker processes, because a terminal sends them to all processes', async () => {
    const before = await service.servingPids()
    for (const pid of before) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(pid, signal)
    expect((await service.get('/ready')).status).to.equal(200)
    expect(await service.servingPids()).to.have.members(before)
  })

  it('replaces a killed process, while the other one serves and metrics are available', async () => {
    const [victim, other] = await service.servingPids()
    process.kill(victim as number, 'SIGKILL')
    await eventually(() => !isAlive(victim as number))
    expect((await fetch(metricsUrl)).status).to.equal(200)
    expect((await service.get('/genres')).status).to.equal(200)
    const now = await service.servingPids()
    expect(now).to.include(other)
    expect(now).not.to.include(victim)
  })

  it('ends every request when processes are killed', async () => {
    const { requests, stop } = sendContinually(service.url)
    for (let kills = 0; kills < 2; kills++) {
      const [victim] = await service.servingPids()
      process.kill(victim as number, 'SIGKILL')
      await eventually(() => !isAlive(victim as number))
    }
    await service.servingPids()
    stop()
    await eventually(() => requests.open === 0)
    expect(requests.completed).to.be.above(100)
  })

  it('finishes running requests on SIGTERM and ends all processes', async () => {
    const pids = await service.servingPids()
    const pending = Array.from({ length: 20 }, () => service.get('/albums?include=artist,tracks'))
    process.kill(service.pid, 'SIGTERM')
    for (const { status } of await Promise.all(pending)) expect(status).to.equal(200)
    expect((await service.ended).code).to.equal(0)
    expect(pids.filter(isAlive)).to.deep.equal([])
  })

  it('ends all processes immediately on the second signal', async () => {
    const stopping = await start({ STOP_DELAY_SECONDS: '60' })
    const pids = await stopping.servingPids()
    process.kill(stopping.pid, 'SIGTERM')
    await eventually(async () => (await stopping.get('/ready')).status === 503)
    process.kill(stopping.pid, 'SIGTERM')
    expect((await stopping.ended).code).to.equal(1)
    await eventually(() => !pids.some(isAlive))
  })

  it('prints once why the processes cannot start', async () => {
    const { code, stderr } = await launch({ ...environment(), DISABLED_PLUGINS: 'pagination' }).ended
    expect(code).to.equal(1)
    expect(stderr.match(/Plugin 'cursor-profile' needs 'pagination'/g)).to.have.length(1)
  })

  it('exits with 1 when no process serves and none can be started', async () => {
    const lost = await start({})
    const pids = await lost.servingPids()
    await administer(`alter database ${database.orm.config.get('dbName')} allow_connections false`)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    const { code, stderr } = await lost.ended
    expect(code).to.equal(1)
    expect(stderr).to.match(/^PostgreSQL at .* cannot be used: .*not currently accepting connections\.$/m)
  })
})

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  await client.query(sql)
  await client.end()
}
