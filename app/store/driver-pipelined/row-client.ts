import { Client, type ClientConfig } from 'pg'
import { NamedStatement } from './prepared-query.ts'

/** A stream as the driver listens to it. */
interface Source {
  on(event: string, listener: (bytes: Buffer) => void): void
}

/** What of the driver is not in its types. */
interface Inside {
  readonly connection: { attachListeners(source: Source): void }
  _getActiveQuery(): unknown
}

const bindComplete = 0x32
const dataRow = 0x44
/** Every message begins with its code and the length of the rest. */
const header = 5

/**
 * A connection on which named statements read their rows where they arrive. The driver would read every value, then
 * every row, and tell each of them to everybody who might listen; it gets all other messages.
 */
export class RowClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    const { connection } = this as unknown as Inside
    const attach = connection.attachListeners.bind(connection)
    connection.attachListeners = (source) =>
      attach({ on: (event, listener) => source.on(event, event === 'data' ? this.#inFrontOf(listener) : listener) })
  }

  #inFrontOf(driver: (bytes: Buffer) => void): (bytes: Buffer) => void {
    let parts: Buffer[] = []
    let known = 0
    let needed = 0
    return (arrived) => {
      let bytes = arrived
      if (parts.length > 0) {
        parts.push(arrived)
        known += arrived.length
        if (known < needed) return
        bytes = Buffer.concat(parts)
      }
      const end = this.#take(bytes, driver)
      parts = end < bytes.length ? [bytes.subarray(end)] : none
      known = bytes.length - end
      needed = known < header ? header : endOf(bytes, end) - end
    }
  }

  /** Takes all messages that are whole, and tells where they end. */
  #take(bytes: Buffer, driver: (bytes: Buffer) => void): number {
    let at = 0
    let untold = 0
    while (at + header <= bytes.length) {
      const end = endOf(bytes, at)
      if (end > bytes.length) break
      if (bytes[at] === dataRow) {
        if (untold < at) driver(bytes.subarray(untold, at)) // which statement it is about may depend on them
        untold = at
        const statement = (this as unknown as Inside)._getActiveQuery()
        if (statement instanceof NamedStatement) {
          statement.takeRow(bytes, at + header + 2, end)
          untold = end
        }
      } else if (bytes[at] === bindComplete && untold === at) untold = end // of no interest to anybody
      at = end
    }
    if (untold < at) driver(bytes.subarray(untold, at))
    return at
  }
}

const none: Buffer[] = []

function endOf(bytes: Buffer, at: number): number {
  return at + 1 + bytes.readUInt32BE(at + 1)
}
