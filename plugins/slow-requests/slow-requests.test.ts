import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type App, addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { slowRequests } from './index.ts'

interface Line {
  readonly message: string
  readonly route: string
  readonly waitingMilliseconds: number
  readonly statements: readonly { readonly sql: string; readonly milliseconds: number; readonly rows: number }[]
}

const morning = '00000000-0000-4000-8000-000000000001'

/** Milliseconds of the injected clock for each statement and each wait for a connection. */
const statementTime = 5
const waitTime = 7

describe('The plugin slow-requests', () => {
  let lines: Line[] = []
  let logged = Promise.withResolvers<void>()
  let time = 0
  let app: TestApp

  /** Advances the clock with each statement and each wait, and by the header `x-delay` of a request. */
  const slow: Plugin = {
    name: 'slow',
    setup({ store }) {
      const advance = (milliseconds: number) => () => {
        time += milliseconds
      }
      store.observe?.({ onStatement: () => advance(statementTime), onWait: () => advance(waitTime) })
    },
    plan: addSteps({
      begin({ ctx }) {
        time += Number(ctx.headers['x-delay'] ?? 0)
      },
    }),
  }
  const late = { 'x-delay': '501' }

  const start = (env: Record<string, string>, config: Partial<App['config']> = {}) => {
    const timed = slowRequests({ now: () => time })
    return startApp({
      plugins: [slow, ...plugins.map((plugin) => (plugin.name === timed.name ? timed : plugin))],
      config: { ...configFrom(env), ...config },
      logger: { error: () => {}, info: () => {}, warn: log },
      undescribed: ['default', 'admin'],
    })
  }
  const log = (details: object, message: string) => {
    lines.push({ message, ...details } as Line)
    logged.resolve()
    logged = Promise.withResolvers()
  }

  /** Returns the first log lines. A line may be written after the client has the response. */
  const takeLines = async (count: number) => {
    while (lines.length < count) await logged.promise
    return lines
  }

  before(async () => {
    app = await start({})
  })
  after(() => app.close())
  beforeEach(() => {
    lines = []
  })

  it('logs route, query shape, statements with time and rows, and the time spent waiting, in one line', async () => {
    await app.client.get('/albums/1?fields[albums]=title&include=', late)
    const [line, ...others] = await takeLines(1)
    expect(others).to.deep.equal([])
    const waiting = line?.waitingMilliseconds ?? 0
    expect(waiting % waitTime).to.equal(0)
    expect(line).to.deep.include({
      message: 'Slow request',
      method: 'GET',
      route: 'jsonapi.albums.show',
      query: 'fields[albums]&include',
      status: 200,
      milliseconds: 501 + statementTime + waiting,
      databaseMilliseconds: statementTime,
    })
    const [statement, ...more] = line?.statements ?? []
    expect(more).to.deep.equal([])
    expect(statement).to.include({ milliseconds: statementTime, rows: 1 })
    expect(statement?.sql).to.match(/^select .* from "albums" /)
  })

  it('logs no request that takes SLOW_REQUEST_MS', async () => {
    await app.client.get('/albums?sort=nothing', { 'x-delay': '500' })
    await app.client.get('/albums/1', late)
    expect((await takeLines(1)).map(({ route }) => route)).to.deep.equal(['jsonapi.albums.show'])
  })

  it('logs no values of clients: of the path, the query, unknown parameters, headers or the body', async () => {
    const path = `/playlists/${morning}`
    const headers = { ...late, authorization: 'Bearer ada@example.com' }
    const body = { data: { type: 'playlists', id: morning, attributes: { title: 'secret title' } } }
    expect((await app.client.patch(path, body, headers)).status).to.equal(200)
    await app.client.get('/albums?filter[title]=secret&secret-name=1&sort=-title', headers)
    await app.client.get('/artists/secret?%E0%A4%A=secret', headers)
    const [write, read] = await takeLines(2)
    const update = write?.statements.find(({ sql }) => sql.startsWith('update "playlists"'))
    expect(update?.sql).to.contain('"title" = ?')
    expect(read).to.include({ query: 'filter[title]&?&sort', status: 400 })
    expect(JSON.stringify(lines)).not.to.match(/secret|4000-8000|ada@/)
  })

  it('separates the statements of concurrent requests', async () => {
    const paths = ['/albums/1?include=', '/genres', '/albums/2?include=', '/genres']
    await Promise.all(paths.map((path) => app.client.get(path, late)))
    for (const { statements, route } of await takeLines(paths.length)) {
      const tables = statements.map(({ sql }) => /from "(\w+)"/.exec(sql)?.[1])
      expect([...new Set(tables)], route).to.deep.equal([route.split('.')[1]])
    }
  })

  it('sends total, database and waiting time in Server-Timing, with errors too', async () => {
    const { headers } = await app.client.get('/albums/1?include=')
    expect(headers.get('server-timing')).to.match(
      /^total;dur=\d+, database;dur=5;desc="1 statement", waiting;dur=(0|7|14)$/,
    )
    const { headers: failed } = await app.client.get('/albums?sort=nothing', { 'x-delay': '3' })
    expect(failed.get('server-timing')).to.equal('total;dur=3, database;dur=0;desc="0 statements", waiting;dur=0')
  })

  it('logs nothing if SLOW_REQUEST_MS is 0, and sends no Server-Timing in production', async () => {
    const off = await start({ SLOW_REQUEST_MS: '0' }, { production: true })
    const { headers } = await off.client.get('/artists/1', late)
    await off.close()
    expect(headers.get('server-timing')).to.equal(null)
    expect(lines).to.deep.equal([])
  })

  it('sends no Server-Timing if the plugin is disabled', async () => {
    const disabled = await startApp({ disabled: ['slow-requests'] })
    const { headers } = await disabled.client.get('/artists/1')
    await disabled.close()
    expect(headers.get('server-timing')).to.equal(null)
  })
})
