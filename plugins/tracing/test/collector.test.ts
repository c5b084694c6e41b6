import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { unregisterSdk } from '#test/template/support/tracing/collect-spans.ts'
import { tracedPlugins } from '#test/template/support/tracing/traced-plugins.ts'
import { freePort } from '../../../scripts/support/free-port.ts'

// Runs the two lines of docs/tracing.md with a collector that receives OTLP over HTTP.

/** A part of ExportTraceServiceRequest. */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { stringValue: string } }[]
    }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
}

describe('Tracing with an SDK that exports to a collector', () => {
  const exports: { readonly url: string | undefined; readonly body: Export }[] = []
  let collector: Server
  let app: TestApp
  let metricsUrl: string

  before(async () => {
    collector = createServer(async (request, response) => {
      exports.push({ url: request.url, body: (await json(request)) as Export })
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
    }).listen(0, '127.0.0.1')
    await once(collector, 'listening')
    const { port } = collector.address() as AddressInfo
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'music-catalogue',
    })
    await import('#test/template/support/tracing/start-sdk.ts')
    const metricsPort = await freePort()
    metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
    app = await startApp({ plugins: tracedPlugins(), config: configFrom({ METRICS_PORT: String(metricsPort) }) })
    await app.app.start()
  })
  after(() => {
    unregisterSdk()
    for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name]
    collector.close()
  })

  it('adds the trace of a request to the metrics as an exemplar, in OpenMetrics only', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await app.client.get('/albums/1?include=artist', { traceparent })
    const openMetrics = await fetch(metricsUrl, { headers: { accept: 'application/openmetrics-text; version=1.0.0' } })
    expect(openMetrics.headers.get('content-type')).to.match(/^application\/openmetrics-text/)
    const text = await openMetrics.text()
    expect(text).to.match(
      /http_request_duration_seconds_bucket\{le="[\d.]+",method="GET",route="jsonapi.albums.show",status="200"\} 1 # \{trace_id="0af7651916cd43dd8448eb211c80319c",span_id="\w{16}"\}/,
    )
    expect(text)
      .to.match(/^process_cpu_seconds_total \d/m)
      .and.to.match(/# EOF\n$/)
    expect(text).not.to.contain('_total_total')
    const plain = await (await fetch(metricsUrl)).text()
    expect(plain).to.contain('# TYPE process_cpu_seconds_total counter').and.not.to.contain('trace_id')
  })

  it('exports all spans before the application is closed', async () => {
    await app.close()
    expect(exports.map(({ url }) => url)).to.include('/v1/traces')
    const resources = exports.flatMap(({ body }) => body.resourceSpans)
    const names = resources.flatMap(({ resource }) => resource.attributes.filter(({ key }) => key === 'service.name'))
    expect(names[0]?.value.stringValue).to.equal('music-catalogue')
    const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    const [request] = spans.filter(({ traceId, kind }) => traceId === '0af7651916cd43dd8448eb211c80319c' && kind === 2)
    expect(request).to.include({ name: 'GET /albums/{id}', parentSpanId: 'b7ad6b7169203331' })
    const operation = spans.find(
      ({ parentSpanId, name }) => parentSpanId === request?.spanId && name === 'FetchOne albums',
    )
    const statements = spans.filter(({ parentSpanId, kind }) => parentSpanId === operation?.spanId && kind === 3)
    expect(statements.map(({ name }) => name)).to.include('SELECT albums')
  })
})
