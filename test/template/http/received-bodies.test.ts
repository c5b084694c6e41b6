import { once } from 'node:events'
import type { Socket } from 'node:net'
import { constants, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { type ActionContext, meta } from '#plugins/actions/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { mediaType } from '#test/support/client.ts'
import { eventually } from '#test/support/eventually.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'
import { startShelves } from '#test/template/support/library/shelves.ts'
import { open } from '#test/template/support/raw-http.ts'

// Clients that send bodies and do not complete them: the memory of all bodies together is limited.

const limit = 1_000_000
const part = 300_000

describe('Request bodies that are being received', () => {
  let app: TestApp
  const sockets: Socket[] = []
  const start = async (receivedLimit: number) => {
    app = await startShelves(
      {
        actions: ({ action }) => [
          action('cover', {
            on: 'collection',
            input: 'raw',
            accepts: ['text/plain'],
            maxBytes: 2 * limit,
            answers: 'meta',
            handle: ({ input }: ActionContext<null, { bytes: Buffer }>) => meta({ size: input.bytes.length }),
          }),
        ],
      },
      { config: { receivedLimit } },
    )
  }
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await app.close()
    await emptyLibrary()
  })

  const post = (path: string, type: string, ...headers: readonly string[]) =>
    [`POST ${path} HTTP/1.1`, 'Host: example.com', `Content-Type: ${type}`, ...headers, '', ''].join('\r\n')
  /** The end of each body is missing. */
  const unfinished: Readonly<Record<string, readonly [head: string, body: Buffer]>> = {
    'compressed documents': [
      post('/shelves', mediaType, 'Content-Encoding: gzip', 'Transfer-Encoding: chunked'),
      chunk(gzipSync(`{"data":"${'x'.repeat(part)}`, { finishFlush: constants.Z_SYNC_FLUSH })),
    ],
    documents: [post('/shelves', mediaType, `Content-Length: ${part + 1}`), Buffer.alloc(part, ' ')],
    'documents in chunks of ten bytes': [
      post('/shelves', mediaType, 'Transfer-Encoding: chunked'),
      Buffer.from(`a\r\n${' '.repeat(10)}\r\n`.repeat(part / 10)),
    ],
    'raw input of actions': [
      post('/shelves/-actions/cover', 'text/plain', `Content-Length: ${part + 1}`),
      Buffer.alloc(part),
    ],
  }
  /** Sends the part of a body. Returns the response, or an empty text when the application has received the whole part. */
  const send = async ([head, body]: readonly [string, Buffer]): Promise<{ socket: Socket; text: string }> => {
    const socket = open(app.client.url)
    sockets.push(socket)
    let text = ''
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        text += bytes
      })
    const before = app.app.bodies.held
    socket.write(head)
    socket.write(body)
    await eventually(() => text.includes('\r\n\r\n') || app.app.bodies.held >= before + part)
    return { socket, text }
  }

  for (const [kind, bytes] of Object.entries(unfinished)) {
    it(`get 503 with Retry-After when ${kind} exceed MAX_RECEIVED_BYTES together`, async () => {
      await start(limit)
      const texts: string[] = []
      for (let client = 0; client < 8; client++) {
        texts.push((await send(bytes)).text)
        expect(app.app.bodies.held).to.be.at.most(limit)
      }
      const refusals = texts.filter((text) => text !== '')
      expect(refusals.length).to.be.within(5, 7)
      for (const text of refusals) expect(text).to.match(/^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/s)
    })
  }

  it('are released when a client disconnects', async () => {
    await start(limit)
    for (const bytes of Object.values(unfinished)) {
      const { socket } = await send(bytes)
      socket.resetAndDestroy()
      await eventually(() => app.app.bodies.held === 0)
    }
  })

  it('are released when the response is written', async () => {
    await start(limit)
    const body = { data: { type: 'shelves', attributes: { name: 'Prose' } } }
    expect((await app.client.post('/shelves', body)).status).to.equal(201)
    expect((await app.client.post('/shelves', '{')).status).to.equal(400)
    expect(app.app.bodies.held).to.equal(0)
  })

  for (const [kind, rest] of [
    ['documents', ' '],
    ['compressed documents', `186a0\r\n${' '.repeat(100_000)}\r\n0\r\n\r\n`],
  ] as const) {
    it(`leave the connection open after a 503: the rest of ${kind} is discarded`, async () => {
      await start(limit)
      const bytes = unfinished[kind] as readonly [string, Buffer]
      for (let client = 0; client < 3; client++) await send(bytes)
      const { socket, text } = await send(bytes)
      expect(text).to.match(/^HTTP\/1\.1 503 /)
      socket.write(`${rest}GET /shelves HTTP/1.1\r\nHost: example.com\r\n\r\n`)
      const [reply] = await once(socket, 'data')
      expect(String(reply)).to.match(/^HTTP\/1\.1 200 /)
    })
  }

  it('accept a single body that is larger than MAX_RECEIVED_BYTES', async () => {
    await start(100)
    const headers = { 'content-type': 'text/plain' }
    const { status, body } = await app.client.post('/shelves/-actions/cover', 'x'.repeat(5_000), headers)
    expect([status, body.meta]).to.deep.equal([200, { size: 5_000 }])
  })

  it('are not limited when MAX_RECEIVED_BYTES is 0', async () => {
    await start(0)
    for (let client = 0; client < 8; client++) {
      expect((await send(unfinished.documents as readonly [string, Buffer])).text).to.equal('')
    }
  })
})

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}
