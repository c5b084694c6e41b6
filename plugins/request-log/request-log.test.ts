import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { createLogger } from '#app/process/logger.ts'
import { addLogFields, addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { open } from '#test/template/support/raw-http.ts'

describe('The plugin request-log', () => {
  let app: TestApp
  let lines: Line[]
  let nextLine: () => Promise<void>
  before(async () => {
    const capture = captureLog()
    nextLine = capture.next
    lines = capture.lines
    const logging: Plugin = {
      name: 'logging',
      plan: addSteps({
        async afterOperation({ context }) {
          await new Promise(setImmediate)
          context.app.logger?.info({}, 'Reading')
          return undefined
        },
        respond({ ctx }) {
          if (ctx.path === '/albums/2') addLogFields(ctx, { cache: 'miss' })
        },
        authorize({ ctx }) {
          if (ctx.query['filter[title]'] === 'fail') throw new Error('Something broke')
        },
        begin({ ctx }) {
          if (ctx.path === '/albums/2') addLogFields(ctx, { tenant: 'acme', status: 'replaced' })
        },
      }),
    }
    app = await startApp({
      plugins: [...plugins, logging],
      logger: createLogger({ logLevel: 'info', logFormat: 'json' }, capture.stream),
    })
  })
  after(() => app.close())
  beforeEach(() => {
    lines.length = 0
  })

  /** The log line of the latest request, which may be written after the client has the response. */
  const logged = async () => {
    const isRequestLine = ({ msg }: Line) => msg.startsWith('Request')
    while (!lines.some(isRequestLine)) await nextLine()
    const [line] = lines.splice(lines.findIndex(isRequestLine), 1)
    return line as Line
  }

  const ids = async (given?: string) => {
    const { headers } = await app.client.get('/albums/1', given === undefined ? {} : { 'x-request-id': given })
    return headers.get('x-request-id')
  }

  it('generates an id for every request, and uses the X-Request-Id of the client', async () => {
    const made = await ids()
    expect(made).to.match(/^[0-9a-f-]{36}$/)
    expect(await ids()).not.to.equal(made)
    expect(await ids('web-7f3a.12:9')).to.equal('web-7f3a.12:9')
  })

  for (const invalid of ['', 'two words', 'x'.repeat(129), '"quoted"', '<script>', '{"a":1}']) {
    it(`replaces an invalid id: ${invalid.length > 20 ? '129 characters' : `'${invalid}'`}`, async () => {
      expect(await ids(invalid)).to.match(/^[0-9a-f-]{36}$/)
    })
  }

  it('sets the id of error objects, numbered when there are several', async () => {
    const idsOf = async (path: string) => {
      const answer = await fetch(app.client.url + path, { headers: { 'x-request-id': 'abc' } })
      return ((await answer.json()) as { errors: { id: string }[] }).errors.map(({ id }) => id)
    }
    expect(await idsOf('/albums/4711')).to.deep.equal(['abc'])
    expect(await idsOf('/albums?sort=nothing&nope=1')).to.deep.equal(['abc.1', 'abc.2'])
  })

  it('sets no id of the error object of a 500 without details, which has it in the header only', async () => {
    const answer = await fetch(`${app.client.url}/albums?include=&filter[title]=fail`, {
      headers: { 'x-request-id': 'abc' },
    })
    expect([answer.status, answer.headers.get('x-request-id')]).to.deep.equal([500, 'abc'])
    const { errors } = (await answer.json()) as { errors: object[] }
    expect(errors).to.deep.equal([{ status: '500', title: 'Internal Server Error' }])
    await logged()
  })

  it('logs method, path, route, status and duration of a request, without its query', async () => {
    await app.client.get('/albums/1?fields[albums]=title', { 'x-request-id': 'one' })
    const line = await logged()
    expect(line).to.include({
      msg: 'Request',
      requestId: 'one',
      method: 'GET',
      path: '/albums/1',
      route: 'jsonapi.albums.show',
      status: 200,
    })
    expect(line?.milliseconds).to.be.a('number')
    expect(JSON.stringify(line)).not.to.include('fields')
  })

  it('logs the fields that plugins add to the request, and keeps its own', async () => {
    await app.client.get('/albums/2')
    expect(await logged()).to.include({ tenant: 'acme', cache: 'miss', path: '/albums/2', status: 200 })
    await app.client.get('/albums/1')
    expect(await logged()).not.to.have.any.keys('tenant', 'cache')
  })

  it('logs the route of a 404 of a resource, and null when no route matches', async () => {
    await app.client.get('/admin/albums/4711/relationships/tracks')
    expect(await logged()).to.include({ status: 404, route: 'jsonapi.admin.albums.tracks.relationship' })
    await app.client.get('/nowhere')
    expect(await logged()).to.include({ status: 404, route: null })
  })

  it('adds the request id to every log line of a request', async () => {
    await Promise.all([
      app.client.get('/albums?include=', { 'x-request-id': 'first' }),
      app.client.get('/artists', { 'x-request-id': 'second' }),
    ])
    while (lines.length < 4) await nextLine()
    const marked = lines.filter(({ msg }) => msg === 'Reading').map(({ requestId }) => requestId)
    expect(marked).to.have.members(['first', 'second'])
  })

  it('adds the request id to an unexpected error, and logs the request as a warning', async () => {
    await app.client.get('/albums?include=&filter[title]=fail', { 'x-request-id': 'broken' })
    expect(await logged()).to.include({ level: 40, status: 500, requestId: 'broken' })
    expect(lines.map(({ level, requestId }) => [level, requestId])).to.deep.equal([[50, 'broken']])
  })

  it('logs status 499 and aborted: true when the client disconnects before the response', async () => {
    const arrived = Promise.withResolvers<void>()
    const onStart = () => arrived.resolve()
    subscribe('http.server.request.start', onStart)
    const socket = open(app.client.url)
    socket.write(
      'POST /albums HTTP/1.1\r\nHost: x\r\nContent-Type: application/vnd.api+json\r\nContent-Length: 9\r\n\r\n{',
    )
    await arrived.promise
    unsubscribe('http.server.request.start', onStart)
    socket.resetAndDestroy()
    expect(await logged())
      .to.include({ aborted: true, status: 499 })
      .and.to.include({ method: 'POST', path: '/albums' })
  })
})

interface Line {
  readonly level: number
  readonly msg: string
  readonly requestId?: string
  readonly milliseconds?: number
  readonly aborted?: boolean
}

/** The lines so far; `next` waits for another line. */
function captureLog() {
  const lines: Line[] = []
  let pending = Promise.withResolvers<void>()
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      pending.resolve()
      pending = Promise.withResolvers()
      done()
    },
  })
  return { lines, stream, next: () => pending.promise }
}
