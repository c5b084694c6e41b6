import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { mediaType } from '#test/support/client.ts'
import { startService } from '#test/template/support/catalogue-service.ts'
import { createLoadClient, type LoadResult, percentile } from '#test/template/support/load-client.ts'
import { openPersistentDatabase, type PersistentDatabase } from '#test/template/support/persistent-database.ts'
import { open } from '#test/template/support/raw-http.ts'
import type { Service } from '#test/template/support/service.ts'

const clients = 500

describe(`${clients} slow clients`, () => {
  let database: PersistentDatabase
  let service: Service
  before(async () => {
    database = await openPersistentDatabase()
    service = await startService(database.env)
  })
  after(async () => {
    await service.kill('SIGTERM')
    await database.close()
  })

  const host = 'Host: example.com\r\n'
  const behaviours: Readonly<Record<string, string>> = {
    'send their headers slowly': `GET /albums HTTP/1.1\r\n${host}X-Slow: `,
    'send their body slowly': `POST /artists HTTP/1.1\r\n${host}Content-Type: ${mediaType}\r\nContent-Length: 900\r\n\r\n{"data":`,
    'do not read their responses': `GET /docs.json HTTP/1.1\r\n${host}\r\n`.repeat(20),
  }
  for (const [behaviour, bytes] of Object.entries(behaviours)) {
    it(`serves other clients when slow clients ${behaviour}`, async () => {
      const sockets = await Promise.all(Array.from({ length: clients }, () => openSlowly(service.client.url, bytes)))
      const { send, close } = createLoadClient(service.client.url, 4)
      const results: LoadResult[] = []
      for (let time = 0; time < 100; time++) results.push(await send('/albums'))
      expect(new Set(results.map(({ status }) => status))).to.deep.equal(new Set([200]))
      expect(percentile(results, 95)).to.be.below(1_000)
      close()
      for (const socket of sockets) socket.destroy()
    })
  }
})

/** Sends these bytes, and neither sends nor reads more. */
async function openSlowly(url: string, bytes: string): Promise<Socket> {
  const socket = open(url)
  socket.on('error', () => {}) // the server may close it
  await once(socket, 'connect')
  socket.pause()
  socket.write(bytes)
  return socket
}
