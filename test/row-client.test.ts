import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { type Answer, NamedStatement } from '#store/driver-pipelined/prepared-query.ts'
import { RowClient } from '#store/driver-pipelined/row-client.ts'

type Value = string | null

const rows: readonly (readonly [id: number, text: Value, list: Value, items: unknown])[] = [
  [1, 'plain', '{}', []],
  [2, '', '{rock,jazz}', ['rock', 'jazz']],
  [3, null, null, null],
  [4, 'Zoë, 東京, 🎷', '{blues,"rhythm, and \\"soul\\""}', ['blues', 'rhythm, and "soul"']],
  [-5, 'long '.repeat(40), '{folk,NULL,"NULL"}', ['folk', null, 'NULL']],
  [
    6,
    'é'.repeat(3000),
    '{{a,b},{c,d}}',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [7, 'x'.repeat(255), '{""}', ['']],
]
const expected = rows.map(([id, text, , list]) => ({ id, text, list }))

describe('Rows of a named statement', () => {
  let server: Server
  let client: RowClient
  let piece: number
  let asked: string[]

  beforeEach(async () => {
    piece = 100_000
    asked = []
    server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    client = new RowClient({ host: '127.0.0.1', port, user: 'any', password: 'any', database: 'any' })
    Object.assign(client, { pipeline: true })
    await client.connect()
  })

  afterEach(async () => {
    await client.end()
    server.close()
  })

  for (const size of [1, 3, 7, 64, 1000, 100_000]) {
    it(`are the same when they arrive in pieces of ${size} bytes`, async () => {
      piece = size
      expect((await ask()).rows).to.deep.equal(expected) // described
      expect((await ask()).rows).to.deep.equal(expected)
      const answers = await Promise.all([ask(), ask(), ask()])
      for (const one of answers) expect(one.rows).to.deep.equal(expected)
      expect(answers[0]).to.include({ command: 'SELECT', rowCount: rows.length })
    })
  }

  it('are described once, and asked for with one message afterwards', async () => {
    await ask()
    await ask()
    expect(asked).to.deep.equal(['PBDES', 'BES'])
  })

  it('are those of the driver when a statement has no name', async () => {
    piece = 5
    await ask()
    const { rows: found } = await client.query('select')
    expect(found).to.deep.equal(expected)
  })

  it('are not asked for with a value that cannot be sent, and others are', async () => {
    await ask()
    const circular: { self?: unknown } = {}
    circular.self = circular
    const failure = await ask([circular]).catch((error: Error) => error.message)
    expect(failure).to.match(/circular/)
    expect((await ask()).rows).to.have.length(rows.length)
  })

  function ask(values: readonly unknown[] = [1, 'two', null, Buffer.from('three')]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const parserOf = (type: number) => client.getTypeParser(type, 'text')
      const settle = (error: unknown, found?: Answer) => (error ? reject(error) : resolve(found as Answer))
      client.query(new NamedStatement('statement', 'select', values, parserOf, settle) as never)
    })
  }

  /** A server that knows one answer. */
  function answer(socket: Socket): void {
    let isStarted = false
    let waiting = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      if (!isStarted) {
        isStarted = true
        socket.write(Buffer.concat([message('R', int32(0)), ready]))
        return
      }
      waiting = Buffer.concat([waiting, bytes])
      let codes = ''
      let at = 0
      while (at < waiting.length) {
        codes += String.fromCharCode(waiting[at] as number)
        at += 1 + waiting.readInt32BE(at + 1)
        if (codes.endsWith('S') || codes.endsWith('Q')) {
          asked.push(codes)
          send(socket, answerTo(codes))
          waiting = waiting.subarray(at)
          codes = ''
          at = 0
        }
      }
    })
  }

  function send(socket: Socket, bytes: Buffer): void {
    socket.setNoDelay(true)
    for (let at = 0; at < bytes.length; at += piece) socket.write(bytes.subarray(at, at + piece))
  }
})

const ready = message('Z', Buffer.from('I'))

/** To the codes of the messages up to a Sync. */
function answerTo(codes: string): Buffer {
  if (codes === 'S') return ready
  const described = codes.includes('D') || codes === 'Q'
  return Buffer.concat([
    ...(codes.includes('P') ? [message('1')] : []),
    ...(codes.includes('B') ? [message('2')] : []),
    ...(described ? [message('T', int16(3), column('id', 23), column('text', 25), column('list', 1009))] : []),
    ...rows.map(([id, text, list]) => message('D', int16(3), value(String(id)), value(text), value(list))),
    message('C', Buffer.from(`SELECT ${rows.length}\0`)),
    ready,
  ])
}

function message(code: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(code), int32(body.length + 4), body])
}

function column(name: string, type: number): Buffer {
  return Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)])
}

function value(text: Value): Buffer {
  return text === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)])
}

function int16(number: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(number)
  return bytes
}

function int32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(number)
  return bytes
}
