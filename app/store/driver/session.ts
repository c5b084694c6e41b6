import type { PoolClient, Submittable } from 'pg'
import type { Deadline, Row } from '#kernel/store'
import { cancelStatement } from './cancel.ts'
import type { PreparedName } from './prepared-names.ts'
import type { PreparedResult } from './prepared-query.ts'
import type { ServerClient, Values } from './server-client.ts'

const beginSnapshot = 'begin isolation level repeatable read read only'

/** A connection of the pool for exclusive use until it is released. */
export class Session {
  /** Whether the connection was released, or lost. */
  isReleased = false
  /** Called once, when the connection is released or lost. */
  onRelease: (() => void) | undefined
  readonly #client: ServerClient & PoolClient
  /** The answer to the `begin` of a snapshot, until it has succeeded. */
  #began: Promise<unknown> | undefined

  constructor(client: ServerClient & PoolClient, onRelease?: () => void) {
    this.#client = client
    this.onRelease = onRelease
    // A lost connection leaves the pool even if its user does not release it: Kysely does not after a failed `begin`.
    client.onLost = () => this.release(true)
  }

  query(text: string, values?: Values, prepared?: PreparedName): Promise<PreparedResult>
  query<Cursor extends Submittable>(cursor: Cursor): Cursor
  query(statement: string | Submittable, values?: Values, prepared?: PreparedName): unknown {
    if (this.isReleased) return Promise.reject(new Error('Connection terminated: it was released.'))
    if (typeof statement !== 'string') return this.#client.openCursor(statement)
    const sent = this.#client.send(statement, values, prepared)
    if (statement === 'commit') return sent.then(checkCommitted)
    return this.#began ? sent.then((result) => this.#afterBegin(result)) : sent
  }

  /** A statement that succeeds although `begin` has failed was not part of the snapshot. */
  #afterBegin<Result>(result: Result): Result | Promise<Result> {
    return this.#began ? this.#began.then(() => result) : result
  }

  /** Sends one statement and releases the connection. Cancels the statement at the deadline. */
  async queryAndRelease(sql: string, values: Values, deadline?: Deadline | null): Promise<Row[]> {
    let cancelled: Promise<void> | undefined
    const unsubscribe = deadline?.onExpire(() => {
      cancelled ??= this.cancel()
    })
    try {
      deadline?.check()
      const { rows } = await this.query(sql, values)
      return rows
    } finally {
      unsubscribe?.()
      if (cancelled) await cancelled
      this.release()
    }
  }

  /** Cancels the running statement, which fails with SQLSTATE 57014. */
  cancel(): Promise<void> {
    return cancelStatement(this.#client)
  }

  /** Begins a snapshot, without waiting for the answer. If that fails, so does every statement. */
  beginSnapshot(): this {
    this.#began = this.query(beginSnapshot).then(() => {
      this.#began = undefined
    })
    this.#began.catch(() => {})
    return this
  }

  /** Ends a snapshot and releases the connection. Its next user sends its statements behind this one. */
  end(statement: 'commit' | 'rollback'): void {
    if (!this.isReleased) this.#client.send(statement).catch(() => {}) // a lost connection leaves the pool by itself
    this.release()
  }

  /** Lets statements take any time until the connection is released. */
  disableSocketTimeout(): void {
    this.#client.disableSocketTimeout()
  }

  /** Lets statements return any number of bytes until the connection is released. */
  disableResultLimit(): void {
    this.#client.disableResultLimit()
  }

  /** Gives the connection back to the pool, or closes it. Further calls have no effect. */
  release(isBroken = false): void {
    if (this.isReleased) return
    this.isReleased = true
    this.#client.reset()
    this.#client.release(isBroken)
    this.onRelease?.()
  }
}

/** PostgreSQL answers the commit of a transaction in which a statement has failed with a rollback, without an error. */
function checkCommitted(result: PreparedResult): PreparedResult {
  if (result.command === 'ROLLBACK')
    throw new Error('The transaction was rolled back: one of its statements has failed.')
  return result
}
