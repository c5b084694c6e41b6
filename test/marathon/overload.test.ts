import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { startService } from '#test/support/catalogue.ts'
import { type LastingDatabase, openLastingDatabase } from '#test/support/lasting.ts'
import { percentile, type Shot, shooter } from '#test/support/load.ts'
import type { Service } from '#test/support/service.ts'
import { freePort } from '../../scripts/support/free-port.ts'

// Ten times as many requests as the service can answer, from clients that come back when they are refused. The
// embedded database computes in the thread that hears requests, and is not meant for this.

const path = '/albums?include=artist,tracks'
const seconds = 15
const clients = 200

if (process.env.DATABASE_URL) {
  describe('Ten times as many requests as can be answered', () => {
    let database: LastingDatabase
    let service: Service
    let metrics: string
    before(async () => {
      database = await openLastingDatabase()
      const port = await freePort()
      metrics = `http://127.0.0.1:${port}/metrics`
      service = await startService({ ...database.env, MAX_IN_FLIGHT: '20', METRICS_PORT: String(port) })
    })
    after(async () => {
      await service.kill('SIGTERM')
      await database.close()
    })

    it('are answered soon or refused at once; health answers throughout, and memory returns', async () => {
      const capacity = await capacityOf(service.client.url)
      const memory = await heapOf(metrics)
      const until = performance.now() + seconds * 1000
      const health = watchHealth(service.client.url, until)
      const shots = await overload(service.client.url, 10 * capacity, until)

      const [accepted, refused] = [shots.filter(({ status }) => status === 200), shots.filter(isRefusal)]
      expect(accepted.length + refused.length).to.equal(shots.length)
      expect(accepted.length / seconds, 'answered per second').to.be.above(capacity / 5)
      expect(refused.length).to.be.above(accepted.length)
      expect(percentile(accepted, 95), 'the slowest of those answered').to.be.below(2_000)
      expect(percentile(refused, 50), 'the usual refusal').to.be.below(percentile(accepted, 50))
      const checks = await health
      expect(checks.length).to.be.above(seconds)
      expect(new Set(checks.map(({ status }) => status))).to.deep.equal(new Set([200]))
      expect(percentile(checks, 99)).to.be.below(2_000)
      await expectMemory(metrics, memory)
    })
  })
}

function isRefusal({ status, retryAfter }: Shot): boolean {
  return (status === 503 || status === 429) && retryAfter !== undefined
}

/** Requests a second, of a few clients that wait for their answers. */
async function capacityOf(url: string): Promise<number> {
  const { shoot, close } = shooter(url, 4)
  let count = 0
  const until = performance.now() + 3_000
  const work = async () => {
    for (; performance.now() < until; count++) await shoot(path)
  }
  await Promise.all([work(), work(), work(), work()])
  close()
  return count / 3
}

/** Every client comes as often as is its share, whatever it is answered, but never twice at a time. */
async function overload(url: string, perSecond: number, until: number): Promise<Shot[]> {
  const { shoot, close } = shooter(url, clients)
  const pause = (clients / perSecond) * 1000
  const shots: Shot[] = []
  const come = async (start: number) => {
    await setTimeout(start)
    while (performance.now() < until) {
      const next = performance.now() + pause
      shots.push(await shoot(path))
      await setTimeout(Math.max(0, next - performance.now()))
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => come((index * pause) / clients)))
  close()
  return shots
}

async function watchHealth(url: string, until: number): Promise<Shot[]> {
  const { shoot, close } = shooter(url, 1)
  const shots: Shot[] = []
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

/** Garbage is collected when it is time to; until then it is looked again. */
async function expectMemory(url: string, before: number): Promise<void> {
  const allowed = before + 50_000_000
  let used = await heapOf(url)
  for (let look = 0; look < 60 && used > allowed; look++) {
    await setTimeout(500)
    used = await heapOf(url)
  }
  expect(used).to.be.at.most(allowed)
}
