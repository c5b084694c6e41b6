import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { open } from '#test/template/support/raw-http.ts'

// Several requests that a client sends on one connection without waiting for the responses.

/** Larger than the buffers of the operating system, so that the process holds the response. */
const size = 16_000_000

describe('Pipelined requests', () => {
  let app: TestApp
  let served: string[]
  let unread: () => number
  const sockets: Socket[] = []

  before(async () => {
    const responses = new Set<{ readonly writableLength: number }>()
    const large: Plugin = {
      name: 'large',
      middleware: () => async (ctx, next) => {
        if (ctx.path !== '/large' && ctx.path !== '/small') return next()
        served.push(ctx.querystring)
        responses.add(ctx.res)
        ctx.res.once('close', () => responses.delete(ctx.res))
        ctx.body = Buffer.alloc(ctx.path === '/large' ? size : 10, ctx.querystring)
      },
    }
    unread = () => [...responses].reduce((sum, { writableLength }) => sum + writableLength, 0)
    app = await startLibrary({ plugins: [...plugins, large] })
  })
  beforeEach(() => {
    served = []
  })
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  after(async () => {
    await app.close()
    await emptyLibrary()
  })

  const get = (path: string, ...headers: readonly string[]) =>
    [`GET ${path} HTTP/1.1`, 'Host: example.com', ...headers, '', ''].join('\r\n')
  const connect = (...requests: readonly string[]): Socket => {
    const socket = open(app.client.url)
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(requests.join(''))
    return socket
  }
  const readAll = async (socket: Socket): Promise<Buffer> => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.resume()
    await once(socket, 'close')
    return Buffer.concat(chunks)
  }
  const bodies = (bytes: Buffer) => [...bytes.toString('latin1').matchAll(/\r\n\r\n(\w)/g)].map(([, first]) => first)

  it('are served one after the other: a client that does not read holds one response', async () => {
    const names = [...'abcdefghijkl']
    const requests = names.map((name) => get(`/large?${name}`))
    const socket = connect(...requests, get('/small?z', 'Connection: close'))
    await once(socket, 'data')
    socket.pause()
    expect((await app.client.get('/shelves')).status).to.equal(200)
    expect(served).to.deep.equal(['a'])
    expect(unread()).to.be.within(1, size + 10_000)
    expect(bodies(await readAll(socket))).to.deep.equal([...names.slice(1), 'z'])
    expect(served).to.deep.equal([...names, 'z'])
  })

  it('are served in order on a connection that stays open', async () => {
    const socket = connect(get('/small?a'), get('/small?b'), get('/small?c'))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    await eventually(() => text.includes('cccccccccc'))
    socket.write(get('/small?d', 'Connection: close'))
    await once(socket, 'close')
    expect(bodies(Buffer.from(text))).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('are not served after the connection is closed', async () => {
    const socket = connect(get('/large?a'), get('/small?b'))
    await once(socket, 'data')
    socket.resetAndDestroy()
    await eventually(() => unread() === 0)
    await setImmediate()
    expect(served).to.deep.equal(['a'])
  })

  it('may have a body', async () => {
    const post = 'POST /small?b HTTP/1.1\r\nHost: example.com\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody'
    expect(bodies(await readAll(connect(get('/large?a'), post)))).to.deep.equal(['a', 'b'])
  })

  it('close the connection when more than 100 of them wait for a response', async () => {
    expect((await readAll(connect(get('/large?a'), get('/small?b').repeat(101)))).length).to.be.below(size)
    expect(served).to.deep.equal(['a'])
  })

  it('close the connection when one that waits has a chunked body', async () => {
    const chunks = 'POST /small?b HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'
    expect((await readAll(connect(get('/large?a'), chunks))).length).to.be.below(size)
    expect(served).to.deep.equal(['a'])
  })

  it('that wait do not get the error of invalid bytes behind them', async () => {
    const invalid = 'POST /small?b HTTP/1.1\r\nHost: example.com\r\nContent-Length: many\r\n\r\n'
    const text = (await readAll(connect(get('/large?a'), invalid))).toString('latin1')
    expect(text).to.match(/^HTTP\/1\.1 200 /)
    expect(text.length).to.be.above(size)
    expect(text).not.to.match(/HTTP\/1\.1 400 /)
  })
})
