import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { createRandomSource } from '#test/conformance/random.ts'
import '#test/support/catalogue.ts'
import {
  expectDurable,
  isDone,
  isLost,
  isUnavailable,
  startTraffic,
} from '#test/template/support/background-traffic.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { type Cluster, startCluster } from '../../../../scripts/template/cluster/cluster.ts'
import type { ClusterProcess } from '../../../../scripts/template/cluster/cluster-process.ts'
import { clusterUrl } from '../../../../scripts/template/cluster/postgres.ts'
import { findPrograms, type Programs } from '../../../../scripts/template/cluster/programs.ts'

// Parts of a cluster fail at random while clients read and write.

const rounds = 40
const random = createRandomSource(20_261_115)

const programs = await findPrograms()
if (typeof programs === 'string') console.warn(`Skips the tests of a cluster. ${programs}`)
describeIf(typeof programs !== 'string' && !hasServer)('Cluster with random failures', () => {
  let cluster: Cluster
  before(async () => {
    cluster = await startCluster(programs as Programs, { LOG_LEVEL: 'warn' })
  })
  after(() => cluster?.stop())

  it(`serves requests after each of ${rounds} failures, and keeps acknowledged writes`, async () => {
    const { primary, standby, pooler, hosts, url } = cluster
    const traffic = startTraffic(url)
    try {
      for (let round = 1; round <= rounds; round++) {
        await fail(random.pick([primary, standby, pooler, ...hosts]), random.pick(['stop', 'kill', 'hang'] as const))
        await traffic.waitFor(4, (result) => result.isWrite && isDone(result))
      }
    } finally {
      await traffic.stop()
    }
    await expectDurable(clusterUrl(primary), traffic)
    const unexpected = traffic.results.filter((result) => ![isDone, isUnavailable, isLost].some((is) => is(result)))
    expect(unexpected).to.deep.equal([])
  })
})

async function fail(part: ClusterProcess, kind: 'stop' | 'kill' | 'hang'): Promise<void> {
  const pause = 200 + random.below(1_500)
  if (kind === 'hang') {
    process.kill(part.pid as number, 'SIGSTOP')
    await setTimeout(pause)
    process.kill(part.pid as number, 'SIGCONT')
    return
  }
  await part[kind]()
  await setTimeout(pause)
  await part.start()
}
