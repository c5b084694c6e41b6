import { serialize } from 'pg-protocol'

/** Reads messages of the protocol of PostgreSQL. The first message of a client, `start`, has no kind. */
export function createMessageReader(
  side: 'client' | 'server',
  onMessage: (message: Buffer, kind: string) => void,
): (chunk: Buffer) => void {
  let isStart = side === 'client'
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const header = isStart ? 0 : 1
      if (rest.length < header + 4) return
      const length = header + rest.readInt32BE(header)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      const kind = isStart ? 'start' : String.fromCharCode(message[0] as number)
      isStart = false
      onMessage(message, kind)
    }
  }
}

export function queryMessage(text: string): Buffer {
  return serialize.query(text)
}

/** The statement of a Query or Parse message. Empty for other messages. */
export function readStatement(message: Buffer): string {
  const kind = String.fromCharCode(message[0] as number)
  if (kind !== 'Q' && kind !== 'P') return ''
  const start = kind === 'Q' ? 5 : message.indexOf(0, 5) + 1
  return message.toString('utf8', start, message.indexOf(0, start))
}

/** An ErrorResponse with severity FATAL. */
export function errorMessage(state: string, text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0M${text}\0\0`)
  const header = Buffer.alloc(5)
  header.write('E')
  header.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([header, fields])
}
