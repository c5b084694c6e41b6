import { context, SpanKind, trace } from '@opentelemetry/api'
import { expect } from 'chai'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { waitForJob } from '#test/support/wait-for-job.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { collectSpans, ofKind, type SpanCollector } from '#test/template/support/tracing/collect-spans.ts'
import { tracedPlugins } from '#test/template/support/tracing/traced-plugins.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const sampled = `00-${traceId}-b7ad6b7169203331-01`
const data = { type: 'catalog-exports', attributes: { format: 'csv' } }

describe('TRACING_RATIO=0.1', () => {
  let app: TestApp
  let collector: SpanCollector
  /** The numbers that are drawn one after another; the last one is repeated. */
  let drawn: number[]
  let hasActiveSpan: boolean | undefined

  const probe: Plugin = {
    name: 'probe',
    plan: addSteps({
      authorize() {
        hasActiveSpan = trace.getSpan(context.active()) !== undefined
      },
    }),
  }
  const config = configFrom({ TRACING_RATIO: '0.1' })
  const random = () => (drawn.length > 1 ? drawn.shift() : drawn[0]) as number
  const start = (options: Parameters<typeof tracedPlugins>[0] = {}) => {
    // The plugin idempotency has a job of its own, which would draw a number, too.
    const plugins = tracedPlugins({ random, ...options }).filter(({ name }) => name !== 'idempotency')
    return startApp({ config, plugins: [...plugins, probe] })
  }

  before(async () => {
    collector = collectSpans()
    app = await start()
  })
  after(async () => {
    await app.close()
    await collector.stop()
  })
  beforeEach(() => collector.take())

  it('records a request that draws a number below the ratio', async () => {
    drawn = [0.09]
    await app.client.get('/albums/1')
    expect(ofKind(await collector.take(), SpanKind.SERVER).map(({ name }) => name)).to.deep.equal(['GET /albums/{id}'])
    expect(hasActiveSpan).to.equal(true)
  })

  it('creates no span for a request that draws another number', async () => {
    drawn = [0.1]
    expect((await app.client.get('/albums?include=tracks')).status).to.equal(200)
    expect(await collector.take()).to.deep.equal([])
    expect(hasActiveSpan).to.equal(false)
  })

  it('continues the trace of a client, whatever number is drawn', async () => {
    drawn = [0.9]
    await app.client.get('/albums/1', { traceparent: sampled })
    expect(ofKind(await collector.take(), SpanKind.SERVER)).to.have.length(1)
  })

  it('does not let clients decide if continuesTraces is false', async () => {
    const own = await start({ continuesTraces: false })
    drawn = [0.9]
    await own.client.get('/albums/1', { traceparent: sampled })
    const spans = await collector.take()
    await own.close()
    expect(spans).to.deep.equal([])
  })

  for (const { numbers, names } of [
    { numbers: [0.9, 0], names: ['process export-catalog'] },
    { numbers: [0.9, 0.9], names: [] },
  ]) {
    it(`counts for a job without a trace: request and attempt draw ${numbers.join(', ')}`, async () => {
      drawn = numbers
      const { body } = await app.client.post('/catalog-exports', { data })
      expect((await waitForJob(app.client, body.data.id)).status).to.equal(303)
      expect(ofKind(await collector.take(), SpanKind.CONSUMER).map(({ name }) => name)).to.deep.equal(names)
    })
  }
})
