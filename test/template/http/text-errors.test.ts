import { expect } from 'chai'
import createError from 'http-errors'
import type Koa from 'koa'
import { plugins } from '#app/plugins.ts'
import type { Plugin, Route } from '#kernel/plugin'
import { startApp, type TestApp } from '#test/support/app.ts'

// Errors of routes that are not JSON:API are sent as text, with the same headers as other responses.

describe('Errors of plain routes', () => {
  let served: TestApp
  const logged: string[] = []
  before(async () => {
    const log = (_details: object, message: string) => logged.push(message)
    served = await startApp({
      plugins: [...plugins, failing],
      logger: { error: log, warn: log, info: log },
      undescribed: ['default', 'admin'],
    })
    Object.assign(served.app.store, { pendingMigrations: async () => ['Later'] })
  })
  after(() => served.close())
  beforeEach(() => {
    logged.length = 0
  })

  const send = (method: string, path: string) =>
    fetch(served.client.url + path, { method, headers: { 'x-request-id': 'abc' } })

  for (const [method, path, status, text] of [
    ['DELETE', '/live', 405, 'DELETE is not allowed here.'],
    ['GET', '/ready', 503, '{"status":"migrations pending","migrations":["Later"]}'],
    ['POST', '/docs.json', 405, 'POST is not allowed here.'],
    ['POST', '/docs', 405, 'POST is not allowed here.'],
    ['POST', '/errors', 405, 'POST is not allowed here.'],
    ['GET', '/nowhere', 404, 'Not Found. See / for the URLs of this service.'],
    ['GET', '/broken', 500, 'Internal Server Error'],
    ['GET', '/refused', 403, 'Members only.'],
    ['GET', '/odd-status', 500, 'Internal Server Error'],
    ['GET', '/no-error', 500, 'Internal Server Error'],
  ] as const) {
    it(`have security headers and a request id: ${method} ${path} → ${status}`, async () => {
      const response = await send(method, path)
      expect([response.status, await response.text()]).to.deep.equal([status, text])
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(response.headers.get('content-security-policy')).to.match(/default-src 'self'/)
      expect(response.headers.get('x-request-id')).to.equal('abc')
    })
  }

  it('have a security header and a request id when a middleware fails before routing', async () => {
    const response = await send('GET', '/early')
    expect(response.status).to.equal(500)
    expect(response.headers.get('content-type')).to.equal('application/vnd.api+json')
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
    expect(response.headers.get('x-request-id')).to.equal('abc')
  })

  it('keep the headers of the HTTP error, and drop headers of the body that was not sent', async () => {
    const { headers } = await send('GET', '/refused')
    expect(headers.get('x-reason')).to.equal('members')
    expect(headers.get('x-kept')).to.equal('yes')
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8')
    for (const name of ['etag', 'cache-control', 'content-encoding', 'last-modified']) {
      expect(headers.get(name), name).to.equal(null)
    }
  })

  it('are logged when they are unexpected; health checks are not logged', async () => {
    await send('GET', '/broken')
    expect(logged).to.include('Unexpected error')
    logged.length = 0
    await send('GET', '/ready')
    await send('GET', '/live')
    await send('GET', '/nowhere')
    expect(logged).to.deep.equal(['Request'])
  })
})

const failing: Plugin = {
  name: 'failing',
  middleware: () => async (ctx, next) => {
    if (ctx.path === '/early') throw new Error('early')
    return next()
  },
  routes: ({ name }) =>
    name !== 'default'
      ? []
      : [
          route('/broken', () => {
            throw new Error('A secret')
          }),
          route('/refused', (ctx) => {
            ctx.set({ ETag: '"1"', 'Cache-Control': 'public', 'Content-Encoding': 'gzip', 'X-Kept': 'yes' })
            ctx.lastModified = new Date(0)
            throw createError(403, 'Members only.', { headers: { 'X-Reason': 'members' } })
          }),
          route('/odd-status', () => {
            throw Object.assign(new Error('odd'), { status: 999 })
          }),
          route('/no-error', () => {
            throw 'a text'
          }),
        ],
}

function route(path: string, fail: (ctx: Koa.Context) => void): Route {
  return {
    name: path.slice(1),
    methods: ['GET'],
    path,
    handle(ctx) {
      fail(ctx)
      return undefined
    },
  }
}
