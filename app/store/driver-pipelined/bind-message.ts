import pg from 'pg'

/** How values are sent; it stands beside the types of `pg`. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Sent } }).utils

type Sent = string | Buffer | null

/** Execute and Sync: all rows of the unnamed portal, and that is all. */
const tail = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])
/** The bytes of Bind that are always there: its code and length, two ends of names, three counts, one format. */
const frame = 15

/**
 * Bind, Execute and Sync in one piece, for a statement that the server knows by name; values are sent as text, bytes as
 * they are. https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function executionOf(name: string, values: readonly unknown[]): Buffer {
  const sent: Sent[] = []
  let size = frame + name.length + 6 * values.length
  for (const value of values) {
    const one = toWire(value)
    sent.push(one)
    if (one !== null) size += Buffer.byteLength(one)
  }
  const message = Buffer.allocUnsafe(size + tail.length)
  message[0] = 0x42
  message.writeInt32BE(size - 1, 1)
  message[5] = 0
  let at = 6 + message.write(name, 6, 'latin1')
  message[at++] = 0
  at = message.writeUInt16BE(sent.length, at)
  for (const one of sent) at = message.writeUInt16BE(one instanceof Buffer ? 1 : 0, at)
  at = message.writeUInt16BE(sent.length, at)
  for (const one of sent) at = writeValue(message, one, at)
  at = message.writeUInt32BE(0x00010000, at) // one format for all columns: text
  message.set(tail, at)
  return message
}

function writeValue(message: Buffer, value: Sent, at: number): number {
  if (value === null) return message.writeInt32BE(-1, at)
  const length = typeof value === 'string' ? message.write(value, at + 4) : value.copy(message, at + 4)
  return message.writeInt32BE(length, at) + length
}

/** As `pg` writes them; lists of numbers need no quotes. By one argument only: the second of `pg`'s is no index. */
export function toWire(value: unknown): Sent {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every(isNumber) ? `{${value.join()}}` : prepareValue(value)
}

function isNumber(item: unknown): boolean {
  return typeof item === 'number'
}
