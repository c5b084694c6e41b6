import { SpanKind } from '@opentelemetry/api'
import { expect } from 'chai'
import { observeStatements } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { collectionReads, loadLargeCatalogue, singleReads, writes } from '#test/support/budget.ts'
import { startApp } from '#test/support/catalogue.ts'
import { testDatabase } from '#test/support/database.ts'
import { collectSpans, ofKind, pathOf, type SpanCollector } from '#test/support/tracing/collect-spans.ts'
import { tracedPlugins } from '#test/support/tracing/traced-plugins.ts'

describe('Spans of statements', () => {
  let app: TestApp
  let collector: SpanCollector
  before(async () => {
    await loadLargeCatalogue()
    collector = collectSpans()
    app = await startApp({ plugins: tracedPlugins() })
    await collector.take()
  })
  after(async () => {
    await app.close()
    await collector.stop()
  })

  /** Sends a request and compares the statements of the driver with the spans and their parents. */
  async function compare(method: string, path: string, init: Parameters<TestApp['client']['send']>[2] = {}) {
    const statements: string[] = []
    const stop = observeStatements(({ text }) => statements.push(text))
    const { status } = await app.client.send(method, path, init)
    const spans = await collector.take()
    stop()
    const sent = ofKind(spans, SpanKind.CLIENT)
    expect(sent.map(({ attributes }) => attributes['db.query.text'])).to.deep.equal(statements)
    const [request, ...others] = ofKind(spans, SpanKind.SERVER)
    expect(others).to.deep.equal([])
    for (const span of sent) {
      const ancestors = pathOf(span, spans)
      expect(ancestors.at(-1), span.name).to.equal(request)
      expect(ancestors.at(-2)?.name, span.name).to.match(/^([A-Z]\w+ [a-z-]+|batch)$/)
    }
    return { status, statements, spans }
  }

  for (const [path, count] of [...collectionReads, ...singleReads]) {
    it(`are the ${count} statements of ${path}, and those of its snapshot`, async () => {
      const { status, spans } = await compare('GET', path)
      expect(status).to.equal(200)
      const names = ofKind(spans, SpanKind.CLIENT).map(({ attributes }) => attributes['db.operation.name'])
      const snapshot = count > 1 ? ['BEGIN', 'COMMIT'] : []
      expect(names.filter((name) => name === 'SELECT')).to.have.length(count)
      expect(names.filter((name) => name !== 'SELECT')).to.deep.equal(snapshot)
    })
  }

  for (const { title, method, path, body, headers = {}, status: expected, ...write } of writes) {
    it(`are the statements of ${method} ${path}, which ${title}`, async () => {
      const { status, statements } = await compare(method, path, { headers, ...(body && { body }) })
      expect(status).to.equal(expected)
      const { kind } = await testDatabase()
      const verbs = (kind === 'server' && write.serverStatements) || write.statements
      expect(statements.map((text) => text.split(' ')[0])).to.deep.equal(verbs)
    })
  }
})
