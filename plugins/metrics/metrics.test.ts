import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { addMetrics } from '#metrics'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { freePort } from '../../scripts/support/free-port.ts'

const shared = { help: 'A metric', labels: ['room'], aggregator: 'max' } as const
let visitors = 0

/** A plugin with metrics of its own; two of them cannot be read. */
const measured: Plugin = {
  name: 'measured',
  setup: (app) =>
    addMetrics(app, [
      { ...shared, name: 'room_degrees', kind: 'gauge', read: () => [{ labels: { room: 'hall' }, value: 21 }] },
      { ...shared, name: 'room_unknown', kind: 'gauge', read: () => Promise.reject(new Error('no thermometer')) },
      { ...shared, name: 'room_silent', kind: 'gauge', read: () => new Promise(() => {}) },
      {
        ...shared,
        name: 'room_visitors_total',
        kind: 'counter',
        read: async () => [{ labels: { room: 'hall' }, value: ++visitors }],
      },
    ]),
}

describe('The plugin metrics', () => {
  let app: TestApp
  let url: string
  before(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}/metrics`
    app = await startApp({
      config: configFrom({ METRICS_PORT: String(port), RATE_LIMIT: '4' }),
      undescribed: ['default', 'admin'],
      plugins: [...plugins, measured],
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

  it('serves the metrics of other plugins with their values now, without those that cannot be read', async () => {
    visitors = 0
    expect(await metrics())
      .to.include('room_degrees{room="hall"} 21')
      .and.include('room_visitors_total{room="hall"} 1')
    const again = await metrics()
    expect(again).to.include('room_visitors_total{room="hall"} 2')
    expect(again).not.to.match(/^room_(unknown|silent)[{ ]/m)
  })

  it('counts requests rejected by a limit', async () => {
    await app.client.get('/albums/1')
    for (let time = 0; time < 2; time++) expect((await app.client.get('/albums/1')).status).to.equal(429)
    expect(await metrics()).to.include('http_requests_refused_total{by="rate-limit"} 2')
  })
})
