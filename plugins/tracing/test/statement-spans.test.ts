import { SpanKind } from '@opentelemetry/api'
import { expect } from 'chai'
import { observeStatements } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { testDatabase } from '#test/support/database.ts'
import { collectionReads, loadLargeCatalogue, singleReads, writes } from '#test/template/support/budget.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import {
  collectionCosts,
  fillShelves,
  libraryWithoutPolicies,
  readCosts,
  windowCosts,
  windowed,
} from '#test/template/support/plain-budget.ts'
import { collectSpans, ofKind, type SpanCollector, spanPath } from '#test/template/support/tracing/collect-spans.ts'
import { tracedPlugins } from '#test/template/support/tracing/traced-plugins.ts'

type RequestOptions = Parameters<TestApp['client']['send']>[2]

describe('Spans of statements', () => {
  let app: TestApp
  let collector: SpanCollector
  const compare = (method: string, path: string, init?: RequestOptions) =>
    compareSpans(app, collector, method, path, init)
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

  for (const [path, count] of [...collectionReads, ...singleReads]) {
    it(`are the ${count} statements of ${path}, and those of its snapshot, also when its plan is kept`, async () => {
      for (let time = 0; time < 3; time++) {
        const { status, spans } = await compare('GET', path)
        expect(status).to.equal(200)
        const names = ofKind(spans, SpanKind.CLIENT).map(({ name }) => name.split(' ')[0])
        const snapshot = count > 1 ? ['BEGIN', 'COMMIT'] : []
        expect(names.filter((name) => name === 'SELECT')).to.have.length(count)
        expect(names.filter((name) => name !== 'SELECT')).to.deep.equal(snapshot)
      }
    })
  }

  it('are the statements of an update', async () => {
    const body = { data: { type: 'albums', id: '101', attributes: { title: 'Changed' } } }
    const { status, statements } = await compare('PATCH', '/albums/101?include=', { body })
    expect(status).to.equal(200)
    expect(statements.filter((text) => /^(select|update)/.test(text))).to.have.length(2)
  })

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

describe('Spans of the statements of types without policies and hooks', () => {
  let library: TestApp
  let collector: SpanCollector
  before(async () => {
    await fillShelves()
    collector = collectSpans()
    library = await startLibrary({ resources: libraryWithoutPolicies, plugins: tracedPlugins() })
    await collector.take()
  })
  after(async () => {
    await library.close()
    await collector.stop()
    await emptyLibrary()
  })

  const reads: readonly (readonly [path: string, headers: Record<string, string>])[] = [
    ...collectionCosts.map(([, path]) => [path, {}] as const),
    ...windowCosts.map(([path]) => [path, windowed] as const),
    ...readCosts.map(([path]) => [path, {}] as const),
  ]
  for (const [path, headers] of reads) {
    it(`are the statements of ${path}${headers === windowed ? ', with one page for each parent' : ''}`, async () => {
      const { status, statements } = await compareSpans(library, collector, 'GET', path, { headers })
      expect(status).to.equal(200)
      expect(statements).not.to.deep.equal([])
    })
  }

  it('is the one statement of an update that reads no row', async () => {
    const body = { data: { type: 'tags', id: '00000000-0000-4000-8000-000000000001', attributes: { name: 'New' } } }
    const { status, statements } = await compareSpans(library, collector, 'PATCH', `/tags/${body.data.id}`, { body })
    expect(status).to.equal(200)
    const [update, ...others] = statements.filter((text) => !/^(begin|commit)$/.test(text))
    expect(update).to.match(/^update /)
    expect(others).to.deep.equal([])
  })
})

/** Sends a request and compares the statements of the driver with the spans and their parents. */
async function compareSpans(
  app: TestApp,
  collector: SpanCollector,
  method: string,
  path: string,
  init: RequestOptions = {},
) {
  const statements: string[] = []
  const stop = observeStatements((statement) => statements.push(statement.text()))
  const { status } = await app.client.send(method, path, init)
  const spans = await collector.take()
  stop()
  const sent = ofKind(spans, SpanKind.CLIENT)
  expect(sent.map(({ attributes }) => attributes['db.query.text'])).to.deep.equal(statements)
  const [request, ...others] = ofKind(spans, SpanKind.SERVER)
  expect(others).to.deep.equal([])
  for (const span of sent) {
    const ancestors = spanPath(span, spans)
    expect(ancestors.at(-1), span.name).to.equal(request)
    expect(ancestors.at(-2)?.name, span.name).to.match(/^([A-Z]\w+ [a-z-]+|batch)$/)
  }
  return { status, statements, spans }
}
