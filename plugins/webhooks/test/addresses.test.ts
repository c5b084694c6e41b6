import type { LookupAddress, lookup } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createAddressCheck, isNetwork } from '../addresses.ts'
import { send } from '../send.ts'

const none = createAddressCheck([])

/** Answers the questions for a host by lists of addresses, one after the other; the last one again and again. */
function resolverOf(...answers: readonly (readonly string[])[]): typeof lookup {
  let index = 0
  const resolve = (_host: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) => {
    const answer = answers[Math.min(index++, answers.length - 1)] ?? []
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return resolve as never
}

const post = (url: string, isAllowed = none, resolver?: typeof lookup) =>
  send({ url, secret: 'whsec_AAAA', id: 'msg_1', body: '{}' }, isAllowed, new AbortController().signal, resolver).catch(
    (error: Error) => error.constructor.name,
  )

describe('Addresses of webhooks', () => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
  ]) {
    it(`refuses ${address}, as a literal and as the answer of DNS`, async () => {
      const literal = address.includes(':') ? `[${address}]` : address
      expect(await post(`http://${literal}:1/`)).to.equal('AddressRefused')
      expect(await post('http://receiver.test:1/', none, resolverOf([address]))).to.equal('AddressRefused')
      expect(await post('http://receiver.test:1/', none, resolverOf(['93.184.216.34', address]))).to.equal(
        'AddressRefused',
      )
    })
  }

  for (const url of ['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/'])
    it(`refuses ${url}, another form of a loopback address`, async () => {
      expect(await post(url)).to.equal('AddressRefused')
    })

  it('accepts public addresses, and networks that are allowed', () => {
    const isAllowed = createAddressCheck(['10.0.0.0/8', '::1'])
    expect(
      ['93.184.216.34', '2606:2800:220:1::1', '10.1.2.3', '::1'].filter((address) => !isAllowed(address)),
    ).to.deep.equal([])
    expect(isAllowed('192.168.1.1')).to.equal(false)
    expect(isAllowed('localhost')).to.equal(false)
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
      const rebinding = resolverOf(['127.0.0.1'], ['127.0.0.2'])
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
