import { expect } from 'chai'
import { startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { configFrom } from '#test/template/support/config-from.ts'

const allowedOrigin = 'https://app.example.com'

describe('The plugin cors', () => {
  let app: TestApp
  before(async () => {
    app = await startApp({ config: configFrom({ CORS_ORIGINS: `${allowedOrigin}, http://localhost:5173` }) })
  })
  after(() => app.close())

  const preflight = (origin: string, { client } = app) =>
    fetch(`${client.url}/albums`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type',
      },
    })

  it('responds to the preflight of an allowed origin', async () => {
    const { status, headers } = await preflight(allowedOrigin)
    expect(status).to.equal(204)
    expect(headers.get('access-control-allow-origin')).to.equal(allowedOrigin)
    expect(headers.get('access-control-allow-methods')).to.equal('GET,HEAD,POST,PATCH,DELETE')
    expect(headers.get('access-control-allow-headers')).to.equal('authorization,content-type')
    expect(headers.get('access-control-max-age')).to.equal('600')
  })

  it('allows an allowed origin to read responses, errors and exposed headers', async () => {
    for (const [path, expected] of [
      ['/albums', 200],
      ['/albums/4711', 404],
      ['/albums?nope=1', 400],
    ] as const) {
      const { status, headers } = await app.client.get(path, { origin: allowedOrigin })
      expect(status).to.equal(expected)
      expect(headers.get('access-control-allow-origin'), path).to.equal(allowedOrigin)
      expect(headers.get('access-control-expose-headers'), path).to.include('X-Request-Id')
      expect(headers.get('vary'), path).to.match(/\bOrigin\b/)
    }
  })

  it('allows nothing to other origins', async () => {
    const { client } = app
    for (const origin of ['https://evil.example', 'null', `${allowedOrigin}.evil.example`]) {
      expect((await client.get('/albums', { origin })).headers.get('access-control-allow-origin')).to.equal(null)
      const { status, headers } = await preflight(origin)
      expect(status).to.equal(204)
      expect(headers.get('access-control-allow-origin')).to.equal(null)
    }
  })

  it('allows all origins without credentials when CORS_ORIGINS is *', async () => {
    const open = await startApp({ config: configFrom({ CORS_ORIGINS: '*' }) })
    const { headers } = await open.client.get('/albums', { origin: 'https://any.example' })
    expect(headers.get('access-control-allow-origin')).to.equal('*')
    expect(headers.get('access-control-allow-credentials')).to.equal(null)
    await open.close()
  })

  it('sets no headers when CORS_ORIGINS is empty', async () => {
    const { client } = await catalogue()
    const { headers } = await client.get('/albums', { origin: allowedOrigin })
    expect(headers.get('access-control-allow-origin')).to.equal(null)
    expect(headers.get('vary')).not.to.match(/\bOrigin\b/)
  })

  it('rejects CORS_ORIGINS that are not origins at boot', () => {
    for (const invalid of ['app.example.com', `${allowedOrigin}/path`, `${allowedOrigin}/`]) {
      expect(() => configFrom({ CORS_ORIGINS: invalid })).to.throw('CORS_ORIGINS must list origins such as')
    }
  })
})
