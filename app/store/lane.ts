import { DatabaseError } from 'pg'
import type { Client } from './clients.ts'
import type { Answer } from './named-statement.ts'
import type { Named } from './statement-names.ts'

type Row = Record<string, unknown>

/** A connection on which statements follow each other, without waiting for answers. */
export class Lane {
  inFlight = 0
  /** When the server was last seen to go on, in milliseconds. */
  moved = performance.now()
  readonly #opened: Promise<Client>
  readonly #leave: () => void
  #client: Client | undefined
  #isLost = false
  #isGivenBack = false
  #isGathering = false

  /** `leave` is called when nobody else shall come. */
  constructor(opened: Promise<Client>, leave: () => void) {
    this.#opened = opened
    this.#leave = leave
    opened.then((client) => {
      this.#client = client
      this.moved = performance.now()
    }, leave)
  }

  ask(named: Named, values: readonly unknown[]): Promise<Row[]> {
    this.inFlight++
    if (this.#client) return this.#send(this.#client, named, values)
    return this.#opened.then((client) => this.#send(client, named, values))
  }

  #send(client: Client, named: Named, values: readonly unknown[]): Promise<Row[]> {
    if (this.inFlight === 1) this.moved = performance.now()
    this.#gather(client)
    return new Promise((resolve, reject) => {
      client.ask(named, values, (error, answer) => {
        this.#settle(client, named, error)
        if (error) reject(error)
        else resolve((answer as Answer).rows)
      })
    })
  }

  /** All that the events of one moment ask for goes to the server at once. */
  #gather({ connection: { stream } }: Client): void {
    if (this.#isGathering) return
    this.#isGathering = true
    stream.cork()
    setImmediate(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }

  #settle(client: Client, named: Named, error: unknown): void {
    const now = performance.now()
    named.note(now - this.moved)
    this.moved = now
    if (error && !(error instanceof DatabaseError)) {
      this.#isLost = true // not the server refuses something, the way to it is gone
      this.#leave()
    }
    this.inFlight--
    if (this.inFlight === 0) setImmediate(() => this.#giveBack(client))
  }

  /** Not at once: whoever was answered just now often has another question. */
  #giveBack(client: Client): void {
    if (this.inFlight > 0 || this.#isGivenBack) return
    this.#isGivenBack = true
    this.#leave()
    client.release(this.#isLost)
  }
}
