import { expect } from 'chai'
import Koa from 'koa'
import { markDirty, startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { mediaType } from '#test/support/client.ts'
import { open, type RawHttpResponse, sendBytes } from '#test/template/support/raw-http.ts'

// Links and Location contain the host of a request, so a request without exactly one valid host is rejected.

const get = (path: string, ...headers: readonly string[]) =>
  [`GET ${path} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n')

describe('The Host of a request', () => {
  let url: string
  before(async () => {
    url = (await catalogue()).client.url
  })

  for (const host of ['example.com', 'example.com:8443', '127.0.0.1:3000', '[::1]:3000', '[2001:db8::1]', 'a_b', 'x']) {
    it(`is the host of links when it is valid: ${host}`, async () => {
      const [reply] = await sendBytes(url, get('/genres', `Host: ${host}`))
      expect(reply?.status).to.equal(200)
      expect(reply?.body.links.self).to.equal(`http://${host}/genres`)
    })
  }

  const invalid: Readonly<Record<string, readonly string[]>> = {
    'is empty': ['Host:'],
    'is empty twice': ['Host:', 'Host:'],
    'is repeated': ['Host: example.com', 'host: example.com'],
    'is repeated with another value': ['Host: example.com', 'HOST: evil.example'],
    'is a list': ['Host: example.com, evil.example'],
    'has user information': ['Host: ada@example.com'],
    'has a password': ['Host: ada:secret@example.com'],
    'has a path': ['Host: example.com/evil'],
    'has a query': ['Host: example.com?evil'],
    'has a fragment': ['Host: example.com#evil'],
    'has a scheme': ['Host: http://example.com'],
    'has a space': ['Host: example.com evil'],
    'has a quote': ['Host: example.com"evil'],
    'has a tag': ['Host: <script>'],
    'has a backslash': ['Host: example.com\\evil'],
    'has a percent sign': ['Host: example%2ecom'],
    'has a letter outside of ASCII': ['Host: exämple.com'],
    'has a port that is not a number': ['Host: example.com:http'],
    'has a port that is too large': ['Host: example.com:65536'],
    'has two ports': ['Host: example.com:80:80'],
    'is an IPv6 address without brackets': ['Host: ::1'],
    'is not an IPv6 address': ['Host: [::1::2]'],
    'is longer than a name can be': [`Host: ${'a'.repeat(300)}`],
  }
  for (const [fault, headers] of Object.entries(invalid)) {
    it(`returns 400 on every path when it ${fault}`, async () => {
      for (const path of ['/genres', '/nowhere', '/docs.json', '/admin/albums']) {
        const [reply] = await sendBytes(url, get(path, ...headers))
        expectHostError(reply, 'Host')
      }
    })
  }

  it('returns 400 before a write when it is invalid', async () => {
    const body = JSON.stringify({ data: { type: 'artists', attributes: { name: 'New' } } })
    const head = ['POST /artists HTTP/1.1', 'Host: a@b', `Content-Type: ${mediaType}`, `Content-Length: ${body.length}`]
    const [reply] = await sendBytes(url, [...head, 'Connection: close', '', body].join('\r\n'))
    expectHostError(reply, 'Host')
  })

  it('returns 400 when it is missing, in HTTP/1.0 as well', async () => {
    const [http11] = await sendBytes(url, get('/genres'))
    expect(http11?.status).to.equal(400)
    const [http10] = await sendBytes(url, 'GET /genres HTTP/1.0\r\n\r\n')
    expectHostError(http10, 'Host')
    const [named] = await sendBytes(url, 'GET /genres HTTP/1.0\r\nHost: example.com\r\n\r\n')
    expect(named?.status).to.equal(200)
  })

  it('is not checked for health checks with HTTP/1.0, as load balancers send them', async () => {
    const text = await exchangeText(url, 'GET /live HTTP/1.0\r\n\r\n')
    expect(text).to.match(/^HTTP\/1\.1 200 OK/)
  })
})

