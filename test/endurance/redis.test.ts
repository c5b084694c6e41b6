import { expect } from 'chai'
import { startApp, type TestApp } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { until } from '#test/support/until.ts'
import { configured } from '#test/support/variables.ts'
import { createPart, type Part } from '../../scripts/cluster/part.ts'
import { createPlace, type Place } from '../../scripts/cluster/place.ts'
import { find } from '../../scripts/cluster/programs.ts'
import { freePort } from '../../scripts/support/free-port.ts'

// Requests are counted in a real Redis, which goes away and comes back.

const program = find('redis-server')
if (!program) console.warn('Nothing is counted in Redis: apt-get install redis-server.')
else if (!process.env.DATABASE_URL) {
  describe('Requests that are counted in Redis', () => {
    let place: Place
    let redis: Part
    let one: TestApp
    let other: TestApp
    const get = async ({ client }: TestApp, address: string) => {
      const { status, headers } = await client.get('/genres', { 'x-forwarded-for': address })
      return { status, left: Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]) }
    }
    before(async () => {
      place = createPlace()
      redis = await createRedis(program, place)
      await redis.start()
      const env = { RATE_LIMIT: '4', RATE_LIMIT_STORE: 'redis', REDIS_URL: `redis://127.0.0.1:${redis.port}` }
      const config = { ...configured(env), trustProxy: true }
      one = await startApp({ config, undescribed: ['default', 'admin'] })
      other = await startApp({ config, undescribed: ['default', 'admin'] })
      await countTogether('10.0.0.')
    })
    after(async () => {
      await one?.close()
      await other?.close()
      await redis.stop()
      place.remove()
    })

    /** Both know of each other's requests, as soon as they are connected. */
    const countTogether = (network: string) => {
      let tries = 0
      return until(async () => {
        const address = `${network}${++tries}`
        const left = [(await get(one, address)).left, (await get(other, address)).left]
        return left.join() === '3,2'
      })
    }

    it('are the same for all processes', async () => {
      for (const app of [one, other, one, other]) expect((await get(app, '10.1.0.1')).status).to.equal(200)
      expect((await get(one, '10.1.0.1')).status).to.equal(429)
      expect((await get(other, '10.1.0.1')).status).to.equal(429)
      expect((await get(other, '10.1.0.2')).status).to.equal(200)
    })

    it('are counted by each process for itself while it is away, and together after its return', async () => {
      await redis.kill()
      for (const app of [one, one, one, one, other, other, other, other]) {
        expect((await get(app, '10.2.0.1')).status).to.equal(200)
      }
      expect((await get(one, '10.2.0.1')).status).to.equal(429)
      await redis.start()
      await countTogether('10.3.0.')
    })

    it('are answered while it hangs', async () => {
      process.kill(redis.pid as number, 'SIGSTOP')
      const began = performance.now()
      const statuses: number[] = []
      for (let count = 0; count < 5; count++) statuses.push((await get(one, '10.4.0.1')).status)
      const lasted = performance.now() - began
      process.kill(redis.pid as number, 'SIGCONT')
      expect(statuses).to.deep.equal([200, 200, 200, 200, 429])
      expect(lasted).to.be.below(1_500)
      await countTogether('10.5.0.')
    })
  })
}

async function createRedis(command: string, place: Place): Promise<Part> {
  const port = await freePort()
  return createPart({
    name: 'redis',
    port,
    command,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', place.file('.')],
    ready: /Ready to accept connections/,
    signals: { stop: 'SIGTERM', kill: 'SIGKILL' },
    log: place.file('redis.log'),
  })
}
