import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { createDraw } from '#test/specification/random.ts'
import '#test/support/catalogue.ts'
import { expectDurable, isDone, isLost, isUnavailable, startTraffic } from '#test/support/background-traffic.ts'
import { type Cluster, startCluster } from '../../scripts/cluster/cluster.ts'
import type { Part } from '../../scripts/cluster/part.ts'
import { urlOf } from '../../scripts/cluster/postgres.ts'
import { findPrograms } from '../../scripts/cluster/programs.ts'

// Parts of a cluster fail one after the other, whichever and however, while clients come and go.

const rounds = 40
const random = createDraw(20_261_115)

const programs = await findPrograms()
if (typeof programs === 'string') console.warn(`Nothing is tried on a cluster. ${programs}`)
else if (!process.env.DATABASE_URL) {
  describe('A cluster whose parts fail at random', () => {
    let cluster: Cluster
    before(async () => {
      cluster = await startCluster(programs, { LOG_LEVEL: 'warn' })
    })
    after(() => cluster?.stop())

    it(`answers in between, ${rounds} times, and has kept all that it has acknowledged`, async () => {
      const { primary, standby, pooler, hosts, url } = cluster
      const traffic = startTraffic(url)
      try {
        for (let round = 1; round <= rounds; round++) {
          await fail(random.pick([primary, standby, pooler, ...hosts]), random.pick(['stop', 'kill', 'hang'] as const))
          await traffic.waitFor(4, (passage) => passage.isWrite && isDone(passage))
        }
      } finally {
        await traffic.stop()
      }
      await expectDurable(urlOf(primary), traffic)
      const others = traffic.results.filter((passage) => ![isDone, isUnavailable, isLost].some((is) => is(passage)))
      expect(others).to.deep.equal([])
    })
  })
}

async function fail(part: Part, way: 'stop' | 'kill' | 'hang'): Promise<void> {
  const pause = 200 + random.below(1_500)
  if (way === 'hang') {
    process.kill(part.pid as number, 'SIGSTOP')
    await setTimeout(pause)
    process.kill(part.pid as number, 'SIGCONT')
    return
  }
  await part[way]()
  await setTimeout(pause)
  await part.start()
}
