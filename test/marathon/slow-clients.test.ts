import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { startService } from '#test/support/catalogue.ts'
import { mediaType } from '#test/support/client.ts'
import { createLoadClient, type LoadResult, percentile } from '#test/support/load-client.ts'
import { openPersistentDatabase, type PersistentDatabase } from '#test/support/persistent-database.ts'
import { open } from '#test/support/raw-http.ts'
import type { Service } from '#test/support/service.ts'

const slow = 500

describe(`${slow} slow clients`, () => {
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
  const ways: Readonly<Record<string, string>> = {
    'send their headers slowly': `GET /albums HTTP/1.1\r\n${host}X-Slow: `,
    'send their body slowly': `POST /artists HTTP/1.1\r\n${host}Content-Type: ${mediaType}\r\nContent-Length: 900\r\n\r\n{"data":`,
    'do not read their answers': `GET /docs.json HTTP/1.1\r\n${host}\r\n`.repeat(20),
  }
  for (const [what, bytes] of Object.entries(ways)) {
    it(`that ${what} do not keep others from being served`, async () => {
      const sockets = await Promise.all(Array.from({ length: slow }, () => dawdle(service.client.url, bytes)))
      const { send: shoot, close } = createLoadClient(service.client.url, 4)
      const shots: LoadResult[] = []
      for (let time = 0; time < 100; time++) shots.push(await shoot('/albums'))
      expect(new Set(shots.map(({ status }) => status))).to.deep.equal(new Set([200]))
      expect(percentile(shots, 95)).to.be.below(1_000)
      close()
      for (const socket of sockets) socket.destroy()
    })
  }
})

/** Says so much, and neither says nor reads more. */
async function dawdle(url: string, bytes: string): Promise<Socket> {
  const socket = open(url)
  socket.on('error', () => {}) // it may be cut
  await once(socket, 'connect')
  socket.pause()
  socket.write(bytes)
  return socket
}
