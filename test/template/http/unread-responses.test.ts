import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { type ManualClock, manualClock } from '#test/support/clock.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { open } from '#test/template/support/raw-http.ts'

// Clients that request large responses and do not read them: their memory is limited, and other clients are served.

/** Larger than the buffers of the operating system, so that the process holds the response. */
const size = 16_000_000

describe('Responses that clients have not read', () => {
  let app: TestApp
  let clock: ManualClock
  const sockets: Socket[] = []

  const large: Plugin = {
    name: 'large',
    middleware: () => async (ctx, next) => {
      if (ctx.path !== '/large') return next()
      ctx.body = Buffer.alloc(size)
    },
  }
  const start = async (unreadLimit: number) => {
    clock = manualClock()
    const timeouts = { headers: 30_000, request: 30_000, keepAlive: 60_000 }
    app = await startLibrary({ plugins: [...plugins, large], config: { unreadLimit, timeouts }, clock })
  }
  /** Requests a large response, reads its first bytes, and lets the application notice it. */
  const openReader = async (): Promise<Socket> => {
    const socket = open(app.client.url)
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write('GET /large HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n')
    await once(socket, 'data')
    socket.pause()
    clock.advance(100)
    return socket
  }
  /** Reads the rest. Returns the number of bytes before the end or the loss of the connection. */
  const readRest = async (socket: Socket): Promise<number> => {
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    socket.resume()
    await once(socket, 'close')
    return bytes
  }

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await app.close()
    await emptyLibrary()
  })

  it('close the connection that has waited longest when they exceed MAX_UNREAD_BYTES', async () => {
    await start(2.5 * size)
    const slowest = await openReader()
    const second = await openReader()
    const third = await openReader()
    expect(await readRest(slowest)).to.be.below(size - 100_000)
    clock.advance(100)
    expect((await app.client.get('/shelves')).status).to.equal(200)
    const rest = await Promise.all([second, third].map(readRest))
    for (const bytes of rest) expect(bytes).to.be.above(size - 1_000_000)
  })

  it('keep all connections within the limit', async () => {
    await start(3.5 * size)
    const readers = [await openReader(), await openReader(), await openReader()]
    clock.advance(100)
    const rest = await Promise.all(readers.map(readRest))
    for (const bytes of rest) expect(bytes).to.be.above(size - 1_000_000)
  })

  // 16 MB may be read within twice the time of a request, and 800 more at 20 kB per second.
  for (const [outcome, minutes, isComplete] of [
    ['close the connection of a client that reads a few bytes a minute, at the end of its time', 15, false],
    ['keep the connection of a client that reads a few bytes a minute, and the rest in time', 14, true],
  ] as const) {
    it(outcome, async () => {
      await start(0)
      const reader = await openReader()
      for (let minute = 0; minute < minutes; minute++) {
        reader.resume()
        await once(reader, 'data')
        reader.pause()
        clock.advance(60_000)
      }
      expect((await readRest(reader)) > size - 3_000_000).to.equal(isComplete)
    })
  }

  it('are never closed when MAX_UNREAD_BYTES is 0', async () => {
    await start(0)
    const reader = await openReader()
    clock.advance(100)
    expect(await readRest(reader)).to.be.above(size - 1_000_000)
  })
})
