import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import type Koa from 'koa'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { startApp, type TestApp } from '#test/support/app.ts'
import { open } from '#test/template/support/raw-http.ts'

// Responses of middleware, in all forms that Koa supports.

type Write = (ctx: Koa.Context) => void

const writers: Readonly<Record<string, Write>> = {
  text: (ctx) => set(ctx, 'a text'),
  accents: (ctx) => set(ctx, 'é € 🎵'),
  bytes: (ctx) => set(ctx, Buffer.from('a text')),
  stream: (ctx) => set(ctx, Readable.from(['a ', 'text'])),
  object: (ctx) => set(ctx, { a: 'text' }),
  blob: (ctx) => set(ctx, new Blob(['a text'])),
  created: (ctx) => set(ctx, 'a text', 201),
  unchanged: (ctx) => set(ctx, 'a text', 304),
  nothing: (ctx) => set(ctx, null),
  status: (ctx) => set(ctx, undefined, 202),
  unmanaged(ctx) {
    ctx.respond = false
    ctx.res.writeHead(203).end('unmanaged')
  },
  twice(ctx) {
    ctx.res.end('once')
    set(ctx, 'and again')
  },
  broken: (ctx) => set(ctx, Readable.from(brokenPieces())),
  framed(ctx) {
    ctx.remove('X-Frame-Options')
    ctx.set('Referrer-Policy', 'origin')
    ctx.append('Cross-Origin-Opener-Policy', 'unsafe-none')
    ctx.vary('Origin')
    set(ctx, `${ctx.response.get('X-Content-Type-Options')} ${ctx.response.get('Vary')}`)
  },
}

describe('A response of a middleware', () => {
  const logged: { details: Record<string, unknown>; message: string }[] = []
  const log = (details: object, message: string) => logged.push({ details: { ...details }, message })
  let served: TestApp
  before(async () => {
    const writing: Plugin = {
      name: 'writing',
      middleware: () => (ctx, next) => {
        const write = writers[ctx.path.slice(1)]
        return write ? Promise.resolve(write(ctx)) : next()
      },
    }
    served = await startApp({ plugins: [...plugins, writing], logger: { error: log, info: log, warn: log } })
  })
  after(() => served.close())
  beforeEach(() => {
    logged.length = 0
  })

  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`${served.client.url}${path}`, { method, headers: { 'accept-encoding': 'identity' } })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  for (const [form, status, text] of [
    ['text', 200, 'a text'],
    ['accents', 200, 'é € 🎵'],
    ['bytes', 200, 'a text'],
    ['stream', 200, 'a text'],
    ['object', 200, '{"a":"text"}'],
    ['blob', 200, 'a text'],
    ['created', 201, 'a text'],
    ['unchanged', 304, ''],
    ['nothing', 204, ''],
    ['status', 202, 'Accepted'],
    ['unmanaged', 203, 'unmanaged'],
    ['twice', 404, 'once'],
  ] as const) {
    it(`is sent: ${form}`, async () => {
      const response = await get(`/${form}`)
      expect(response.status).to.equal(status)
      expect(response.text).to.equal(text)
    })
  }

  it('has Content-Length and no body for HEAD', async () => {
    const { status, headers, text } = await get('/text', 'HEAD')
    expect([status, headers.get('content-length'), text]).to.deep.equal([200, '6', ''])
  })

  it('closes the connection and is logged when its stream fails', async () => {
    const failed = await get('/broken').catch((error: unknown) => error)
    expect(failed).to.be.an('error')
    expect((await get('/text')).status).to.equal(200)
    expect(logged.some(({ message }) => message === 'Unexpected error')).to.equal(true)
    const { details } = logged.find(({ details }) => details.path === '/broken') ?? {}
    expect(details).to.include({ status: 200, aborted: true })
  })

  it('is logged, but not as an error, when the client has disconnected', async () => {
    const socket = open(served.client.url)
    socket.write('GET /nowhere HTTP/1.1\r\nHost: example.com\r\n\r\n')
    socket.resetAndDestroy()
    await once(socket, 'close')
    await get('/text')
    expect(logged.filter(({ message }) => message !== 'Request')).to.deep.equal([])
  })

  it('can remove, change and read default headers, without an effect on other responses', async () => {
    const { headers, text } = await get('/framed')
    expect(headers.get('x-frame-options')).to.equal(null)
    expect(headers.get('referrer-policy')).to.equal('origin')
    expect(headers.get('cross-origin-opener-policy')).to.equal('same-origin, unsafe-none')
    expect(text).to.equal('nosniff Accept-Encoding, Origin')
    const other = await get('/nowhere')
    expect(other.headers.get('x-frame-options')).to.equal('SAMEORIGIN')
    expect(other.headers.get('referrer-policy')).to.equal('no-referrer')
    expect(other.headers.get('cross-origin-opener-policy')).to.equal('same-origin')
  })
})

function set(ctx: Koa.Context, body: unknown, status?: number): void {
  if (status !== undefined) ctx.status = status
  if (body !== undefined) ctx.body = body
}

async function* brokenPieces(): AsyncGenerator<string> {
  yield 'a '
  throw new Error('The rest is lost.')
}
