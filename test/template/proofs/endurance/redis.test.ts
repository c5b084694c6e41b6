import { expect } from 'chai'
import { startApp, type TestApp } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { eventually } from '#test/support/eventually.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { freePort } from '../../../../scripts/support/free-port.ts'
import {
  type ClusterDirectory,
  createClusterDirectory,
} from '../../../../scripts/template/cluster/cluster-directory.ts'
import { type ClusterProcess, createClusterProcess } from '../../../../scripts/template/cluster/cluster-process.ts'
import { findProgram } from '../../../../scripts/template/cluster/programs.ts'

// Rate limits with a real Redis, which stops and restarts.

const program = findProgram('redis-server')
if (!program) console.warn('Skips the tests of Redis. Install it with apt-get install redis-server.')
describeIf(program !== undefined && !hasServer)('Rate limits in Redis', () => {
  let directory: ClusterDirectory
  let redis: ClusterProcess
  let first: TestApp
  let second: TestApp
  const get = async ({ client }: TestApp, address: string) => {
    const { status, headers } = await client.get('/genres', { 'x-forwarded-for': address })
    return { status, remaining: Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]) }
  }
  before(async () => {
    directory = createClusterDirectory()
    redis = await createRedis(program as string, directory)
    await redis.start()
    const env = { RATE_LIMIT: '4', RATE_LIMIT_STORE: 'redis', REDIS_URL: `redis://127.0.0.1:${redis.port}` }
    const config = { ...configFrom(env), trustProxy: true }
    first = await startApp({ config, undescribed: ['default', 'admin'] })
    second = await startApp({ config, undescribed: ['default', 'admin'] })
    await untilShared('10.0.0.')
  })
  after(async () => {
    await first?.close()
    await second?.close()
    await redis.stop()
    directory.remove()
  })

  /** Waits until both processes are connected, so that they count each second's requests. */
  const untilShared = (network: string) => {
    let tries = 0
    return eventually(async () => {
      const address = `${network}${++tries}`
      const remaining = [(await get(first, address)).remaining, (await get(second, address)).remaining]
      return remaining.join() === '3,2'
    })
  }

  it('returns 429 when two processes together exceed the limit', async () => {
    for (const app of [first, second, first, second]) expect((await get(app, '10.1.0.1')).status).to.equal(200)
    expect((await get(first, '10.1.0.1')).status).to.equal(429)
    expect((await get(second, '10.1.0.1')).status).to.equal(429)
    expect((await get(second, '10.1.0.2')).status).to.equal(200)
  })

  it('counts per process while Redis is down, and together after its return', async () => {
    await redis.kill()
    for (const app of [first, first, first, first, second, second, second, second]) {
      expect((await get(app, '10.2.0.1')).status).to.equal(200)
    }
    expect((await get(first, '10.2.0.1')).status).to.equal(429)
    await redis.start()
    await untilShared('10.3.0.')
  })

  it('counts per process while Redis hangs', async () => {
    process.kill(redis.pid as number, 'SIGSTOP')
    const statuses: number[] = []
    for (let count = 0; count < 5; count++) statuses.push((await get(first, '10.4.0.1')).status)
    process.kill(redis.pid as number, 'SIGCONT') // all requests are answered before Redis continues
    expect(statuses).to.deep.equal([200, 200, 200, 200, 429])
    await untilShared('10.5.0.')
  })
})

async function createRedis(command: string, directory: ClusterDirectory): Promise<ClusterProcess> {
  const port = await freePort()
  return createClusterProcess({
    name: 'redis',
    port,
    command,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory.file('.')],
    ready: /Ready to accept connections/,
    signals: { stop: 'SIGTERM', kill: 'SIGKILL' },
    log: directory.file('redis.log'),
  })
}
