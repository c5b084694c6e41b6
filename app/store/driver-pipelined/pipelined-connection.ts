import { DatabaseError } from 'pg'
import type { Named } from '../driver/prepared-names.ts'
import type { Client } from '../driver/session.ts'
import type { Answer } from './prepared-query.ts'

type Row = Record<string, unknown>

/** A connection on which statements follow each other, without waiting for answers. */
export class Lane {
  inFlight = 0
  /** When the server was last seen to go on, in milliseconds. */
  moved = performance.now()
  /** The server had nothing to do, and what it is asked now is about to be sent. */
  isFresh = false
  readonly #opened: Promise<Client>
  readonly #isWanted: () => boolean
  readonly #leave: (lane: Lane) => void
  #client: Client | undefined
  #isLost = false
  #isGathering = false

  /** `isWanted` tells whether somebody waits for the connection; `leave` is called when nobody else shall come. */
  constructor(opened: Promise<Client>, isWanted: () => boolean, leave: (lane: Lane) => void) {
    this.#opened = opened
    this.#isWanted = isWanted
    this.#leave = leave
    opened.then(
      (client) => {
        this.#client = client
        this.moved = performance.now()
        client.on('error', this.#lose)
      },
      () => leave(this),
    )
  }

  ask(named: Named, values: readonly unknown[]): Promise<Row[]> {
    this.inFlight++
    if (this.#client) return this.#send(this.#client, named, values)
    return this.#opened.then((client) => this.#send(client, named, values))
  }

  /** To be called while nothing is in flight, and once. */
  giveBack(): void {
    const client = this.#client as Client
    this.#leave(this)
    client.off('error', this.#lose)
    client.release(this.#isLost)
  }

  #send(client: Client, named: Named, values: readonly unknown[]): Promise<Row[]> {
    this.#gather(client)
    return new Promise((resolve, reject) => {
      client.ask(named, values, (error, answer) => {
        this.#settle(named, error)
        if (error) reject(error)
        else resolve((answer as Answer).rows)
      })
    })
  }

  /** What is asked in one go is sent in one; while the server is busy anyway, all that the events of one moment ask for. */
  #gather({ connection: { stream } }: Client): void {
    if (this.#isGathering) return
    this.#isGathering = true
    stream.cork()
    const send = () => {
      this.#isGathering = false
      this.isFresh = false
      stream.uncork()
    }
    if (this.inFlight > 1) setImmediate(send)
    else {
      this.moved = performance.now()
      this.isFresh = true
      queueMicrotask(send)
    }
  }

  /** Whoever was answered just now often has another question, so it stays open unless somebody waits for it. */
  #settle(named: Named, error: unknown): void {
    const now = performance.now()
    named.note(now - this.moved)
    this.moved = now
    this.inFlight--
    if (error && !(error instanceof DatabaseError))
      this.#lose() // not the server refuses something
    else if (this.inFlight === 0 && (this.#isLost || this.#isWanted())) this.giveBack()
  }

  /** The way to the server is gone. */
  readonly #lose = (): void => {
    this.#isLost = true
    if (this.inFlight === 0) this.giveBack()
    else this.#leave(this)
  }
}
