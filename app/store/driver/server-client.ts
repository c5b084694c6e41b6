import { Socket } from 'node:net'
import { Client, type PoolConfig, type Submittable } from 'pg'
import { LruMap } from '#kernel/store'
import type { ConnectionLimit, DriverObserver, StatementResult, Values } from './contract.ts'
import { addStatement, hasChangedPlan, nulCharacterError, ResultTooLarge } from './driver-errors.ts'
import { dropPreparedName, type PreparedName, prepareName } from './prepared-names.ts'
import { encodeValues, PreparedQuery, type PreparedStatement, type ResultLimit } from './prepared-query.ts'
import { UnpreparedQuery } from './unprepared-query.ts'

export interface ServerClientOptions extends PoolConfig {
  /** Limit of prepared statements on a connection; 0 prepares none. */
  readonly maxPrepared: number
  /** Milliseconds without a byte from the server after which a connection with a running statement is closed. */
  readonly socketTimeout: number
  /** Bytes of the rows of one statement after which the connection is closed. */
  readonly maxResultBytes: number
  readonly observer: DriverObserver
}

const none: Values = []

/** One connection to the server, with the statements it has prepared and a socket time-out. */
export class ServerClient extends Client {
  onLost: (() => void) | undefined
  readonly #socket: Socket
  readonly #options: ServerClientOptions
  #maxResultBytes: number
  readonly #prepared = new LruMap<string, PreparedStatement>()
  #inFlight = 0
  #hasCursor = false
  #isCorked = false

  constructor(options: ServerClientOptions) {
    const socket = new Socket()
    super({ ...options, stream: () => socket })
    this.#socket = socket
    this.#options = options
    this.#maxResultBytes = options.maxResultBytes
    this.on('error', () => this.onLost?.())
    this.on('end', () => this.onLost?.())
    socket.setTimeout(options.socketTimeout)
    // A server that hangs or a broken network would block a statement for ever: no limit of the server applies then.
    socket.on('timeout', () => {
      if (this.#inFlight > 0 || this.#hasCursor) socket.destroy()
    })
  }

  /** Sends a statement without waiting for the answers to earlier ones; prepared, if its text was sent often. */
  send(text: string, values: Values = none, prepared?: PreparedName): Promise<StatementResult> {
    if (text.includes('\0')) return Promise.reject(nulCharacterError())
    const end = this.#options.observer.beginStatement(text, values)
    if (!this.#isCorked) this.#cork()
    this.#inFlight++
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>()
    const limit: ResultLimit = {
      received: 0,
      max: this.#maxResultBytes,
      exceed: () => void this.#socket.destroy(), // the server stops sending
    }
    const encoded = this.#options.maxPrepared > 0 && values.length > 0 ? encodeValues(values) : null
    const statement = encoded && this.#prepare(text, values, prepared)
    let isRepeated = false
    const settle = (failure: unknown, result?: StatementResult) => {
      if (failure && statement && !isRepeated && this.#mustRepeat(statement, failure)) {
        isRepeated = true
        return void this.query(new UnpreparedQuery(text, values, limit, settle))
      }
      const error = limit.received > limit.max ? new ResultTooLarge(limit.max) : failure
      this.#inFlight--
      end?.(error ? { rows: 0, error } : { rows: result?.rowCount ?? 0 })
      if (error) reject(addStatement(error, text))
      else resolve(result as StatementResult)
    }
    if (statement) this.query(new PreparedQuery(statement, encoded, limit, settle))
    else this.query(new UnpreparedQuery(text, values, limit, settle))
    return promise
  }

  /** Whether a prepared statement that has failed is sent again without a name. Forgets a name that cannot be used again. */
  #mustRepeat({ name, text, isConfirmed }: PreparedStatement, error: unknown): boolean {
    const isOutdated = hasChangedPlan(error)
    if (isOutdated || !isConfirmed) this.#prepared.delete(name)
    if (isOutdated) dropPreparedName(text)
    // Inside a transaction the whole transaction is retried.
    return isOutdated && this.getTransactionStatus() === 'I'
  }

  /** Sends the first statement of the session, which is not logged. */
  async startSession(statement: string): Promise<void> {
    this.#inFlight++
    await this.query(statement).finally(() => this.#inFlight--)
  }

  /** Opens a cursor, which is in use until the connection is released. */
  openCursor<Cursor extends Submittable>(cursor: Cursor): Cursor {
    this.#hasCursor = true
    return this.query(cursor)
  }

  disableLimit(limit: ConnectionLimit): void {
    if (limit === 'socket time-out') this.#socket.setTimeout(0)
    else this.#maxResultBytes = Number.POSITIVE_INFINITY
  }

  /** Restores the state in which a connection is handed out. */
  reset(): void {
    this.onLost = undefined
    this.#hasCursor = false
    this.#socket.setTimeout(this.#options.socketTimeout)
    this.#maxResultBytes = this.#options.maxResultBytes
  }

  /** Returns undefined for a statement to send without a name; also during the first execution, which may fail. */
  #prepare(text: string, values: Values, prepared?: PreparedName): PreparedStatement | undefined {
    const name = (prepared ?? prepareName(text, values, this.#options.maxPrepared))?.name
    if (name === undefined) return undefined
    const existing = this.#prepared.get(name)
    if (existing) return existing.isConfirmed ? existing : undefined
    const evicted = this.#prepared.size >= this.#options.maxPrepared ? this.#prepared.evict() : undefined
    const parserOf = (oid: number) => this.getTypeParser(oid as never, 'text') as (text: string) => unknown
    const statement = { name, text, parserOf, evicted, isConfirmed: false, createRow: undefined }
    this.#prepared.set(name, statement, this.#options.maxPrepared)
    return statement
  }

  /** Corks the socket so that statements of one event-loop turn share a write. */
  #cork(): void {
    this.#isCorked = true
    this.#socket.cork()
    const uncork = () => {
      this.#isCorked = false
      this.#socket.uncork()
    }
    if (this.#inFlight > 0) setImmediate(uncork)
    else process.nextTick(uncork)
  }
}
