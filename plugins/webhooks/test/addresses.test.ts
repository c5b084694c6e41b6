import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createAddressCheck, isNetwork } from '../addresses.ts'
import type { ResolveHost } from '../resolve-host.ts'
import { send } from '../send.ts'

const none = createAddressCheck([])

/** Answers the questions for a host by lists of addresses, one after the other; the last one again and again. */
function createResolver(...answers: readonly (readonly string[])[]): ResolveHost {
  let index = 0
  return async () => answers[Math.min(index++, answers.length - 1)] ?? []
}

const post = (url: string, isAllowed = none, resolve?: ResolveHost) =>
  send(
    { url, secret: 'whsec_AAAA', id: 'msg_1', body: '{}' },
    { isAllowed, resolve, signal: new AbortController().signal },
  ).catch((error: Error) => error.constructor.name)

describe('Addresses of webhooks', () => {
  for (const address of [
    '127.0.0.1',
    '127.255.255.254',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '0.0.0.0',
    '192.0.0.8',
    '168.63.129.16',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'fc00::1',
    'fd00::1',
    'ff02::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:93.184.216.34',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '2002:7f00:1::1',
    '3fff::1',
    '5f00::1',
    '4000::1',
  ]) {
    it(`refuses ${address}, as a literal and as the answer of DNS`, async () => {
      const literal = address.includes(':') ? `[${address}]` : address
      expect(await post(`http://${literal}:1/`)).to.equal('AddressRefused')
      expect(await post('http://receiver.test:1/', none, createResolver([address]))).to.equal('AddressRefused')
      expect(await post('http://receiver.test:1/', none, createResolver(['93.184.216.34', address]))).to.equal(
        'AddressRefused',
      )
    })
  }

  for (const url of [
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://%31%32%37.0.0.1/',
    'http://①②⑦.0.0.1/',
    'http://0/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://user:password@127.0.0.1/',
    'https://169.254.169.254:8443/',
    'http://[fe80::1]:22/',
  ])
    it(`refuses ${url}, a form of a special address`, async () => {
      expect(await post(url)).to.equal('AddressRefused')
    })

  it('accepts public addresses, and networks that are allowed', () => {
    const isAllowed = createAddressCheck(['10.0.0.0/8', '::1'])
    const accepted = ['93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:2800:220:1::1', '2a00::1', '10.1.2.3', '::1']
    expect(accepted.filter((address) => !isAllowed(address))).to.deep.equal([])
    const refused = ['192.168.1.1', '127.0.0.1', '::2', '::ffff:192.168.1.1', 'localhost', '', '10.1.2.3.4']
    expect(refused.filter(isAllowed)).to.deep.equal([])
  })

  it('does not accept IPv4 addresses because an IPv6 network is allowed, in no form', () => {
    const isAllowed = createAddressCheck(['::/0'])
    expect(['127.0.0.1', '10.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1'].filter(isAllowed)).to.deep.equal([])
    expect(['::1', 'fd00::1', '2a00::1', '93.184.216.34'].every(isAllowed)).to.equal(true)
  })

  it('refuses localhost by the resolver of the system', async () => {
    expect(await post('http://localhost:1/')).to.equal('AddressRefused')
  })

  it('fails if the host has no address, or the port is closed', async () => {
    expect(await post('http://receiver.test:1/', none, createResolver([]))).to.equal('AddressRefused')
    expect(await post('http://127.0.0.1:1/', createAddressCheck(['127.0.0.1']))).to.equal('Error')
  })

  it('asks DNS once for a connection, so that a second answer has no effect', async () => {
    let requests = 0
    const server = createServer((_request, response) => {
      requests++
      response.writeHead(204).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    try {
      const loopback = createAddressCheck(['127.0.0.1'])
      const rebinding = createResolver(['127.0.0.1'], ['127.0.0.2'])
      expect(await post(`http://receiver.test:${port}/`, loopback, rebinding)).to.equal(204)
      expect(await post(`http://receiver.test:${port}/`, loopback, rebinding)).to.equal('AddressRefused')
      expect(requests).to.equal(1)
    } finally {
      server.close()
    }
  })

  it('reads networks', () => {
    expect(['10.0.0.0/8', '127.0.0.1', '::1/128'].every(isNetwork)).to.equal(true)
    expect(['', 'localhost', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/x'].some(isNetwork)).to.equal(false)
  })
})