describe('A request target in absolute form', () => {
  let url: string
  before(async () => {
    url = (await catalogue()).client.url
  })

  for (const host of ['api.example', 'api.example:8443', '[2001:db8::1]:3000']) {
    it(`replaces the Host: ${host}`, async () => {
      const [reply] = await sendBytes(url, get(`http://${host}/genres?fields[genres]=name`, 'Host: other.example'))
      expect(reply?.status).to.equal(200)
      expect(reply?.body.links.self).to.equal(`http://${host}/genres?fields[genres]=name`)
    })
  }

  for (const target of [
    'http://ada@api.example/genres',
    'http:///genres',
    'http://exa%6dple/genres',
    'http://a:b/genres',
  ]) {
    it(`returns 400 for an invalid host: ${target}`, async () => {
      const [reply] = await sendBytes(url, get(target, 'Host: other.example'))
      expectHostError(reply, 'Host')
    })
  }

  it('returns 400 when the Host header is invalid', async () => {
    for (const headers of [['Host: a@b'], ['Host: api.example', 'Host: api.example']]) {
      const [reply] = await sendBytes(url, get('http://api.example/genres', ...headers))
      expectHostError(reply, 'Host')
    }
  })

  it('selects the server of its domain', async () => {
    const servers = { default: {}, admin: { domain: 'admin.example' } }
    const app = await startApp({ servers, undescribed: ['default', 'admin'] })
    const artistOf = async (target: string, host: string) =>
      (await sendBytes(app.client.url, get(target, `Host: ${host}`)))[0]?.body.data.relationships.artist.links
    expect(await artistOf('http://admin.example/albums/1', 'other.example')).not.to.have.property('related')
    expect(await artistOf('http://other.example/albums/1', 'admin.example')).to.have.property('related')
    await app.close()
  })
})

describe('The Host of a request with BASE_URI', () => {
  const baseUri = 'https://api.example.com'
  let app: TestApp
  before(async () => {
    app = await startApp({ servers: { default: { baseUri }, admin: { prefix: '/admin' } }, undescribed: ['default'] })
  })
  after(() => app.close())

  it('does not occur in links, Location and links of errors', async () => {
    const texts = [
      await exchangeText(app.client.url, get('/albums?include=artist', 'Host: evil.example')),
      await exchangeText(app.client.url, get('/albums?nope=1', 'Host: evil.example')),
      await exchangeText(app.client.url, get('/albums/4711', 'Host: evil.example')),
      await exchangeText(app.client.url, posting({ data: { type: 'artists', attributes: { name: 'New' } } })),
    ]
    markDirty()
    for (const text of texts) {
      expect(text).not.to.include('evil.example')
      expect(text).to.include(baseUri)
    }
    expect(texts[3]).to.match(/location: https:\/\/api\.example\.com\/artists\/\d+/i)
  })

  it('returns 400 when it is invalid', async () => {
    const [reply] = await sendBytes(app.client.url, get('/albums', 'Host: a, b'))
    expect(reply?.status).to.equal(400)
    expect(reply?.body.errors[0].links.type).to.equal(`${baseUri}/errors#HOST_INVALID`)
  })
})

describe('The Host of a request with ALLOWED_HOSTS', () => {
  let app: TestApp
  before(async () => {
    app = await startApp({
      config: { allowedHosts: ['api.example.com', 'www.example.com:8443'], trustProxy: true },
      undescribed: ['default', 'admin'],
    })
  })
  after(() => app.close())

  for (const [host, status] of [
    ['api.example.com', 200],
    ['API.Example.com:3000', 200],
    ['www.example.com:8443', 200],
    ['www.example.com', 400],
    ['www.example.com:80', 400],
    ['evil.example', 400],
    ['api.example.com.evil.example', 400],
  ] as const) {
    it(`returns ${status} for ${host}`, async () => {
      const [reply] = await sendBytes(app.client.url, get('/genres', `Host: ${host}`))
      expect(reply?.status).to.equal(status)
      if (status === 400) expect(reply?.body.errors[0].code).to.equal('HOST_NOT_ALLOWED')
    })
  }

  it('is the host of a request target in absolute form', async () => {
    const [allowed] = await sendBytes(app.client.url, get('http://api.example.com/genres', 'Host: evil.example'))
    expect(allowed?.status).to.equal(200)
    const [other] = await sendBytes(app.client.url, get('http://evil.example/genres', 'Host: api.example.com'))
    expect(other?.body.errors[0].code).to.equal('HOST_NOT_ALLOWED')
  })

  it('is the forwarded host of a trusted proxy', async () => {
    const [allowed] = await sendBytes(app.client.url, get('/genres', 'Host: x', 'X-Forwarded-Host: api.example.com'))
    expect(allowed?.status).to.equal(200)
    for (const forwarded of ['x', 'api.example.com, x']) {
      const headers = ['Host: api.example.com', `X-Forwarded-Host: ${forwarded}`]
      const [other] = await sendBytes(app.client.url, get('/genres', ...headers))
      expect(other?.status, forwarded).to.equal(400)
    }
  })
})

