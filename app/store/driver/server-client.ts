import { Socket } from 'node:net'
import { Client, type PoolConfig, type QueryResult, type Submittable } from 'pg'
import { hasChangedPlan, isRefusedText } from '../errors/sql-errors.ts'
import { type PreparedName, prepareName, renamePrepared } from './prepared-names.ts'
import { logStatement } from './statement-log.ts'

export interface ServerClientOptions extends PoolConfig {
  /** Limit of prepared statements on a connection; 0 prepares none. */
  readonly maxPrepared: number
  /** Milliseconds without a byte from the server after which a connection with a running statement is closed. */
  readonly socketTimeout: number
}

export type Values = readonly unknown[]

/** One connection to the server, with the statements it has prepared and a socket time-out. */
export class ServerClient extends Client {
  /** Called when the connection is lost. */
  onLost: (() => void) | undefined
  readonly #socket: Socket
  readonly #maxPrepared: number
  readonly #socketTimeout: number
  /** Names on this connection; false before the server has confirmed the first use, which may fail. */
  readonly #names = new Map<string, boolean>()
  #isExhausted = false
  #hasCursor = false
  #inFlight = 0
  #isCorked = false

  constructor(options: ServerClientOptions) {
    const socket = new Socket()
    super({ ...options, stream: () => socket })
    this.#socket = socket
    this.#maxPrepared = options.maxPrepared
    this.#socketTimeout = options.socketTimeout
    this.on('error', () => this.onLost?.())
    this.on('end', () => this.onLost?.())
    socket.setTimeout(options.socketTimeout)
    // A server that hangs or a broken network would block a statement for ever: no limit of the server applies then.
    socket.on('timeout', () => {
      if (this.#inFlight > 0 || this.#hasCursor) socket.destroy()
    })
  }

  /** Whether no more statements can be prepared: the connection must be closed when it is released. */
  get isExhausted(): boolean {
    return this.#isExhausted
  }

  /** Sends a statement without waiting for earlier ones; prepared, if its text was sent often. */
  async send(text: string, values?: Values): Promise<QueryResult> {
    logStatement(text, values)
    const prepared = values && this.#prepare(text, values)
    this.#cork()
    this.#inFlight++
    try {
      if (!prepared) return await this.query(text, values as unknown[])
      const result = await this.query({ name: prepared.name, text, values: values as unknown[] })
      this.#names.set(prepared.name, true)
      return result
    } catch (error) {
      if (!prepared) throw error
      if (isRefusedText(error)) this.#names.delete(prepared.name)
      if (!hasChangedPlan(error)) throw error
      renamePrepared(prepared, this.#maxPrepared)
      // Inside a transaction the whole transaction is retried.
      if (this.getTransactionStatus() !== 'I') throw error
      return await this.query(text, values as unknown[])
    } finally {
      this.#inFlight--
    }
  }

  /** Opens a cursor, which is in use until the connection is released. */
  openCursor<Cursor extends Submittable>(cursor: Cursor): Cursor {
    this.#hasCursor = true
    return this.query(cursor)
  }

  /** Disables the socket time-out, for a statement that may take any time. */
  disableSocketTimeout(): void {
    this.#socket.setTimeout(0)
  }

  /** Restores the state in which a connection is handed out. */
  reset(): void {
    this.onLost = undefined
    this.#hasCursor = false
    this.#socket.setTimeout(this.#socketTimeout)
  }

  #prepare(text: string, values: Values): PreparedName | undefined {
    const prepared = this.#maxPrepared > 0 ? prepareName(text, values, this.#maxPrepared) : undefined
    if (!prepared) return undefined
    const isConfirmed = this.#names.get(prepared.name)
    if (isConfirmed) return prepared
    if (isConfirmed === false) return undefined
    if (this.#names.size >= this.#maxPrepared) {
      this.#isExhausted = true
      return undefined
    }
    this.#names.set(prepared.name, false)
    return prepared
  }

  /** Corks the socket so that statements of one event-loop turn share a write. */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#socket.cork()
    const uncork = () => {
      this.#isCorked = false
      this.#socket.uncork()
    }
    if (this.#inFlight > 1) setImmediate(uncork)
    else process.nextTick(uncork)
  }
}
