import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { markDirty, startApp, type TestApp } from './support/app.ts'
import { catalogue } from './support/catalogue.ts'
import { type Client, mediaType } from './support/client.ts'
import { testDatabase } from './support/database.ts'
import { open, sendBytes } from './support/raw-http.ts'

// What Node refuses before there is a request, what arrives in pieces or not at all, and who goes away in the middle.

const head = (method: string, path: string, ...headers: readonly string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: example.com', `Accept: ${mediaType}`, ...headers, '', ''].join('\r\n')
const posting = (...headers: readonly string[]) =>
  head('POST', '/artists', `Content-Type: ${mediaType}`, 'Connection: close', ...headers)

describe('The edge', () => {
  let client: Client
  before(async () => {
    client = (await catalogue()).client
  })
  afterEach(async () => expect((await client.get('/albums')).status).to.equal(200))

  const refused: readonly (readonly [what: string, status: number, ...bytes: readonly (string | Buffer)[]])[] = [
    ['something that is not HTTP', 400, 'GARBAGE\r\n\r\n'],
    ['bytes of another protocol', 400, Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01])],
    ['another version of HTTP', 400, 'GET /albums HTTP/9.9\r\nHost: example.com\r\n\r\n'],
    ['no host', 400, 'GET /albums HTTP/1.1\r\n\r\n'],
    ['a header without a colon', 400, head('GET', '/albums', 'Nonsense')],
    ['a control character in a header', 400, head('GET', '/albums', 'X-Odd: a\0b')],
    ['a URL with a blank', 400, head('GET', '/albums?filter[title]=a b')],
    ['two lengths that differ', 400, posting('Content-Length: 5', 'Content-Length: 6'), '{"a":1}'],
    ['a length and chunks', 400, posting('Content-Length: 5', 'Transfer-Encoding: chunked'), '0\r\n\r\n'],
    ['a length that is no number', 400, posting('Content-Length: many'), '{}'],
    ['a negative length', 400, posting('Content-Length: -1'), '{}'],
    ['a chunk whose size is no number', 400, posting('Transfer-Encoding: chunked'), 'many\r\n{}\r\n0\r\n\r\n'],
    ['a chunk that is longer than it says', 400, posting('Transfer-Encoding: chunked'), '1\r\n{"a":1}\r\n0\r\n\r\n'],
    [
      'extensions of a chunk without end',
      413,
      posting('Transfer-Encoding: chunked'),
      `1;${'x'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`,
    ],
    ['headers of 100 kB', 431, head('GET', '/albums', `X-Long: ${'x'.repeat(100_000)}`)],
    ['10,000 headers', 431, head('GET', '/albums', ...Array.from({ length: 10_000 }, (_, n) => `X-${n}: ${n}`))],
    ['100,000 query parameters', 431, head('GET', `/albums?${'filter[title]=x&'.repeat(100_000)}`)],
    ['1,000 query parameters', 400, head('GET', `/albums?${'a[]=1&'.repeat(1_000)}`, 'Connection: close')],
    ['JSON of 400,000 levels', 400, posting('Content-Length: 400000'), '['.repeat(400_000)],
    ['closed JSON of 400,000 levels', 400, posting('Content-Length: 800000'), deepList(400_000)],
    ['broken gzip', 400, ...packed(Buffer.concat([gzipSync('{"data":1}').subarray(0, 12), Buffer.alloc(20, 7)]))],
    ['gzip that is cut short', 400, ...packed(gzipSync(JSON.stringify({ data: 'x'.repeat(500) })).subarray(0, 20))],
    ['100 MB in 100 kB of gzip', 413, ...packed(gzipSync(Buffer.alloc(100_000_000, 32)))],
  ]
  for (const [what, status, ...bytes] of refused) {
    it(`answers ${status} to ${what}, as a document`, async () => {
      const [reply, ...others] = await sendBytes(client.url, ...bytes)
      expect(reply?.status).to.equal(status)
      expect(reply?.body.errors[0].status).to.equal(String(status))
      expect(reply?.head).to.match(/content-type: application\/vnd\.api\+json\r?$/im)
      expect(others).to.deep.equal([])
    })
  }

  it('answers the request before it looks at the nonsense behind it', async () => {
    const replies = await sendBytes(client.url, `${head('GET', '/albums/1')}GARBAGE\r\n\r\n`)
    expect(replies.map(({ status }) => status)).to.deep.equal([200])
  })

  it('takes it calmly when a client goes away in the middle of its headers, or of its body', async () => {
    for (const part of [
      'GET /albums HT',
      head('GET', '/albums').slice(0, -2),
      `${posting('Content-Length: 50')}{"da`,
    ]) {
      const socket = open(client.url)
      await once(socket, 'connect')
      socket.write(part)
      socket.resetAndDestroy()
      await once(socket, 'close')
    }
  })
})

