import { expect } from 'chai'
import { add, addAs, resultsOf, sendBatch } from '#test/support/batch.ts'
import '#test/support/catalogue.ts'
import {
  expectDurable,
  isDone,
  isLost,
  isUnavailable,
  startTraffic,
  type Traffic,
  type TrafficResult,
} from '#test/support/background-traffic.ts'
import { type Client, createClient } from '#test/support/client.ts'
import { untilDone } from '#test/support/jobs.ts'
import { type Cluster, startCluster } from '../../scripts/cluster/cluster.ts'
import { urlOf } from '../../scripts/cluster/postgres.ts'
import { findPrograms } from '../../scripts/cluster/programs.ts'

// The application as it is deployed: HAProxy, two processes, PgBouncer in transaction mode, a primary and its standby.
// While clients come and go, one part after the other dies and returns.

const programs = await findPrograms()
if (typeof programs === 'string') console.warn(`Nothing is tried on a cluster. ${programs}`)
else if (!process.env.DATABASE_URL) {
  describe('A cluster', () => {
    let cluster: Cluster
    let client: Client
    let traffic: Traffic | null = null
    before(async () => {
      const limits = { STATEMENT_TIMEOUT: '2', DATABASE_WAIT_TIMEOUT: '1' }
      cluster = await startCluster(programs, { LOG_LEVEL: 'warn', JOB_DELAY_SECONDS: '0', ...limits })
      client = createClient(cluster.url, () => {})
    })
    after(() => cluster?.stop())
    afterEach(() => traffic?.stop())

    const start = async () => {
      traffic = startTraffic(cluster.url)
      await traffic.waitFor(1, isDone)
      return traffic
    }
    /** Those that were not done; all that was acknowledged is there, and the processes are the same. */
    const stop = async (going: Traffic, pids: readonly unknown[] = pidsOf(cluster)) => {
      await going.stop()
      expect(pidsOf(cluster)).to.deep.equal(pids)
      await expectDurable(urlOf(cluster.primary), going)
      return going.results.filter((passage) => !isDone(passage))
    }

    it('reads, writes, does batches and jobs', async () => {
      const made = await client.post('/artists', { data: artist('Made') })
      expect(made.status, made.text).to.equal(201)
      const { id } = made.body.data
      expect((await client.patch(`/artists/${id}`, { data: { ...artist('Changed'), id } })).status).to.equal(200)
      expect((await client.get(`/artists/${id}`)).body.data.attributes.name).to.equal('Changed')
      const by = { artist: { type: 'artists', lid: 'a' } }
      const batch = [addAs('a', 'artists', { name: 'In a batch' }), add('albums', { title: 'As well' }, by)]
      expect(resultsOf(await sendBatch(client, batch))).to.have.length(2)
      const data = { type: 'catalog-exports', attributes: { format: 'csv' } }
      const accepted = await client.post('/catalog-exports', { data })
      expect(accepted.status, accepted.text).to.equal(202)
      expect((await untilDone(client, accepted.body.data.id)).status).to.equal(303)
    })

    it('refuses writes and goes on reading while the primary is away', async () => {
      const pids = pidsOf(cluster)
      const going = await start()
      await cluster.primary.kill()
      await Promise.all([going.waitFor(20, isUnavailable), going.waitFor(20, isRead)])
      await cluster.primary.start()
      await expectSoon(going, isWritten)
      expect((await stop(going, pids)).filter((passage) => !isUnavailable(passage))).to.deep.equal([])
    })

    it('refuses with 503 and Retry-After while no database is there, and answers again soon after its return', async () => {
      const pids = pidsOf(cluster)
      const going = await start()
      await cluster.standby.stop()
      await cluster.primary.stop()
      await Promise.all([
        going.waitFor(20, (passage) => isUnavailable(passage) && passage.isWrite),
        going.waitFor(20, (passage) => isUnavailable(passage) && !passage.isWrite),
      ])
      await cluster.primary.start()
      await Promise.all([expectSoon(going, isWritten), expectSoon(going, isRead)])
      await cluster.standby.start()
      expect((await stop(going, pids)).filter((passage) => !isUnavailable(passage))).to.deep.equal([])
    })

    it('reads from the primary while the standby is away', async () => {
      const going = await start()
      await cluster.standby.kill()
      await going.waitFor(50, isRead)
      await cluster.standby.start()
      expect(await stop(going)).to.deep.equal([])
    })

    it('refuses with 503 and Retry-After while the pooler is away', async () => {
      const pids = pidsOf(cluster)
      const going = await start()
      await cluster.pooler.kill()
      await going.waitFor(10, isUnavailable)
      await cluster.pooler.start()
      await expectSoon(going, isWritten)
      expect((await stop(going, pids)).filter((passage) => !isUnavailable(passage))).to.deep.equal([])
    })

    it('refuses with 503 and Retry-After while the pooler hangs', async () => {
      const pids = pidsOf(cluster)
      const going = await start()
      process.kill(cluster.pooler.pid as number, 'SIGSTOP')
      await going.waitFor(6, isUnavailable)
      process.kill(cluster.pooler.pid as number, 'SIGCONT')
      await expectSoon(going, isWritten)
      expect((await stop(going, pids)).filter((passage) => !isUnavailable(passage))).to.deep.equal([])
    })

    it('goes on with one process when the other is killed, and keeps all that it has acknowledged', async () => {
      const [killed] = cluster.hosts
      const going = await start()
      const died = performance.now()
      await killed.kill()
      await going.waitFor(50, isDone)
      await killed.start()
      await going.waitFor(50, isDone)
      const failed = await stop(going)
      expect(failed.filter((passage) => !isLost(passage) || passage.startedAt > died + 1_000)).to.deep.equal([])
    })
  })
}

function artist(name: string) {
  return { type: 'artists', attributes: { name } }
}

function pidsOf({ hosts }: Cluster): unknown[] {
  return hosts.map(({ pid }) => pid)
}

function isRead(passage: TrafficResult): boolean {
  return isDone(passage) && !passage.isWrite
}

function isWritten(passage: TrafficResult): boolean {
  return isDone(passage) && passage.isWrite
}

async function expectSoon(traffic: Traffic, isLike: (passage: TrafficResult) => boolean): Promise<void> {
  const returned = performance.now()
  const { ended } = await traffic.waitFor(1, isLike)
  expect(ended - returned).to.be.below(2_000)
}