describe('The host and scheme that a proxy forwards', () => {
  let app: TestApp
  before(async () => {
    app = await startApp({ config: { trustProxy: true }, undescribed: ['default', 'admin'] })
  })
  after(() => app.close())

  const send = async (...headers: readonly string[]) =>
    (await sendBytes(app.client.url, get('/genres', 'Host: inner:3000', ...headers)))[0]

  it('are the base of links; the last of a list counts, and an empty header is ignored', async () => {
    const selfOf = async (...headers: readonly string[]) => (await send(...headers))?.body.links.self
    expect(await selfOf('X-Forwarded-Host: a.example', 'X-Forwarded-Proto: https')).to.equal('https://a.example/genres')
    expect(await selfOf('X-Forwarded-Host: evil.example, b.example', 'X-Forwarded-Proto: http, https')).to.equal(
      'https://b.example/genres',
    )
    const added = ['X-Forwarded-Host: evil.example', 'X-Forwarded-Host: b.example', 'X-Forwarded-Proto: x,https']
    expect(await selfOf(...added)).to.equal('https://b.example/genres')
    expect(await selfOf('X-Forwarded-Host:', 'X-Forwarded-Proto:')).to.equal('http://inner:3000/genres')
  })

  for (const host of ['ada@a.example', 'a.example/evil', 'a b', 'a.example,', '<script>', 'a.example:99999']) {
    it(`return 400 for the host ${host}`, async () => {
      expectHostError(await send(`X-Forwarded-Host: ${host}`), 'X-Forwarded-Host')
    })
  }

  for (const scheme of ['javascript', 'ftp', 'https://evil.example/', 'https,', 'HTTPS:']) {
    it(`return 400 for the scheme ${scheme}`, async () => {
      expectHostError(await send(`X-Forwarded-Proto: ${scheme}`), 'X-Forwarded-Proto')
    })
  }

  it('are ignored when the proxy is not trusted', async () => {
    const { client } = await catalogue()
    const [reply] = await sendBytes(
      client.url,
      get('/genres', 'Host: a', 'X-Forwarded-Host: <x>', 'X-Forwarded-Proto: x'),
    )
    expect(reply?.body.links.self).to.equal('http://a/genres')
  })
})

describe('Routes of a mountManually server in another Koa application', () => {
  it('return 400 for an invalid Host', async () => {
    const servers = { default: { mountManually: true }, admin: { prefix: '/admin' } }
    const placed = await startApp({ servers, undescribed: ['default'] })
    const koa = new Koa()
    koa.use(placed.app.routes())
    const server = koa.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const [reply] = await sendBytes(`http://127.0.0.1:${port}`, get('/genres', 'Host: a@b'))
    expectHostError(reply, 'Host')
    server.closeAllConnections()
    server.close()
    await placed.close()
  })
})

function expectHostError(reply: RawHttpResponse | undefined, header: string): void {
  expect(reply?.status).to.equal(400)
  const [error] = reply?.body.errors ?? []
  expect(error).to.include({ code: 'HOST_INVALID', title: 'Host is invalid' })
  expect(error.source).to.deep.equal({ header })
  expect(error.links).to.equal(undefined)
}

function posting(document: object): string {
  const body = JSON.stringify(document)
  const head = ['POST /artists HTTP/1.1', 'Host: evil.example', `Content-Type: ${mediaType}`]
  return [...head, `Content-Length: ${body.length}`, 'Connection: close', '', body].join('\r\n')
}

async function exchangeText(url: string, bytes: string): Promise<string> {
  const socket = open(url)
  socket.write(bytes)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
