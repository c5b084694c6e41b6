import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { resolveHost } from '../resolve-host.ts'

const ipv4 = 1
const ipv6 = 28

describe('The addresses of a host', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hosts-'))
  const hostsFile = join(directory, 'hosts')
  let server: Socket
  let servers: readonly string[]
  /** The data of the answers by type. Null: the server does not respond. */
  let answers: Readonly<Record<number, readonly number[]>> | null
  before(async () => {
    writeFileSync(hostsFile, '# comment\n10.0.0.1 first Second.Test # 10.0.0.9 third\nfd00::1\tfirst\n')
    server = createSocket('udp4')
    server.on('message', (message, { port, address }) => {
      if (answers) server.send(reply(message, answers), port, address)
    })
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    servers = [`127.0.0.1:${(server.address() as AddressInfo).port}`]
  })
  after(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })

  const running = new AbortController().signal
  const resolve = (host: string, signal = running) => resolveHost(host, signal, { hostsFile, servers })

  it('are those of the hosts file', async () => {
    expect(await resolve('first')).to.deep.equal(['10.0.0.1', 'fd00::1'])
    expect(await resolve('SECOND.test.')).to.deep.equal(['10.0.0.1'])
  })

  it('are those of both families by DNS', async () => {
    answers = { [ipv4]: [192, 0, 2, 7], [ipv6]: [0x20, 1, 0x0d, 0xb8, ...Array(11).fill(0), 7] }
    expect(await resolve('receiver.test')).to.deep.equal(['192.0.2.7', '2001:db8::7'])
    answers = { [ipv6]: [0x20, 1, 0x0d, 0xb8, ...Array(11).fill(0), 7] }
    expect(await resolve('third')).to.deep.equal(['2001:db8::7'])
  })

  it('are the loopback addresses for localhost, which is not resolved by DNS', async () => {
    answers = { [ipv4]: [192, 0, 2, 7] }
    for (const host of ['localhost', 'api.localhost.']) expect(await resolve(host)).to.deep.equal(['127.0.0.1', '::1'])
  })

  it('are an error if the host has none', async () => {
    answers = {}
    expect(await resolve('receiver.test').catch(({ code }) => code)).to.equal('ENODATA')
  })

  it('are not awaited after the request has ended if the DNS server does not respond', async () => {
    answers = null
    const ending = new AbortController()
    const queried = once(server, 'message')
    const resolving = resolve('receiver.test', ending.signal).catch(({ code }) => code)
    await queried
    ending.abort()
    expect(await resolving).to.equal('ECANCELLED')
  })
})

/** The response to a query with one question, https://www.rfc-editor.org/rfc/rfc1035#section-4. */
function reply(query: Buffer, answers: Readonly<Record<number, readonly number[]>>): Buffer {
  const endOfName = query.indexOf(0, 12) + 1
  const type = query.readUInt16BE(endOfName)
  const data = answers[type]
  const header = [...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, data ? 1 : 0, 0, 0, 0, 0]
  const record = data ? [0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 1, 0, data.length, ...data] : []
  return Buffer.from([...header, ...query.subarray(12, endOfName + 4), ...record])
}
