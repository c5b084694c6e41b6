import { expect } from 'chai'
import { add, addAs, readResults, sendBatch } from '#test/support/batch.ts'
import '#test/support/catalogue.ts'
import { type Client, createClient } from '#test/support/client.ts'
import { waitForJob } from '#test/support/wait-for-job.ts'
import {
  expectDurable,
  isDone,
  isLost,
  isUnavailable,
  startTraffic,
  type Traffic,
  type TrafficResult,
} from '#test/template/support/background-traffic.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { type Cluster, startCluster } from '../../../../scripts/template/cluster/cluster.ts'
import { clusterUrl } from '../../../../scripts/template/cluster/postgres.ts'
import { findPrograms, type Programs } from '../../../../scripts/template/cluster/programs.ts'

// The application as it is deployed: HAProxy, two processes, PgBouncer in transaction mode, a primary and its standby.
// Parts fail one after the other and return while clients read and write.

const programs = await findPrograms()
if (typeof programs === 'string') console.warn(`Skips the tests of a cluster. ${programs}`)
describeIf(typeof programs !== 'string' && !hasServer)('Cluster', () => {
  let cluster: Cluster
  let client: Client
  let running: Traffic | null = null
  before(async () => {
    // A busy machine delays the event loop of a process, which would refuse requests.
    const limits = { STATEMENT_TIMEOUT: '2', DATABASE_WAIT_TIMEOUT: '1', MAX_EVENT_LOOP_DELAY: '0' }
    cluster = await startCluster(programs as Programs, { LOG_LEVEL: 'warn', JOB_DELAY_SECONDS: '0', ...limits })
    client = createClient(cluster.url, () => {})
  })
  after(() => cluster?.stop())
  afterEach(() => running?.stop())

  const start = async () => {
    const started = startTraffic(cluster.url)
    running = started
    await started.waitFor(1, isDone)
    return started
  }
  /** Stops the traffic and returns the failed requests; asserts that acknowledged rows exist and that no process restarted. */
  const stop = async (traffic: Traffic, pids: readonly unknown[] = listPids(cluster)) => {
    await traffic.stop()
    expect(listPids(cluster)).to.deep.equal(pids)
    await expectDurable(clusterUrl(cluster.primary), traffic)
    return traffic.results.filter((result) => !isDone(result))
  }

  it('reads, writes, runs batches and jobs', async () => {
    const created = await client.post('/artists', { data: artist('Made') })
    expect(created.status, created.text).to.equal(201)
    const { id } = created.body.data
    expect((await client.patch(`/artists/${id}`, { data: { ...artist('Changed'), id } })).status).to.equal(200)
    expect((await client.get(`/artists/${id}`)).body.data.attributes.name).to.equal('Changed')
    const relationships = { artist: { type: 'artists', lid: 'a' } }
    const batch = [addAs('a', 'artists', { name: 'In a batch' }), add('albums', { title: 'As well' }, relationships)]
    expect(readResults(await sendBatch(client, batch))).to.have.length(2)
    const data = { type: 'catalog-exports', attributes: { format: 'csv' } }
    const accepted = await client.post('/catalog-exports', { data })
    expect(accepted.status, accepted.text).to.equal(202)
    expect((await waitForJob(client, accepted.body.data.id)).status).to.equal(303)
  })

  it('returns 503 for writes and serves reads while the primary is down', async () => {
    const pids = listPids(cluster)
    const traffic = await start()
    await cluster.primary.kill()
    await Promise.all([traffic.waitFor(20, isUnavailable), traffic.waitFor(20, isRead)])
    await cluster.primary.start()
    await traffic.waitFor(1, isWritten)
    expect((await stop(traffic, pids)).filter((result) => !isUnavailable(result))).to.deep.equal([])
  })

  it('returns 503 with Retry-After while both databases are down, and recovers within 2 seconds', async () => {
    const pids = listPids(cluster)
    const traffic = await start()
    await cluster.standby.stop()
    await cluster.primary.stop()
    await Promise.all([
      traffic.waitFor(20, (result) => isUnavailable(result) && result.isWrite),
      traffic.waitFor(20, (result) => isUnavailable(result) && !result.isWrite),
    ])
    await cluster.primary.start()
    await Promise.all([traffic.waitFor(1, isWritten), traffic.waitFor(1, isRead)])
    await cluster.standby.start()
    expect((await stop(traffic, pids)).filter((result) => !isUnavailable(result))).to.deep.equal([])
  })

  it('reads from the primary while the standby is down', async () => {
    const traffic = await start()
    await cluster.standby.kill()
    await traffic.waitFor(50, isRead)
    await cluster.standby.start()
    expect(await stop(traffic)).to.deep.equal([])
  })

  it('returns 503 with Retry-After while the pooler is down', async () => {
    const pids = listPids(cluster)
    const traffic = await start()
    await cluster.pooler.kill()
    await traffic.waitFor(10, isUnavailable)
    await cluster.pooler.start()
    await traffic.waitFor(1, isWritten)
    expect((await stop(traffic, pids)).filter((result) => !isUnavailable(result))).to.deep.equal([])
  })

  it('returns 503 with Retry-After while the pooler hangs', async () => {
    const pids = listPids(cluster)
    const traffic = await start()
    process.kill(cluster.pooler.pid as number, 'SIGSTOP')
    await traffic.waitFor(6, isUnavailable)
    process.kill(cluster.pooler.pid as number, 'SIGCONT')
    await traffic.waitFor(1, isWritten)
    expect((await stop(traffic, pids)).filter((result) => !isUnavailable(result))).to.deep.equal([])
  })

  it('serves requests with one process when the other is killed, and keeps acknowledged writes', async () => {
    const [killed] = cluster.hosts
    const traffic = await start()
    await killed.kill()
    let streak = 0
    await traffic.waitFor(1, (result) => {
      streak = isDone(result) ? streak + 1 : 0
      return streak === 50
    })
    const exclusion = performance.now() // the balancer has excluded the killed process
    await killed.start()
    await traffic.waitFor(50, isDone)
    const failed = await stop(traffic)
    expect(failed.filter((result) => !isLost(result) || result.startedAt > exclusion)).to.deep.equal([])
  })
})

function artist(name: string) {
  return { type: 'artists', attributes: { name } }
}

function listPids({ hosts }: Cluster): unknown[] {
  return hosts.map(({ pid }) => pid)
}

function isRead(result: TrafficResult): boolean {
  return isDone(result) && !result.isWrite
}

function isWritten(result: TrafficResult): boolean {
  return isDone(result) && result.isWrite
}
