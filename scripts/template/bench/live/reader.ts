import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

type Headers = Readonly<Record<string, string>>

/** A stream on its own connection. Reads no more of an event than the numbers of changes in it: the client shares the CPUs. */
export class Reader {
  /** The greatest number in the titles of each row. */
  readonly numbers = new Map<string, number>()
  /** Ends when the connection is closed. */
  readonly closed: Promise<void>
  lastEventId = ''
  readonly #response: IncomingMessage
  #rest = ''

  private constructor(response: IncomingMessage, onNumber: (number: number) => void) {
    this.#response = response
    this.closed = new Promise((resolve) => response.once('close', resolve))
    response.on('error', () => {}) // the server has closed the connection
    response.setEncoding('latin1').on('data', (chunk: string) => this.#read(chunk, onNumber))
  }

  static open(url: string, headers: Headers, onNumber: (number: number) => void = () => {}): Promise<Reader> {
    return new Promise((resolve, reject) => {
      const request = get(url, { agent: false, headers: { accept: 'text/event-stream', ...headers } }, (response) => {
        if (response.statusCode === 200) resolve(new Reader(response, onNumber))
        else text(response).then((body) => reject(new Error(`${response.statusCode} ${body}`)), reject)
      })
      request.once('error', reject)
    })
  }

  /** Stops reading, as a client that hangs. */
  pause(): void {
    this.#response.pause()
  }

  /** Reads what has arrived. */
  resume(): void {
    this.#response.resume()
  }

  close(): void {
    this.#response.destroy()
  }

  #read(chunk: string, onNumber: (number: number) => void): void {
    this.#rest += chunk
    const end = this.#rest.lastIndexOf('\n\n')
    if (end < 0) return
    const events = this.#rest.slice(0, end + 1)
    this.#rest = this.#rest.slice(end + 2)
    for (const [, id, row, number] of events.matchAll(/^id: (\S+)$|"title":"(\w+ \d+) (\d+)"/gm)) {
      if (id !== undefined) this.lastEventId = id
      if (row === undefined) continue
      this.numbers.set(row, Number(number))
      onNumber(Number(number))
    }
  }
}
