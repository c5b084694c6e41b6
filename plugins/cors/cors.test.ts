import { expect } from 'chai'
import { startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { configured } from '#test/support/variables.ts'

const site = 'https://app.example.com'

describe('The plugin cors', () => {
  let app: TestApp
  before(async () => {
    app = await startApp({ config: configured({ CORS_ORIGINS: `${site}, http://localhost:5173` }) })
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

  it('answers the preflight of a site that is named', async () => {
    const { status, headers } = await preflight(site)
    expect(status).to.equal(204)
    expect(headers.get('access-control-allow-origin')).to.equal(site)
    expect(headers.get('access-control-allow-methods')).to.equal('GET,HEAD,POST,PATCH,DELETE')
    expect(headers.get('access-control-allow-headers')).to.equal('authorization,content-type')
    expect(headers.get('access-control-max-age')).to.equal('600')
  })

  it('allows it answers and errors, with the headers it may see', async () => {
    for (const [path, expected] of [
      ['/albums', 200],
      ['/albums/4711', 404],
      ['/albums?nope=1', 400],
    ] as const) {
      const { status, headers } = await app.client.get(path, { origin: site })
      expect(status).to.equal(expected)
      expect(headers.get('access-control-allow-origin'), path).to.equal(site)
      expect(headers.get('access-control-expose-headers'), path).to.include('X-Request-Id')
      expect(headers.get('vary'), path).to.match(/\bOrigin\b/)
    }
  })

  it('allows nothing to any other', async () => {
    const { client } = app
    for (const origin of ['https://evil.example', 'null', `${site}.evil.example`]) {
      expect((await client.get('/albums', { origin })).headers.get('access-control-allow-origin')).to.equal(null)
      const { status, headers } = await preflight(origin)
      expect(status).to.equal(204)
      expect(headers.get('access-control-allow-origin')).to.equal(null)
    }
  })

  it('allows everybody who asks without credentials when it is told *', async () => {
    const open = await startApp({ config: configured({ CORS_ORIGINS: '*' }) })
    const { headers } = await open.client.get('/albums', { origin: 'https://any.example' })
    expect(headers.get('access-control-allow-origin')).to.equal('*')
    expect(headers.get('access-control-allow-credentials')).to.equal(null)
    await open.close()
  })

  it('is off while no site is named', async () => {
    const { client } = await catalogue()
    const { headers } = await client.get('/albums', { origin: site })
    expect(headers.get('access-control-allow-origin')).to.equal(null)
    expect(headers.get('vary')).not.to.match(/\bOrigin\b/)
  })

  it('demands origins', () => {
    for (const wrong of ['app.example.com', `${site}/path`, `${site}/`]) {
      expect(() => configured({ CORS_ORIGINS: wrong })).to.throw('CORS_ORIGINS must list origins such as')
    }
  })
})
