import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { startService } from '#test/support/catalogue.ts'
import { sendAtConstantRate } from '#test/support/constant-rate.ts'
import { createLoadClient, type LoadResult, percentile } from '#test/support/load-client.ts'
import { openPersistentDatabase, type PersistentDatabase } from '#test/support/persistent-database.ts'
import type { Service } from '#test/support/service.ts'
import { freePort } from '../../scripts/support/free-port.ts'

// Ten times as many requests as the service can answer, with its usual limits. The embedded database computes in the
// thread that hears requests, and is not meant for this.

const path = '/albums?include=artist,tracks'
const seconds = 30

if (process.env.DATABASE_URL) {
  describe('Ten times as many requests as can be answered', () => {
    let database: PersistentDatabase
    let service: Service
    let metrics: string
    before(async () => {
      database = await openPersistentDatabase()
      const port = await freePort()
      metrics = `http://127.0.0.1:${port}/metrics`
      service = await startService({ ...database.env, METRICS_PORT: String(port) })
    })
    after(async () => {
      await service.kill('SIGTERM')
      await database.close()
    })

    it('are answered soon or refused at once; health answers throughout, and memory returns', async () => {
      const { url } = service.client
      const capacity = await capacityOf(url)
      const memory = await heapOf(metrics)
      const health = watchHealth(url, performance.now() + seconds * 1000)
      const shots = await sendAtConstantRate(url, { path, perSecond: 10 * capacity, seconds, connections: 1_000 })

      const accepted = shots.filter(({ status }) => status === 200)
      expect(shots.filter((shot) => shot.status !== 200 && !isRefusal(shot))).to.deep.equal([])
      expect(shots.length / seconds, 'sent per second').to.be.above(9 * capacity)
      expect(accepted.length / seconds, 'answered per second').to.be.above(capacity / 3)
      expect(percentile(accepted, 99), 'the slowest of those answered').to.be.below(2_000)
      expect(usual(shots, 99), 'the slowest of those refused').to.be.below(50)
      const checks = await health
      expect(checks.length).to.be.above(seconds)
      expect(new Set(checks.map(({ status }) => status))).to.deep.equal(new Set([200]))
      await expectMemory(url, metrics, memory)
    })
  })
}

function isRefusal({ status, retryAfter }: LoadResult): boolean {
  return status === 503 && retryAfter !== undefined
}

/** The percentile of refusals in the usual second: a machine that does something else for a moment is not the service. */
function usual(shots: readonly LoadResult[], percent: number): number {
  const length = shots.length / seconds
  const bySecond = Array.from({ length: seconds }, (_, second) => shots.slice(second * length, (second + 1) * length))
  const times = bySecond.map((sent) => percentile(sent.filter(isRefusal), percent)).toSorted((a, b) => a - b)
  return times[Math.floor(seconds / 2)] as number
}

/** Requests a second, of a few clients that wait for their answers. */
async function capacityOf(url: string): Promise<number> {
  const { send: shoot, close } = createLoadClient(url, 4)
  let count = 0
  const until = performance.now() + 3_000
  const work = async () => {
    for (; performance.now() < until; count++) await shoot(path)
  }
  await Promise.all([work(), work(), work(), work()])
  close()
  return count / 3
}

async function watchHealth(url: string, until: number): Promise<LoadResult[]> {
  const { send: shoot, close } = createLoadClient(url, 1)
  const shots: LoadResult[] = []
  while (performance.now() < until) {
    shots.push(await shoot('/live'), await shoot('/ready'))
    await setTimeout(200)
  }
  close()
  return shots
}

async function heapOf(url: string): Promise<number> {
  const [, bytes] = /^nodejs_heap_size_used_bytes (\d+)/m.exec(await (await fetch(url)).text()) ?? []
  return Number(bytes)
}

/** Garbage is collected when it is time to, which only requests bring on. */
async function expectMemory(url: string, metrics: string, before: number): Promise<void> {
  const allowed = before + 50_000_000
  const until = performance.now() + 30_000
  let used = await heapOf(metrics)
  while (used > allowed && performance.now() < until) {
    await capacityOf(url)
    used = await heapOf(metrics)
  }
  expect(used).to.be.at.most(allowed)
}
