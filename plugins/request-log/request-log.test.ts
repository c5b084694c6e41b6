import { once } from 'node:events'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { createLogger } from '#app/process/logger.ts'
import type { Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { open } from '#test/support/raw-http.ts'

describe('The plugin request-log', () => {
  let app: TestApp
  let lines: Line[]
  let heard: () => Promise<void>
  before(async () => {
    const listening = listener()
    heard = listening.next
    lines = listening.lines
    const talking: Plugin = {
      name: 'talking',
      async afterRead({ context }) {
        await new Promise(setImmediate)
        context.app.logger?.info({}, 'Reading')
        return undefined
      },
      beforeOperations({ ctx }) {
        if (ctx.query['filter[title]'] === 'fail') throw new Error('Something broke')
      },
    }
    app = await startApp({ plugins: [...plugins, talking], logger: createLogger('info', listening.stream) })
  })
  after(() => app.close())
  beforeEach(() => {
    lines.length = 0
  })

  /** What was said of the latest request; its answer may be there a moment earlier. */
  const logged = async () => {
    const isSaid = ({ msg }: Line) => msg.startsWith('Request')
    while (!lines.some(isSaid)) await heard()
    const [line] = lines.splice(lines.findIndex(isSaid), 1)
    return line as Line
  }

  const ids = async (given?: string) => {
    const { headers } = await app.client.get('/albums/1', given === undefined ? {} : { 'x-request-id': given })
    return headers.get('x-request-id')
  }

  it('makes an id for every request, and takes one that is given', async () => {
    const made = await ids()
    expect(made).to.match(/^[0-9a-f-]{36}$/)
    expect(await ids()).not.to.equal(made)
    expect(await ids('web-7f3a.12:9')).to.equal('web-7f3a.12:9')
  })

  for (const odd of ['', 'two words', 'x'.repeat(129), '"quoted"', '<script>', '{"a":1}']) {
    it(`makes one in place of ${odd.length > 20 ? 'one that is too long' : `'${odd}'`}`, async () => {
      expect(await ids(odd)).to.match(/^[0-9a-f-]{36}$/)
    })
  }

  it('tells it in the error object, with a number where there are several', async () => {
    const idsOf = async (path: string) => {
      const answer = await fetch(app.client.url + path, { headers: { 'x-request-id': 'abc' } })
      return ((await answer.json()) as { errors: { id: string }[] }).errors.map(({ id }) => id)
    }
    expect(await idsOf('/albums/4711')).to.deep.equal(['abc'])
    expect(await idsOf('/albums?sort=nothing&nope=1')).to.deep.equal(['abc.1', 'abc.2'])
  })

  it('says of every request what became of it, without its query', async () => {
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

  it('names the route also of a refused request, and none where there is none', async () => {
    await app.client.get('/admin/albums/4711/relationships/tracks')
    expect(await logged()).to.include({ status: 404, route: 'jsonapi.admin.albums.tracks.relationship' })
    await app.client.get('/nowhere')
    expect(await logged()).to.include({ status: 404, route: null })
  })

  it('marks every line that is logged on behalf of a request, at any depth', async () => {
    await Promise.all([
      app.client.get('/albums?include=', { 'x-request-id': 'first' }),
      app.client.get('/artists', { 'x-request-id': 'second' }),
    ])
    while (lines.length < 4) await heard()
    const spoken = lines.filter(({ msg }) => msg === 'Reading').map(({ requestId }) => requestId)
    expect(spoken).to.have.members(['first', 'second'])
  })

  it('marks the report of an unexpected error, and warns of the answer', async () => {
    await app.client.get('/albums?include=&filter[title]=fail', { 'x-request-id': 'broken' })
    expect(await logged()).to.include({ level: 40, status: 500, requestId: 'broken' })
    expect(lines.map(({ level, requestId }) => [level, requestId])).to.deep.equal([[50, 'broken']])
  })

  it('says that a client has gone before its answer was there', async () => {
    const socket = open(app.client.url)
    socket.write(
      'POST /albums HTTP/1.1\r\nHost: x\r\nContent-Type: application/vnd.api+json\r\nContent-Length: 9\r\n\r\n{',
    )
    await once(socket, 'connect')
    await new Promise(setImmediate)
    socket.resetAndDestroy()
    expect(await logged())
      .to.include({ aborted: true })
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

/** All lines so far; `next` waits for one more. */
function listener() {
  const lines: Line[] = []
  let heard = Promise.withResolvers<void>()
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      heard.resolve()
      heard = Promise.withResolvers()
      done()
    },
  })
  return { lines, stream, next: () => heard.promise }
}
