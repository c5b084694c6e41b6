import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import { constants, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { type Client, createClient, mediaType } from '#test/support/client.ts'
import { eventually } from '#test/support/eventually.ts'
import { type ListService, startListService } from '#test/template/proofs/list-service/start-service.ts'
import { open } from '#test/template/support/raw-http.ts'

// Anonymous clients that try to exhaust the memory of a process, which has a heap of 256 MB.

const mebibyte = 2 ** 20
const budget = 32 * mebibyte

describe('A process with --max-old-space-size=256', () => {
  let service: ListService
  let client: Client
  let sockets: Socket[]
  before(async () => {
    service = await startListService({
      CREATE_SCHEMA: 'true',
      NODE_OPTIONS: '--max-old-space-size=256',
      MAX_UNREAD_BYTES: String(budget),
      MAX_RECEIVED_BYTES: String(budget),
    })
    client = createClient(service.url, () => {})
    await client.post('/groups', { data: { type: 'groups', id: '1' } })
    for (let id = 1; id <= 10; id++) {
      const items = Array.from({ length: 90_000 }, () => randomInt(10 ** 8, 10 ** 9)) // 900 kB
      const relationships = { group: { data: { type: 'groups', id: '1' } } }
      const data = { type: 'lists', id: String(id), attributes: { items }, relationships }
      expect((await client.post('/lists', { data })).status).to.equal(201)
    }
    expect((await client.get('/lists')).status).to.equal(200) // the embedded database keeps its memory
  })
  after(() => service.stop())
  beforeEach(() => {
    sockets = []
  })
  afterEach(() => {
    for (const socket of sockets) socket.destroy()
  })

  /** Opens connections that send these bytes and do not read, one after the other: documents are not built in parallel. */
  const attack = async (connections: number, bytes: Buffer | string, hasResponse: boolean) => {
    for (let count = 0; count < connections; count++) {
      const socket = open(service.url)
      sockets.push(socket)
      socket.on('error', () => {})
      socket.write(bytes)
      if (hasResponse) await new Promise((resolve) => socket.once('readable', resolve).once('close', resolve))
      else socket.pause()
    }
  }
  const held = async () => {
    const { heap, external } = await service.measure()
    return heap + external
  }
  /** Returns the largest growth while another client is served, until it does not increase any more. */
  const largestGrowth = async (before: number): Promise<number> => {
    let largest = 0
    for (let unchanged = 0; unchanged < 10; unchanged++) {
      expect((await client.get('/lists?filter[id]=0')).status).to.equal(200)
      const growth = (await held()) - before
      if (growth > largest + mebibyte) unchanged = 0
      largest = Math.max(largest, growth)
    }
    return largest
  }

  const host = 'Host: example.com\r\n'
  const page = `GET /lists HTTP/1.1\r\n${host}`
  const chunked = `Content-Type: ${mediaType}\r\nTransfer-Encoding: chunked\r\n\r\n`
  const part = gzipSync(' '.repeat(mebibyte - 1), { finishFlush: constants.Z_SYNC_FLUSH })
  const upload = `POST /lists HTTP/1.1\r\n${host}Content-Type: ${mediaType}\r\nContent-Encoding: gzip\r\n`
  const attacks: Readonly<Record<string, readonly [connections: number, bytes: Buffer | string]>> = {
    'pipeline requests for 9 MB and do not read': [6, `${page}\r\n`.repeat(12)],
    'pipeline requests for compressed pages and do not read': [6, `${page}Accept-Encoding: gzip\r\n\r\n`.repeat(12)],
    'send bodies of one-byte chunks with requests for 9 MB': [7, `${page}${chunked}${'1\r\nx\r\n'.repeat(70_000)}`],
    'pipeline thousands of short requests': [6, `${page}\r\n${`GET / HTTP/1.1\r\n${host}\r\n`.repeat(3_000)}`],
    'do not complete small compressed bodies of 1 MB': [
      200,
      Buffer.concat([Buffer.from(`${upload}Content-Length: ${part.length + 1}\r\n\r\n`), part]),
    ],
  }
  for (const [behaviour, [connections, bytes]] of Object.entries(attacks)) {
    it(`stays within its limits when clients ${behaviour}`, async () => {
      const before = await held()
      await attack(connections, bytes, typeof bytes === 'string')
      const growth = await largestGrowth(before)
      // documents that are being built, and what Node holds for each connection
      expect(growth).to.be.below(budget + 96 * mebibyte)
      for (const socket of sockets) socket.destroy()
      await eventually(async () => (await held()) < before + 10 * mebibyte)
    })
  }
})
