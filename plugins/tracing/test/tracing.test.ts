import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { expect } from 'chai'
import { addSteps, type Plugin } from '#kernel/plugin'
import { observeStatements } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { waitForJob } from '#test/support/wait-for-job.ts'
import {
  type CollectedSpan,
  collectSpans,
  ofKind,
  type SpanCollector,
  spanPath,
} from '#test/template/support/tracing/collect-spans.ts'
import { tracedPlugins } from '#test/template/support/tracing/traced-plugins.ts'
import { tracing } from '../index.ts'
import { withApp } from '../spans.ts'
import { observeStatements as spansOfStatements } from '../statement-spans.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const sampled = `00-${traceId}-b7ad6b7169203331-01`
const unsampled = `00-${traceId}-b7ad6b7169203331-00`
const morning = '00000000-0000-4000-8000-000000000001'
const ada = { authorization: 'Bearer ada@example.com' }

describe('The plugin tracing', () => {
  let app: TestApp
  let collector: SpanCollector
  const headersOut: Record<string, string>[] = []

  /** Sends a statement and calls another service, as a hook of an owner may. */
  const probe: Plugin = {
    name: 'probe',
    plan: addSteps({
      async check({ context: { unit }, query }) {
        if (query.include.length > 0) return undefined
        const headers = {}
        propagation.inject(context.active(), headers)
        headersOut.push(headers)
        await unit.run('select 1 as one', [])
        return undefined
      },
      authorize({ ctx }) {
        if (ctx.headers['x-fail']) throw new Error('secret message')
      },
    }),
  }

  before(async () => {
    collector = collectSpans()
    const plugins = [...tracedPlugins({ hooks: true, minDuration: 0 }), probe]
    app = await startApp({ plugins, undescribed: ['default', 'admin'] })
  })
  after(async () => {
    await app.close()
    await collector.stop()
  })
  beforeEach(async () => {
    await collector.take()
    headersOut.length = 0
  })

  it('creates a span with the attributes of the semantic conventions for a request', async () => {
    await app.client.get('/albums/1/relationships/tracks?page[size]=1')
    const [request] = ofKind(await collector.take(), SpanKind.SERVER)
    expect(request?.name).to.equal('GET /albums/{id}/relationships/tracks')
    expect(request?.attributes).to.deep.equal({
      'http.request.method': 'GET',
      'http.route': '/albums/{id}/relationships/tracks',
      'http.response.status_code': 200,
      'url.path': '/albums/{id}/relationships/tracks',
      'url.scheme': 'http',
      'jsonapi.route': 'jsonapi.albums.tracks.relationship',
    })
    expect(request?.status.code).to.equal(SpanStatusCode.UNSET)
    expect(request?.parentSpanContext).to.equal(undefined)
  })

  it('creates a span with the attributes of the semantic conventions for a statement', async () => {
    await app.client.get('/albums/1?include=artist')
    const [statement] = ofKind(await collector.take(), SpanKind.CLIENT).filter(({ name }) => name === 'SELECT albums')
    const { 'db.query.text': text, ...attributes } = statement?.attributes ?? {}
    expect(attributes).to.deep.equal({
      'db.system.name': 'postgresql',
      'db.query.summary': 'SELECT albums',
      'db.response.returned_rows': 1,
    })
    expect(text).to.match(/^select t0\."id" .* from "albums" .*\$1/)
  })

  it('names the route by its template, and a URL without a route by its method', async () => {
    await app.client.get('/albums/abc')
    await app.client.get('/nowhere')
    await app.client.post('/albums/-actions/summary', undefined)
    const names = ofKind(await collector.take(), SpanKind.SERVER).map(({ name }) => name)
    expect(names).to.deep.equal(['GET /albums/{id}', 'GET', 'POST /albums/-actions/summary'])
  })

  it('continues the trace of the header traceparent', async () => {
    await app.client.get('/albums/1', { traceparent: sampled })
    const spans = await collector.take()
    const [request] = ofKind(spans, SpanKind.SERVER)
    expect(request?.parentSpanContext).to.include({ traceId, spanId: 'b7ad6b7169203331', isRemote: true })
    expect(new Set(spans.map((span) => span.spanContext().traceId))).to.deep.equal(new Set([traceId]))
  })

  it('creates no span when the trace of the client is not sampled', async () => {
    expect((await app.client.get('/albums?include=tracks', { traceparent: unsampled })).status).to.equal(200)
    expect(await collector.take()).to.deep.equal([])
  })

  it('makes the span of a hook the active one: statements are its children, and outgoing headers continue it', async () => {
    await app.client.get('/albums/1?include=', { traceparent: sampled })
    const spans = await collector.take()
    const statement = ofKind(spans, SpanKind.CLIENT).find(
      ({ attributes }) => attributes['db.query.text'] === 'select ? as one',
    )
    const names = spanPath(statement as CollectedSpan, spans).map(({ name }) => name)
    expect(names).to.deep.equal(['SELECT', 'probe check', 'FetchOne albums', 'GET /albums/{id}'])
    const hook = spans.findLast(({ name }) => name === 'probe check')
    expect(headersOut.at(-1)?.traceparent).to.equal(`00-${traceId}-${hook?.spanContext().spanId}-01`)
  })

  it('creates spans for the stages of a write: body, operation and response', async () => {
    await app.client.patch('/albums/1', { data: { type: 'albums', id: '1', attributes: { title: 'New' } } })
    const spans = await collector.take()
    const children = spans.filter((span) => spanPath(span, spans).length === 2).map(({ name }) => name)
    const stages = children.filter((name) => !/ (before|on|authorize|document)/.test(name))
    expect(stages).to.deep.equal(['read body', 'Update albums', 'write response'])
  })

  it('creates a span for work that a hook adds before the commit', async () => {
    const album = { type: 'albums', id: '1', attributes: { title: 'New' } }
    await app.client.patch('/albums/1', { data: album }, { 'idempotency-key': `traced-${process.pid}` })
    const spans = await collector.take()
    const statement = spans.find(({ name }) => name === 'INSERT idempotency_keys')
    const names = spanPath(statement as CollectedSpan, spans).map(({ name }) => name)
    expect(names).to.deep.equal([
      'INSERT idempotency_keys',
      'idempotency beforeCommit',
      'Update albums',
      'PATCH /albums/{id}',
    ])
  })

  it('marks the spans of a 500 as failed, without the message of the error', async () => {
    expect((await app.client.get('/albums/1', { 'x-fail': 'yes' })).status).to.equal(500)
    const spans = await collector.take()
    const failed = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR)
    expect(failed.map(({ name }) => name)).to.deep.equal(['GET /albums/{id}', 'probe authorize'])
    expect(failed.map(({ attributes }) => attributes['error.type'])).to.deep.equal(['500', 'Error'])
    expect(exportedText(spans)).not.to.contain('secret')
  })

  it('marks a failed statement with its SQLSTATE, and the 409 of its request as no failure', async () => {
    expect((await app.client.delete('/artists/1')).status).to.equal(409)
    const spans = await collector.take()
    const [statement, ...others] = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR)
    expect(others).to.deep.equal([])
    expect(statement?.name).to.equal('DELETE artists')
    expect(statement?.attributes).to.include({ 'error.type': '23503', 'db.response.status_code': '23503' })
  })

  it('marks a statement that was not answered with the code of the operating system, which is no SQLSTATE', async () => {
    const tracer = trace.getTracer('test')
    const request = tracer.startSpan('request')
    const active = withApp(trace.setSpan(context.active(), request), app.app)
    const { onStatement } = spansOfStatements(app.app, tracer)
    const statement = { sql: 'select 1', parameters: [], text: () => 'select ?' }
    const onEnd = context.with(active, () => onStatement?.(statement))
    onEnd?.({ rows: 0, error: Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }) })
    request.end()
    const [span] = ofKind(await collector.take(), SpanKind.CLIENT)
    expect(span?.attributes).to.include({ 'error.type': 'EPIPE' }).and.not.to.have.property('db.response.status_code')
  })

  it('has no values of clients in any span: of the path, the query, headers or the body', async () => {
    const headers = { ...ada, 'user-agent': 'secret', 'x-request-id': 'secret', host: 'secret' }
    const playlist = { type: 'playlists', attributes: { title: 'secret title', externalId: morning } }
    expect((await app.client.post('/playlists', { data: playlist }, headers)).status).to.equal(201)
    const renamed = { ...playlist, id: morning, attributes: { title: "secret's" } }
    expect((await app.client.patch(`/playlists/${morning}`, { data: renamed }, headers)).status).to.equal(200)
    await app.client.get('/albums?filter[title]=secret&secret=1', headers)
    await app.client.get('/albums?filter[title]=secret', headers)
    await app.client.get('/artists/secret', headers)
    await app.client.get('/secret/4711', headers)
    const spans = await collector.take()
    expect(spans.some(({ attributes }) => /^update .*"title" = \?/.test(String(attributes['db.query.text'])))).to.equal(
      true,
    )
    expect(exportedText(spans)).not.to.match(/secret|4711|4000-8000|ada@/)
  })

  it('continues the trace of a request in the job that it enqueues, with a link', async () => {
    const data = { type: 'catalog-exports', attributes: { format: 'csv' } }
    const response = await app.client.post('/catalog-exports', { data }, { traceparent: sampled })
    expect(response.status).to.equal(202)
    expect((await waitForJob(app.client, response.body.data.id)).status).to.equal(303)
    const spans = (await collector.take()).filter((span) => span.spanContext().traceId === traceId)
    const [producer] = ofKind(spans, SpanKind.PRODUCER).filter(({ status }) => status.code === SpanStatusCode.UNSET)
    const [consumer] = ofKind(spans, SpanKind.CONSUMER)
    expect(producer?.name).to.equal('send export-catalog')
    expect(consumer?.name).to.equal('process export-catalog')
    expect(consumer?.parentSpanContext?.spanId).to.equal(producer?.spanContext().spanId)
    expect(consumer?.links.map(({ context }) => context.spanId)).to.deep.equal([producer?.spanContext().spanId])
    expect(consumer?.attributes).to.include({
      'messaging.system': 'pg-boss',
      'messaging.destination.name': 'export-catalog',
      'messaging.operation.type': 'process',
    })
    const inside = ofKind(spans, SpanKind.CLIENT).filter((span) =>
      spanPath(span, spans).includes(consumer as CollectedSpan),
    )
    expect(inside.map(({ name }) => name)).to.include.members(['BEGIN', 'COMMIT'])
  })

  it('creates each span once when two applications of the process are traced', async () => {
    const other = await startApp({ plugins: tracedPlugins() })
    await collector.take()
    const statements: string[] = []
    const stop = observeStatements((statement) => statements.push(statement.text()))
    await app.client.get('/albums?include=artist')
    stop()
    const spans = await collector.take()
    await other.close()
    expect(ofKind(spans, SpanKind.CLIENT)).to.have.length(statements.length)
  })

  it('has no spans of hooks by default: the statement of a hook is a child of its stage', async () => {
    const own = await startApp({ plugins: [...tracedPlugins({ minDuration: 0 }), probe] })
    await collector.take()
    await own.client.get('/albums/1?include=')
    const spans = await collector.take()
    await own.close()
    const statement = spans.find(({ name }) => name === 'SELECT') as CollectedSpan
    expect(spanPath(statement, spans).map(({ name }) => name)).to.deep.equal([
      'SELECT',
      'FetchOne albums',
      'GET /albums/{id}',
    ])
  })

  it('begins a new trace with a link to the trace of the client if continuesTraces is false', async () => {
    const own = await startApp({ plugins: tracedPlugins({ continuesTraces: false }) })
    await collector.take()
    await own.client.get('/albums/1', { traceparent: unsampled })
    const [request] = ofKind(await collector.take(), SpanKind.SERVER)
    await own.close()
    expect(request?.spanContext().traceId).not.to.equal(traceId)
    expect(request?.links.map(({ context }) => context.traceId)).to.deep.equal([traceId])
  })
})

describe('The plugin tracing without an SDK', () => {
  it('has no hooks', () => {
    expect(Object.keys(tracing())).to.deep.equal(['name', 'environment'])
  })
})

/** Everything that an exporter sends of the spans. */
function exportedText(spans: readonly CollectedSpan[]): string {
  return JSON.stringify(
    spans.map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links })),
  )
}
