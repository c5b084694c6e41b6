import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type ExampleServer, startExample } from '../../../examples/browser/server.ts'

describe('The server of the example front end', () => {
  let service: Server
  let example: ExampleServer
  before(async () => {
    service = createServer((_, response) => void response.writeHead(200).write('begin'))
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    example = await startExample(`http://127.0.0.1:${(service.address() as AddressInfo).port}`)
  })
  after(() => {
    for (const { server } of [{ server: service }, example]) {
      server.closeAllConnections()
      server.close()
    }
  })

  it('closes the connection of the page when the service closes that of a stream, so that the page connects again', async () => {
    const { body } = await fetch(`${example.url}/api/albums`)
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).to.equal('begin')
    service.closeAllConnections()
    const ended = await reader.read().catch((error: unknown) => error)
    expect(ended).to.be.instanceOf(TypeError)
  })
})
