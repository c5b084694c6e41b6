import { performance } from 'node:perf_hooks'
import { mock } from 'node:test'
import { expect } from 'chai'
import type { Store } from '#kernel/plugin'
import { startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { advanceUntil, manualClock } from '#test/support/clock.ts'
import { statementsOf } from '#test/support/statements.ts'
import { configFrom } from '#test/template/support/config-from.ts'

describe('The plugin health', () => {
  let app: TestApp
  before(async () => {
    app = await startApp()
  })
  after(() => app.close())

  const send = async (path: string, init: RequestInit = {}, { client } = app) => {
    const response = await fetch(client.url + path, init)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
  }

  it('returns 200 at /live without a statement', async () => {
    const statements = await statementsOf(async () => {
      const { status, headers, body } = await send('/live')
      expect([status, body]).to.deep.equal([200, { status: 'ok' }])
      expect(headers.get('content-type')).to.match(/^application\/json/)
      expect(headers.get('cache-control')).to.equal('no-store')
    })
    expect(statements).to.deep.equal([])
  })

  it('returns 200 at /ready, and queries the database at most once a second', async () => {
    let time = 1_000_000
    const now = mock.method(performance, 'now', () => time)
    const check = () => Promise.all(Array.from({ length: 20 }, () => send('/ready')))
    try {
      expect(await send('/ready')).to.deep.include({ status: 200, body: { status: 'ok' } })
      time += 1_000
      expect(await statementsOf(check)).to.deep.equal([])
      time++
      expect(await statementsOf(check)).not.to.deep.equal([])
    } finally {
      now.mock.restore()
    }
  })

  it('returns 200 for HEAD and 405 for other methods', async () => {
    expect((await send('/live', { method: 'HEAD' })).status).to.equal(200)
    const response = await fetch(`${app.client.url}/live`, { method: 'DELETE' })
    expect(response.status).to.equal(405)
    expect(response.headers.get('allow')).to.equal('GET, HEAD, OPTIONS')
  })

  it('runs before authentication, limits and content negotiation', async () => {
    const limited = await startApp({ config: configFrom({ RATE_LIMIT: '1' }), undescribed: ['default', 'admin'] })
    for (let time = 0; time < 3; time++) {
      const headers = { authorization: 'Bearer unknown', accept: 'text/html' }
      expect((await send('/live', { headers }, limited)).status).to.equal(200)
      expect((await send('/ready', { headers }, limited)).status).to.equal(200)
    }
    await limited.close()
  })

  it('returns 503 at /ready with the names of pending migrations', async () => {
    const { status, body } = await send('/ready', {}, await withStore({ pendingMigrations: async () => ['Later'] }))
    expect([status, body]).to.deep.equal([503, { status: 'migrations pending', migrations: ['Later'] }])
  })

  it('returns 503 at /ready with the columns that the database lacks', async () => {
    const lacking = await withStore({ missingColumns: async () => ['albums.subtitle'] })
    const { status, body } = await send('/ready', {}, lacking)
    expect([status, body]).to.deep.equal([503, { status: 'columns missing', columns: ['albums.subtitle'] }])
  })

  it('returns 503 at /ready without the cause when the database is unreachable', async () => {
    const unreachable = await withStore({
      pendingMigrations: () => Promise.reject(new Error('password s3cret is wrong')),
    })
    const { status, body } = await send('/ready', {}, unreachable)
    expect([status, body]).to.deep.equal([503, { status: 'database unreachable' }])
    expect((await send('/live', {}, unreachable)).status).to.equal(200)
  })

  it('finds no pending migrations in the project', async () => {
    const { store } = (await catalogue()).app
    expect(await store.pendingMigrations()).to.deep.equal([])
    expect(await store.missingColumns()).to.deep.equal([])
  })

  it('returns 503 at /ready and 200 at /live during a graceful shutdown', async () => {
    const clock = manualClock()
    const stopping = await startApp({ clock })
    expect((await send('/ready', {}, stopping)).status).to.equal(200)
    const drained = stopping.app.drain({ delay: 100, limit: 100 })
    const { status, headers, body } = await send('/ready', {}, stopping)
    expect([status, body]).to.deep.equal([503, { status: 'stopping' }])
    expect(headers.get('connection')).to.equal('close')
    expect((await send('/live', {}, stopping)).status).to.equal(200)
    await advanceUntil(clock, drained, 100)
    await stopping.app.close()
  })

  const started: TestApp[] = []
  afterEach(async () => {
    for (const one of started.splice(0)) await one.close()
  })
  async function withStore(changes: Partial<Store>): Promise<TestApp> {
    const other = await startApp()
    Object.assign(other.app.store, changes)
    started.push(other)
    return other
  }
})
