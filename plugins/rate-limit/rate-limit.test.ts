import { expect } from 'chai'
import type Koa from 'koa'
import { identifyClient } from '#http'
import { startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { stopTimeOfRateLimits } from '#test/template/support/rate-limit-time.ts'

describe('The plugin rate-limit', () => {
  let app: TestApp
  stopTimeOfRateLimits()
  afterEach(() => app.close())
  const start = async (env: Record<string, string>) => {
    app = await startApp({ config: { ...configFrom(env), trustProxy: true }, undescribed: ['default', 'admin'] })
  }
  let clients = 0
  const client = () => `10.${process.pid % 256}.${Math.floor(clients / 256)}.${clients++ % 256}`
  const get = (address: string, path = '/genres') => app.client.get(path, { 'x-forwarded-for': address })

  for (const store of ['memory', 'postgres'] as const) {
    it(`returns 429 beyond the limit, and the remaining requests in headers: store ${store}`, async () => {
      await start({ RATE_LIMIT: '2', RATE_LIMIT_STORE: store })
      const [one, other] = [client(), client()]
      const first = await get(one)
      expect(first.status).to.equal(200)
      expect(first.headers.get('ratelimit-policy')).to.equal('"default";q=2;w=60')
      expect(first.headers.get('ratelimit')).to.match(/^"default";r=1;t=(60|59)$/)
      expect((await get(one, '/nowhere')).headers.get('ratelimit')).to.match(/^"default";r=0;t=/)
      const { status, headers, body } = await get(one)
      expect(status).to.equal(429)
      expect(Number(headers.get('retry-after'))).to.be.within(55, 60)
      expect(headers.get('ratelimit')).to.match(/^"default";r=0;t=/)
      expect(body.errors).to.deep.equal([{ status: '429', title: 'Error', detail: '' }])
      expect((await get(one)).status).to.equal(429)
      expect((await get(other)).status).to.equal(200)
    })
  }

  it('counts the requests of several processes together in PostgreSQL', async () => {
    const config = { ...configFrom({ RATE_LIMIT: '2', RATE_LIMIT_STORE: 'postgres' }), trustProxy: true }
    await start({ RATE_LIMIT: '2', RATE_LIMIT_STORE: 'postgres' })
    const twin = await startApp({ config, undescribed: ['default', 'admin'] })
    const one = client()
    await get(one)
    await twin.client.get('/genres', { 'x-forwarded-for': one })
    expect((await get(one)).status).to.equal(429)
    expect((await twin.client.get('/genres', { 'x-forwarded-for': one })).status).to.equal(429)
    await twin.close()
  })

  it('counts in memory while the store is unreachable', async () => {
    await start({ RATE_LIMIT: '2', RATE_LIMIT_STORE: 'redis', REDIS_URL: 'redis://127.0.0.1:1' })
    const one = client()
    const statuses = [await get(one), await get(one), await get(one)].map(({ status }) => status)
    expect(statuses).to.deep.equal([200, 200, 429])
  })

  it('ignores addresses that the client has added to X-Forwarded-For', async () => {
    await start({ RATE_LIMIT: '1' })
    const one = client()
    expect((await get(`1.1.1.1, ${one}`)).status).to.equal(200)
    expect((await get(`2.2.2.2, ${one}`)).status).to.equal(429)
  })

  it('sets no headers when RATE_LIMIT is not set', async () => {
    await start({})
    const { headers } = await (await catalogue()).client.get('/genres')
    expect(headers.get('ratelimit')).to.equal(null)
  })

  it('describes the 429 in OpenAPI only when a limit is set', async () => {
    await start({ RATE_LIMIT: '100' })
    const statusesOf = async (url: string) => {
      const described = await fetch(`${url}/docs.json`)
      return Object.keys(((await described.json()) as Described).paths['/albums']?.get?.responses ?? {})
    }
    expect(await statusesOf(app.client.url)).to.include('429')
    expect(await statusesOf((await catalogue()).client.url)).not.to.include('429')
  })

  it('counts the addresses of a /64 IPv6 network as one client', async () => {
    await start({})
    const of = (ip: string) => identifyClient({ ip } as Koa.Context)
    expect(of('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2::/64')
    expect(of('2001:db8:1:2::9')).to.equal('2001:db8:1:2::/64')
    expect(of('2001:0db8::1')).to.equal('2001:db8:0:0::/64')
    expect(of('::1')).to.equal('0:0:0:0::/64')
    expect(of('::ffff:10.1.2.3')).to.equal('10.1.2.3')
    expect(of('10.1.2.3')).to.equal('10.1.2.3')
  })

  it('requires REDIS_URL when the store is redis', async () => {
    await start({})
    expect(() => configFrom({ RATE_LIMIT_STORE: 'redis' })).to.throw('REDIS_URL is required.')
  })
})

interface Described {
  readonly paths: Record<string, Record<string, { readonly responses: object }>>
}
