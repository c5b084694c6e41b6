import { expect } from 'chai'
import type { Store } from '#kernel/plugin'
import { startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { statementsOf } from '#test/support/statements.ts'
import { configured } from '#test/support/variables.ts'

describe('The plugin health', () => {
  let app: TestApp
  before(async () => {
    app = await startApp()
  })
  after(() => app.close())

  const ask = async (path: string, init: RequestInit = {}, { client } = app) => {
    const response = await fetch(client.url + path, init)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
  }

  it('says at /live that the process runs, without a look at the database', async () => {
    const statements = await statementsOf(async () => {
      const { status, headers, body } = await ask('/live')
      expect([status, body]).to.deep.equal([200, { status: 'ok' }])
      expect(headers.get('content-type')).to.match(/^application\/json/)
      expect(headers.get('cache-control')).to.equal('no-store')
    })
    expect(statements).to.deep.equal([])
  })

  it('says at /ready that requests may come, and asks the database once however often it is asked', async () => {
    expect(await ask('/ready')).to.deep.include({ status: 200, body: { status: 'ok' } })
    const statements = await statementsOf(() => Promise.all(Array.from({ length: 20 }, () => ask('/ready'))))
    expect(statements).to.deep.equal([])
  })

  it('answers HEAD, and refuses other verbs', async () => {
    expect((await ask('/live', { method: 'HEAD' })).status).to.equal(200)
    const response = await fetch(`${app.client.url}/live`, { method: 'DELETE' })
    expect(response.status).to.equal(405)
    expect(response.headers.get('allow')).to.equal('GET, HEAD, OPTIONS')
  })

  it('stands in front of authentication, limits and negotiation', async () => {
    const limited = await startApp({ config: configured({ RATE_LIMIT: '1' }), undescribed: ['default', 'admin'] })
    for (let time = 0; time < 3; time++) {
      const headers = { authorization: 'Bearer nobody', accept: 'text/html' }
      expect((await ask('/live', { headers }, limited)).status).to.equal(200)
      expect((await ask('/ready', { headers }, limited)).status).to.equal(200)
    }
    await limited.close()
  })

  it('says no at /ready while migrations are pending, and names them', async () => {
    const { status, body } = await ask('/ready', {}, await withStore({ pendingMigrations: async () => ['Later'] }))
    expect([status, body]).to.deep.equal([503, { status: 'migrations pending', migrations: ['Later'] }])
  })

  it('says no at /ready while the database is away, and does not say why', async () => {
    const away = await withStore({ pendingMigrations: () => Promise.reject(new Error('password s3cret is wrong')) })
    const { status, body } = await ask('/ready', {}, away)
    expect([status, body]).to.deep.equal([503, { status: 'database unreachable' }])
    expect((await ask('/live', {}, away)).status).to.equal(200)
  })

  it('knows the migrations of the project', async () => {
    const { store } = (await catalogue()).app
    expect(await store.pendingMigrations()).to.deep.equal([])
  })

  it('says no at /ready, and still yes at /live, as soon as a stop is asked for', async () => {
    const stopping = await startApp()
    expect((await ask('/ready', {}, stopping)).status).to.equal(200)
    const drained = stopping.app.drain({ delay: 100, limit: 100 })
    const { status, headers, body } = await ask('/ready', {}, stopping)
    expect([status, body]).to.deep.equal([503, { status: 'stopping' }])
    expect(headers.get('connection')).to.equal('close')
    expect((await ask('/live', {}, stopping)).status).to.equal(200)
    await drained
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
