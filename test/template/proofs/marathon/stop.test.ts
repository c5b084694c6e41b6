import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { createRandomSource } from '#test/conformance/random.ts'
import { eventually } from '#test/support/eventually.ts'
import { startService } from '#test/template/support/catalogue-service.ts'
import { hasServer } from '#test/template/support/describe-if.ts'
import { createLoadClient } from '#test/template/support/load-client.ts'
import { openPersistentDatabase, type PersistentDatabase } from '#test/template/support/persistent-database.ts'
import { sendContinually } from '#test/template/support/send-continually.ts'
import type { Service } from '#test/template/support/service.ts'

// The service is stopped repeatedly while clients read and write on keep-alive connections.

const stops = 50
const clients = 8
const random = createRandomSource(20_261_115)

describe('SIGTERM under load', () => {
  let database: PersistentDatabase
  before(async () => {
    database = await openPersistentDatabase()
  })
  after(() => database.close())

  const start = (env: Record<string, string> = {}) => startService({ ...database.env, STOP_DELAY_SECONDS: '1', ...env })

  it(`completes every request and exits with 0, ${stops} times`, async function () {
    this.timeout(600_000)
    let completed = 0
    for (let time = 1; time <= stops; time++) {
      const service = await start()
      const running = Array.from({ length: clients }, (_, index) => sendUntilClosed(service, index))
      await setTimeout(20 + random.below(150))
      const code = service.kill('SIGTERM')
      for (const count of await Promise.all(running)) completed += count
      expect(await code, `stop ${time}`).to.equal(0)
    }
    expect(completed).to.be.above(stops * clients)
  })

  for (const WORKERS of ['1', '2']) {
    it(`resets no connection of clients that ignore /ready, 10 times with ${WORKERS} process(es)`, async function () {
      this.timeout(600_000)
      if (WORKERS === '2' && !hasServer) this.skip()
      for (let time = 1; time <= 10; time++) {
        const service = await start({ WORKERS })
        const { requests, refused } = sendContinually(service.client.url)
        await eventually(() => requests.completed > 100)
        const code = service.kill('SIGTERM')
        await refused
        expect([...requests.failures], `stop ${time}`).to.deep.equal(['ECONNREFUSED'])
        expect(await code).to.equal(0)
      }
    })
  }

  it('exits with 1 immediately on the second signal', async () => {
    const service = await start({ STOP_DELAY_SECONDS: '60' })
    const code = service.kill('SIGTERM')
    await eventually(async () => (await fetch(`${service.client.url}/ready`)).status !== 200)
    const startedAt = performance.now()
    process.kill(service.pid as number, 'SIGTERM')
    expect(await code).to.equal(1)
    expect(performance.now() - startedAt).to.be.below(2_000)
  })
})

/** Sends one request after the other until the server closes the connection, as a load balancer does. */
async function sendUntilClosed({ client: { url } }: Service, index: number): Promise<number> {
  const { send, close } = createLoadClient(url, 1)
  for (let count = 1; ; count++) {
    const writes = (count + index) % 4 === 0
    const { status, isLast } = await (writes ? send('/artists', artist) : send('/albums?include=artist,tracks'))
    expect(status).to.equal(writes ? 201 : 200)
    if (!isLast) continue
    close()
    return count
  }
}

const artist = JSON.stringify({ data: { type: 'artists', attributes: { name: 'Written while it stops' } } })
