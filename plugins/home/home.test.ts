import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type Plugin, requireRole } from '#kernel/plugin'
import { startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { withDependents } from '#test/template/support/plugins.ts'
import { home } from './index.ts'

const html = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe('The plugin home', () => {
  let running: TestApp | null = null
  afterEach(async () => {
    await running?.close()
    running = null
  })
  const start = async (options: TestAppOptions = {}) => {
    running = await startApp(options)
    return running.client
  }
  describe('at /', () => {
    let url: string
    before(async () => {
      url = (await catalogue()).client.url
    })

    it('returns a JSON:API document with links to types, pages and other servers, without a statement', async () => {
      const { client } = await catalogue()
      const statements = await statementsOf(async () => {
        const { status, headers, body } = await client.get('/')
        expect(status).to.equal(200)
        expect(headers.get('content-type')).to.equal('application/vnd.api+json')
        expect(body.links).to.deep.equal({ self: `${url}/` })
        expect(body.meta).to.include({ title: 'Music Catalog API', version: '1.0.0' })
        expect(body.meta.types).to.include({ albums: `${url}/albums`, 'catalog-exports': `${url}/catalog-exports` })
        expect(body.meta.pages).to.deep.equal({
          Liveness: `${url}/live`,
          Readiness: `${url}/ready`,
          'Error codes': `${url}/errors`,
          'Profile "versions"': `${url}/profiles/versions`,
          'API documentation': `${url}/docs`,
          'OpenAPI document': `${url}/docs.json`,
          'JSON Schemas': `${url}/schemas.json`,
          'TypeScript types': `${url}/client-types.d.ts`,
        })
        expect(body.meta.servers).to.deep.equal({ admin: `${url}/admin` })
      })
      expect(statements).to.deep.equal([])
    })

    it('links only to URLs that return 200 to an administrator', async () => {
      for (const path of ['/', '/admin']) {
        const { types, pages, servers } = JSON.parse((await get(url + path)).text).meta
        for (const link of Object.values<string>({ ...types, ...pages, ...servers })) {
          expect((await get(link, as('admin'))).status, link).to.equal(200)
        }
      }
    })

    it('omits types without a collection', async () => {
      const { text } = await get(`${url}/admin`)
      const { types } = JSON.parse(text).meta
      const { app } = await catalogue()
      const listed = [...(app.servers.find(({ name }) => name === 'admin')?.types.values() ?? [])].filter(
        ({ operations }) => operations.has('FetchCollection'),
      )
      expect(Object.keys(types)).to.deep.equal(listed.map(({ name }) => name))
    })

    for (const [accept, type] of [
      [undefined, 'application/json'],
      ['*/*', 'application/json'],
      ['application/json', 'application/json'],
      ['application/*', 'application/json'],
      ['application/vnd.api+json', 'application/vnd.api+json'],
      ['text/html', 'text/html; charset=utf-8'],
      [html.accept, 'text/html; charset=utf-8'],
      ['application/json;q=0.5, text/html', 'text/html; charset=utf-8'],
    ] as const) {
      it(`returns ${type} for Accept: ${accept ?? '(none)'}`, async () => {
        const { status, headers } = await get(`${url}/`, accept === undefined ? {} : { accept })
        expect(status).to.equal(200)
        expect(headers.get('content-type')).to.equal(type)
        expect(headers.get('vary')).to.match(/\bAccept\b/)
        expect(headers.get('x-content-type-options')).to.equal('nosniff')
      })
    }

    it('returns 406 with the accepted media types for any other', async () => {
      const { status, headers, text } = await get(`${url}/`, { accept: 'image/png' })
      expect(status).to.equal(406)
      expect(text).to.equal('The page is available as application/json, text/html, application/vnd.api+json.')
      expect(headers.get('vary')).to.match(/\bAccept\b/)
    })

    it('returns 304 when If-None-Match has the ETag of the representation', async () => {
      const [json, page] = [await get(`${url}/`), await get(`${url}/`, html)]
      for (const [{ headers }, accept] of [
        [json, '*/*'],
        [page, 'text/html'],
      ] as const) {
        const etag = headers.get('etag') as string
        expect(headers.get('cache-control')).to.equal('no-cache')
        const again = await get(`${url}/`, { accept, 'if-none-match': etag })
        expect([again.status, again.text, again.headers.get('etag')]).to.deep.equal([304, '', etag])
        expect(again.headers.get('vary')).to.match(/\bAccept\b/)
      }
      const other = await get(`${url}/`, { 'if-none-match': page.headers.get('etag') as string })
      expect(other.status).to.equal(200)
    })

    it('returns the headers without a body for HEAD, and 405 for other methods', async () => {
      const { status, headers, text } = await get(`${url}/`, html, 'HEAD')
      expect([status, text]).to.deep.equal([200, ''])
      expect(headers.get('content-length')).to.equal((await get(`${url}/`, html)).headers.get('content-length'))
      const refused = await get(`${url}/`, {}, 'POST')
      expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS'])
    })

    it('allows no script and no request in its Content-Security-Policy', async () => {
      const policy = (await get(`${url}/`, html)).headers.get('content-security-policy') ?? ''
      expect(policy).to.match(/^default-src 'none'; style-src 'sha256-[\w+/]+=*'; img-src data:; /)
      expect(policy).not.to.include('unsafe')
    })

    it('lists the development tokens, with which requests are accepted', async () => {
      const { hints } = JSON.parse((await get(`${url}/`)).text).meta
      expect(hints.map(({ title }: { title: string }) => title)).to.deep.equal(['Development tokens'])
      expect(hints[0].values).to.deep.equal({
        admin: 'roles: admin',
        'ada@example.com': 'roles: user',
        'mallory@example.com': 'roles: user',
      })
      expect((await get(`${url}/`, html)).text).to.include('<code>ada@example.com</code>')
    })
  })

  it('lists no development tokens when a key is configured, in production, or without bearer-auth', async () => {
    const key = { JWT_SECRET: 'x'.repeat(32), JWT_ISSUER: 'issuer', JWT_AUDIENCE: 'audience' }
    const production = { ...configFrom({}), production: true }
    for (const options of [
      { config: configFrom(key) },
      { config: production },
      { disabled: withDependents('bearer-auth') },
    ]) {
      const client = await start(options)
      for (const headers of [{}, html]) {
        const { status, text } = await get(`${client.url}/`, headers)
        expect(status).to.equal(200)
        expect(text).not.to.match(/ada@example\.com|Development tokens|"hints"/)
      }
      await running?.close()
      running = null
    }
  })

  it('shows the types of a server at its prefix, only to clients that the server accepts', async () => {
    const servers = { default: {}, admin: { prefix: '/admin', middleware: [requireRole('admin')] } }
    const client = await start({ servers })
    expect((await get(`${client.url}/`)).text).not.to.include('users')
    const refused = await get(`${client.url}/admin`)
    expect([refused.status, refused.text]).to.deep.equal([401, 'Access to this server needs authentication.'])
    expect((await get(`${client.url}/admin`, { authorization: 'Bearer ada@example.com' })).status).to.equal(403)
    const shown = await get(`${client.url}/admin`, { authorization: 'Bearer admin' })
    expect(JSON.parse(shown.text).meta.types.users).to.equal(`${client.url}/admin/users`)
    expect(shown.headers.get('vary')).to.match(/\bAuthorization\b/)
  })

  it('links to URLs below the base URI of each server', async () => {
    const servers = {
      default: { baseUri: 'https://a.example/x' },
      admin: { prefix: '/admin', baseUri: 'https://a.example/x/admin' },
      other: { prefix: '/other', domain: 'other.example' },
    }
    const client = await start({ servers })
    const { links, meta } = JSON.parse((await get(`${client.url}/`)).text)
    expect(links.self).to.equal('https://a.example/x/')
    expect(meta.types.albums).to.equal('https://a.example/x/albums')
    expect(meta.pages['API documentation']).to.equal('https://a.example/x/docs')
    expect(meta.servers).to.deep.equal({
      admin: 'https://a.example/x/admin',
      other: 'https://other.example/x/other',
    })
    const { meta: ofAdmin } = JSON.parse((await get(`${client.url}/admin`)).text)
    expect(ofAdmin.pages['OpenAPI document']).to.equal('https://a.example/x/admin/docs.json')
    expect(ofAdmin.servers.default).to.equal('https://a.example/x/')
    expect((await get(`${client.url}/nowhere`)).text).to.equal(
      'Not Found. See https://a.example/x/ for the URLs of this service.',
    )
  })

  it('escapes every value in HTML', async () => {
    const hostile = `<script>"'&`
    const titled: Plugin = {
      name: 'titled',
      setup: ({ hints }) => void hints.push({ title: hostile, text: hostile, values: { [hostile]: hostile } }),
      routes: () => [
        { name: 'titled', methods: ['GET'], path: `/${hostile}`, title: hostile, handle: () => undefined },
      ],
    }
    const others = plugins.filter(({ name }) => name !== 'home')
    const client = await start({ plugins: [...others, home({ title: hostile, version: hostile }), titled] })
    const { text } = await get(`${client.url}/`, html)
    expect(text).not.to.match(/<script|["=]<|"'/)
    expect(text.match(/&lt;script&gt;&quot;&#39;&amp;/g)).to.have.length(9)
  })

  it('is named in the text of a 404 without a document, and not when it is disabled', async () => {
    const { client } = await catalogue()
    const unknown = await get(`${client.url}/nowhere`)
    expect([unknown.status, unknown.text]).to.deep.equal([404, 'Not Found. See / for the URLs of this service.'])
    expect(unknown.headers.get('content-type')).to.equal('text/plain; charset=utf-8')
    expect((await client.get('/albums/99')).body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
    const without = await start({ disabled: ['home'] })
    for (const path of ['/', '/admin', '/nowhere']) {
      const { status, text } = await get(without.url + path)
      expect([status, text]).to.deep.equal([404, 'Not Found'])
    }
  })
})

/** Reads any response. Not by fetch, which adds `Cache-Control: no-cache` to a conditional request. */
async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const [response] = (await once(request(url, { method, headers }).end(), 'response')) as [IncomingMessage]
  const text = await response.toArray().then((chunks) => Buffer.concat(chunks).toString())
  return { status: response.statusCode, headers: new Headers(response.headers as Record<string, string>), text }
}
