import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { configFrom } from '#test/template/support/config-from.ts'

describe('The plugin metrics', () => {
  let app: TestApp
  let url: string
  before(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}/metrics`
    app = await startApp({
      config: configFrom({ METRICS_PORT: String(port), RATE_LIMIT: '4' }),
      undescribed: ['default', 'admin'],
    })
    await app.app.start()
  })
  after(() => app.close())

  const metrics = async () => (await fetch(url)).text()

  it('serves /metrics on METRICS_PORT only', async () => {
    expect((await fetch(url)).headers.get('content-type')).to.match(/^text\/plain/)
    expect((await fetch(url.replace('/metrics', '/albums'))).status).to.equal(404)
    expect((await fetch(`${app.client.url}/metrics`)).status).to.equal(404) // the first of four
  })

  it('counts durations by method, route and status', async () => {
    await app.client.get('/albums/1')
    await app.client.get('/albums/4711')
    const text = await metrics()
    for (const status of [200, 404]) {
      const labels = `method="GET",route="jsonapi.albums.show",status="${status}"`
      expect(text).to.include(`http_request_duration_seconds_count{${labels}} 1`)
    }
    expect(text).to.include('http_requests_in_flight 0')
    expect(text).to.match(/nodejs_eventloop_lag_seconds \d/)
    if (app.app.store.pool) expect(text).to.match(/database_connections\{state="busy"\} 0/)
  })

  it('counts requests rejected by a limit', async () => {
    await app.client.get('/albums/1')
    for (let time = 0; time < 2; time++) expect((await app.client.get('/albums/1')).status).to.equal(429)
    expect(await metrics()).to.include('http_requests_refused_total{by="rate-limit"} 2')
  })
})

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => probe.once('listening', done))
  const { port } = probe.address() as AddressInfo
  await new Promise((done) => probe.close(done))
  return port
}
