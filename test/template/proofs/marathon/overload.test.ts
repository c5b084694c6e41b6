import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { startService } from '#test/template/support/catalogue-service.ts'
import { sendAtConstantRate } from '#test/template/support/constant-rate.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { createLoadClient, type LoadResult, percentile } from '#test/template/support/load-client.ts'
import { openPersistentDatabase, type PersistentDatabase } from '#test/template/support/persistent-database.ts'
import type { Service } from '#test/template/support/service.ts'
import { freePort } from '../../../../scripts/support/free-port.ts'

// Ten times as many requests as the service can serve, with its default limits. The embedded database runs in the thread
// that accepts requests, and is not meant for this.

const path = '/albums?include=artist,tracks'
const seconds = 30

describeIf(hasServer)('Overload with ten times the capacity', () => {
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

  it('serves requests quickly or returns 503 quickly; health checks succeed, and memory is released', async () => {
    const { url } = service.client
    const capacity = await measureCapacity(url)
    const memory = await readHeap(metrics)
    const health = checkHealth(url, performance.now() + seconds * 1000)
    const results = await sendAtConstantRate(url, { path, perSecond: 10 * capacity, seconds, connections: 1_000 })

    const accepted = results.filter(({ status }) => status === 200)
    expect(results.filter((result) => result.status !== 200 && !isRejected(result))).to.deep.equal([])
    expect(results.length / seconds, 'sent per second').to.be.above(9 * capacity)
    expect(accepted.length / seconds, 'served per second').to.be.above(capacity / 3)
    expect(percentile(accepted, 99), '99th percentile of served requests').to.be.below(2_000)
    expect(medianPercentile(results, 99), '99th percentile of rejected requests').to.be.below(50)
    const checks = await health
    expect(checks.length).to.be.above(seconds)
    expect(new Set(checks.map(({ status }) => status))).to.deep.equal(new Set([200]))
    await expectMemory(url, metrics, memory)
  })
})

function isRejected({ status, retryAfter }: LoadResult): boolean {
  return status === 503 && retryAfter !== undefined
}

/** Returns the median, over all seconds, of the percentile of rejected requests, so that short pauses do not count. */
function medianPercentile(results: readonly LoadResult[], percent: number): number {
  const length = results.length / seconds
  const bySecond = Array.from({ length: seconds }, (_, second) => results.slice(second * length, (second + 1) * length))
  const times = bySecond.map((sent) => percentile(sent.filter(isRejected), percent)).toSorted((a, b) => a - b)
  return times[Math.floor(seconds / 2)] as number
}

/** Returns the requests per second of four clients that wait for their responses. */
async function measureCapacity(url: string): Promise<number> {
  const { send, close } = createLoadClient(url, 4)
  let count = 0
  const end = performance.now() + 3_000
  const worker = async () => {
    for (; performance.now() < end; count++) await send(path)
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  close()
  return count / 3
}

async function checkHealth(url: string, end: number): Promise<LoadResult[]> {
  const { send, close } = createLoadClient(url, 1)
  const results: LoadResult[] = []
  while (performance.now() < end) {
    results.push(await send('/live'), await send('/ready'))
    await setTimeout(200)
  }
  close()
  return results
}

async function readHeap(url: string): Promise<number> {
  const [, bytes] = /^nodejs_heap_size_used_bytes (\d+)/m.exec(await (await fetch(url)).text()) ?? []
  return Number(bytes)
}

/** Sends requests until the garbage collector has released the memory. */
async function expectMemory(url: string, metrics: string, before: number): Promise<void> {
  const allowed = before + 50_000_000
  const end = performance.now() + 30_000
  let used = await readHeap(metrics)
  while (used > allowed && performance.now() < end) {
    await measureCapacity(url)
    used = await readHeap(metrics)
  }
  expect(used).to.be.at.most(allowed)
}