describe('Slow clients', () => {
  let app: TestApp
  before(async () => {
    app = await startApp({ config: { timeouts: { headers: 60, request: 120, keepAlive: 60 } } })
  })
  after(() => app.close())

  it('are cut with 408 when their headers take too long', async () => {
    const [reply] = await sendBytes(app.client.url, 'GET /albums HTTP/1.1\r\nHost: example.com\r\n')
    expect(reply?.status).to.equal(408)
    expect(reply?.body.errors[0].detail).to.equal('The request did not arrive in time.')
  })

  it('are cut with 408 when their body takes too long', async () => {
    const [reply] = await sendBytes(app.client.url, posting('Content-Length: 50'), '{"da')
    expect(reply?.status).to.equal(408)
  })

  it('are left when they ask for nothing more', async () => {
    const began = performance.now()
    const replies = await sendBytes(app.client.url, 'GET /genres HTTP/1.1\r\nHost: example.com\r\n\r\n')
    expect(replies.map(({ status }) => status)).to.deep.equal([200])
    expect(performance.now() - began).to.be.below(4_000)
  })
})

describe('Clients that are slow to read', () => {
  const cut = Promise.withResolvers<boolean>()
  let app: TestApp
  before(async () => {
    const long: Plugin = {
      name: 'long',
      middleware: () => async (ctx, next) => {
        if (ctx.path !== '/long') return next()
        ctx.body = 'x'.repeat(20_000_000)
        ctx.res.once('close', () => cut.resolve(ctx.res.writableFinished))
      },
    }
    app = await startApp({
      plugins: [...plugins, long],
      config: { timeouts: { headers: 60, request: 500, keepAlive: 60 } },
    })
  })
  after(() => app.close())

  it('are left when they do not read at all', async () => {
    const socket = open(app.client.url)
    socket.write('GET /long HTTP/1.1\r\nHost: example.com\r\n\r\n')
    socket.once('data', () => socket.pause())
    expect(await cut.promise).to.equal(false)
    socket.destroy()
  })

  it('get all of it while they do', async () => {
    const answer = await fetch(`${app.client.url}/long`)
    const began = performance.now()
    let read = 0
    for await (const piece of answer.body ?? []) {
      read += piece.length
      if (performance.now() - began < 1_200) await setTimeout(20)
    }
    expect(read).to.equal(20_000_000)
  })
})

describe('A client that goes away', () => {
  it('leaves no transaction open: its write ends as if it had stayed', async () => {
    const atWork = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const waiting: Plugin = {
      name: 'waiting',
      async beforeSave() {
        atWork.resolve()
        await gone.promise
      },
      onResponse: () => done.resolve(),
    }
    const { client, close } = await startApp({ plugins: [...plugins, waiting] })
    const body = JSON.stringify({ data: { type: 'artists', attributes: { name: 'Left behind' } } })
    markDirty()
    const socket = open(client.url)
    socket.write(posting(`Content-Length: ${body.length}`) + body)
    await atWork.promise
    socket.resetAndDestroy()
    await once(socket, 'close')
    gone.resolve()
    await done.promise
    expect(await openTransactions()).to.equal(0)
    const { body: found } = await client.get('/artists')
    expect(found.data.map(({ attributes }: Named) => attributes.name)).to.include('Left behind')
    await close()
  })
})

interface Named {
  readonly attributes: { readonly name: string }
}

/** The embedded database has one session, which answers only when its transaction is done. */
async function openTransactions(): Promise<number> {
  const [row] = await (await testDatabase()).orm.em.getConnection().execute<{ open: number }[]>(
    `select count(*)::int as open from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'`,
  )
  return row?.open ?? -1
}

function packed(bytes: Buffer): [string, Buffer] {
  return [posting('Content-Encoding: gzip', `Content-Length: ${bytes.length}`), bytes]
}

function deepList(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}
