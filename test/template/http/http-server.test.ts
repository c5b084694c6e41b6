import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import { markDirty, startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { open, sendBytes } from '#test/template/support/raw-http.ts'

// Bytes that are not a request, slow clients, and clients that disconnect.

const head = (method: string, path: string, ...headers: readonly string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: example.com', `Accept: ${mediaType}`, ...headers, '', ''].join('\r\n')
const posting = (...headers: readonly string[]) =>
  head('POST', '/artists', `Content-Type: ${mediaType}`, 'Connection: close', ...headers)

describe('Invalid and incomplete HTTP requests', () => {
  let client: Client
  before(async () => {
    client = (await catalogue()).client
  })
  afterEach(async () => expect((await client.get('/albums')).status).to.equal(200))

  const invalid: readonly (readonly [input: string, status: number, ...bytes: readonly (string | Buffer)[]])[] = [
    ['bytes that are not HTTP', 400, 'GARBAGE\r\n\r\n'],
    ['a TLS handshake', 400, Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01])],
    ['an unknown version of HTTP', 400, 'GET /albums HTTP/9.9\r\nHost: example.com\r\n\r\n'],
    ['a request without Host', 400, 'GET /albums HTTP/1.1\r\n\r\n'],
    ['a header without a colon', 400, head('GET', '/albums', 'Nonsense')],
    ['a control character in a header', 400, head('GET', '/albums', 'X-Odd: a\0b')],
    ['a URL with a space', 400, head('GET', '/albums?filter[title]=a b')],
    ['two different Content-Length headers', 400, posting('Content-Length: 5', 'Content-Length: 6'), '{"a":1}'],
    [
      'Content-Length together with chunks',
      400,
      posting('Content-Length: 5', 'Transfer-Encoding: chunked'),
      '0\r\n\r\n',
    ],
    ['a Content-Length that is not a number', 400, posting('Content-Length: many'), '{}'],
    ['a negative Content-Length', 400, posting('Content-Length: -1'), '{}'],
    ['a chunk size that is not a number', 400, posting('Transfer-Encoding: chunked'), 'many\r\n{}\r\n0\r\n\r\n'],
    ['a chunk that is longer than its size', 400, posting('Transfer-Encoding: chunked'), '1\r\n{"a":1}\r\n0\r\n\r\n'],
    [
      'chunk extensions of 20 kB',
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
    ['broken gzip', 400, ...compressed(Buffer.concat([gzipSync('{"data":1}').subarray(0, 12), Buffer.alloc(20, 7)]))],
    ['incomplete gzip', 400, ...compressed(gzipSync(JSON.stringify({ data: 'x'.repeat(500) })).subarray(0, 20))],
    ['100 kB of gzip that expand to 100 MB', 413, ...compressed(gzipSync(Buffer.alloc(100_000_000, 32)))],
  ]
  for (const [input, status, ...bytes] of invalid) {
    it(`returns ${status} as an error document for ${input}`, async () => {
      const [reply, ...furtherReplies] = await sendBytes(client.url, ...bytes)
      expect(reply?.status).to.equal(status)
      expect(reply?.body.errors[0].status).to.equal(String(status))
      expect(reply?.head).to.match(/content-type: application\/vnd\.api\+json\r?$/im)
      expect(furtherReplies).to.deep.equal([])
    })
  }

  it('responds to a valid request that is followed by invalid bytes', async () => {
    const replies = await sendBytes(client.url, `${head('GET', '/albums/1')}GARBAGE\r\n\r\n`)
    expect(replies.map(({ status }) => status)).to.deep.equal([200])
  })

  it('keeps serving when a client disconnects in the middle of headers or a body', async () => {
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

  it('get 408 when their headers exceed HEADERS_TIMEOUT', async () => {
    const [reply] = await sendBytes(app.client.url, 'GET /albums HTTP/1.1\r\nHost: example.com\r\n')
    expect(reply?.status).to.equal(408)
    expect(reply?.body.errors[0].detail).to.equal('The request did not arrive in time.')
  })

  it('get 408 when their body exceeds REQUEST_TIMEOUT', async () => {
    const [reply] = await sendBytes(app.client.url, posting('Content-Length: 50'), '{"da')
    expect(reply?.status).to.equal(408)
  })

  it('are disconnected when they send no request within KEEP_ALIVE_TIMEOUT', async () => {
    const patient = await startApp({ config: { timeouts: { headers: 600_000, request: 600_000, keepAlive: 60 } } })
    // The answer is complete when the server closes the connection, which it does after 75 seconds by default.
    const replies = await sendBytes(patient.client.url, 'GET /genres HTTP/1.1\r\nHost: example.com\r\n\r\n')
    await patient.close()
    expect(replies.map(({ status }) => status)).to.deep.equal([200])
  })
})

describe('Clients that are slow to read', () => {
  const closed = Promise.withResolvers<boolean>()
  let app: TestApp
  before(async () => {
    const long: Plugin = {
      name: 'long',
      middleware: () => async (ctx, next) => {
        if (ctx.path !== '/long') return next()
        ctx.body = 'x'.repeat(20_000_000)
        ctx.res.once('close', () => closed.resolve(ctx.res.writableFinished))
      },
    }
    app = await startApp({
      plugins: [...plugins, long],
      config: { timeouts: { headers: 1_500, request: 1_500, keepAlive: 60 } },
    })
  })
  after(() => app.close())

  it('are disconnected when they read nothing', async () => {
    const socket = open(app.client.url)
    socket.write('GET /long HTTP/1.1\r\nHost: example.com\r\n\r\n')
    socket.once('data', () => socket.pause())
    expect(await closed.promise).to.equal(false)
    socket.destroy()
  })

  it('get the whole response while they read', async () => {
    const response = await fetch(`${app.client.url}/long`)
    const began = performance.now()
    let read = 0
    for await (const piece of response.body ?? []) {
      read += piece.length
      // Faster than the buffers of the connection need to be drained within the limit, slower than the whole limit.
      if (performance.now() - began < 2_000) await setTimeout(4)
    }
    expect(read).to.equal(20_000_000)
  })
})

describe('A client that disconnects', () => {
  it('leaves no open transaction; its write is committed', async () => {
    const saving = Promise.withResolvers<void>()
    const disconnected = Promise.withResolvers<void>()
    const responded = Promise.withResolvers<void>()
    const blocking: Plugin = {
      name: 'blocking',
      plan: addSteps({
        async beforeSave() {
          saving.resolve()
          await disconnected.promise
        },
        respond: () => responded.resolve(),
      }),
    }
    const { client, close } = await startApp({ plugins: [...plugins, blocking] })
    const body = JSON.stringify({ data: { type: 'artists', attributes: { name: 'Disconnected' } } })
    markDirty()
    const socket = open(client.url)
    socket.write(posting(`Content-Length: ${body.length}`) + body)
    await saving.promise
    socket.resetAndDestroy()
    await once(socket, 'close')
    disconnected.resolve()
    await responded.promise
    expect(await openTransactions()).to.equal(0)
    const { body: found } = await client.get('/artists')
    expect(found.data.map(({ attributes }: Named) => attributes.name)).to.include('Disconnected')
    await close()
  })
})

describe('A client that disconnects in the middle of a compressed body', () => {
  it('ends its request, so that middleware can clean up', async () => {
    const entered = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const cleaning: Plugin = {
      name: 'cleaning',
      middleware: () => async (ctx, next) => {
        if (ctx.method !== 'POST') return next()
        entered.resolve()
        try {
          await next()
        } finally {
          ended.resolve()
        }
      },
    }
    const { client, close } = await startApp({ plugins: [...plugins, cleaning] })
    const socket = open(client.url)
    const [head, body] = compressed(gzipSync(JSON.stringify({ data: 'x'.repeat(500) })))
    socket.write(head)
    socket.write(body.subarray(0, 20))
    await entered.promise
    socket.resetAndDestroy()
    await ended.promise
    await close()
  })
})

describe('A client that disconnects before its body is read', () => {
  it('ends its request, so that middleware can clean up', async () => {
    const disconnected = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const cleaning: Plugin = {
      name: 'cleaning',
      middleware: () => (ctx, next) => next().finally(() => ctx.method === 'POST' && ended.resolve()),
      async onRoute({ ctx }) {
        if (ctx.method !== 'POST') return
        ctx.req.once('close', disconnected.resolve)
        socket.resetAndDestroy()
        await disconnected.promise
      },
    }
    const { client, close } = await startApp({ plugins: [...plugins, cleaning] })
    const socket = open(client.url)
    socket.write(`${posting('Content-Length: 50')}{"da`)
    await ended.promise
    await close()
  })
})

interface Named {
  readonly attributes: { readonly name: string }
}

/** The embedded database has one session, which runs this statement after its transaction. */
async function openTransactions(): Promise<number> {
  const [row] = await (await testDatabase()).orm.em.getConnection().execute<{ open: number }[]>(
    `select count(*)::int as open from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'`,
  )
  return row?.open ?? -1
}

function compressed(bytes: Buffer): [string, Buffer] {
  return [posting('Content-Encoding: gzip', `Content-Length: ${bytes.length}`), bytes]
}

function deepList(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}
