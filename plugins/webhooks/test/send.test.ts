import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { createAddressCheck } from '../addresses.ts'
import { send } from '../send.ts'

describe('The response to a webhook', () => {
  let server: Server
  let reply: string | null
  const sockets = new Set<Socket>()
  before(async () => {
    server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
      socket.once('data', () => (reply === null ? socket.end() : socket.write(reply)))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  const post = (received: string | null, timeout = 10_000, signal = new AbortController().signal) => {
    reply = received
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    return send(
      { url, secret: 'whsec_AAAA', id: 'msg_1', body: '{}' },
      { isAllowed: createAddressCheck(['127.0.0.1']), signal, timeout },
    ).catch(({ message }: Error) => message)
  }

  it('is its status, whatever its body is, which is not read', async () => {
    expect(await post('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n')).to.equal(200)
    expect(await post('HTTP/1.1 503 Service Unavailable\r\n\r\n')).to.equal(503)
    expect(await post('HTTP/1.1 999 X\r\n\r\n')).to.equal(999)
  })

  it('is 101 if the receiver changes the protocol', async () => {
    expect(await post('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')).to.equal(101)
  })

  it('fails if the receiver closes the connection, sends no HTTP, or too long headers', async () => {
    expect(await post(null)).to.equal('socket hang up')
    expect(await post('nonsense\r\n\r\n')).to.match(/^Parse Error/)
    expect(await post(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`)).to.match(/^Parse Error/)
  })

  it('fails if the receiver sends none in time, or only interim responses', async () => {
    const late = 'The receiver did not respond within 0.05 seconds.'
    for (const interim of [
      '',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\n\r\n',
      'HTTP/1.1 200 OK\r\n',
    ])
      expect(await post(interim, 50)).to.equal(late)
  })

  it('fails if the service stops before it', async () => {
    const stopping = new AbortController()
    const response = post('', 10_000, stopping.signal)
    stopping.abort()
    expect(await response).to.equal('The operation was aborted')
  })
})
