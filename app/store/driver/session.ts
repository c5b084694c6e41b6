import type { PoolClient, Submittable } from 'pg'
import type { Deadline, Row } from '#kernel/store'
import { cancelStatement } from './cancel.ts'
import type { Connection, ConnectionLimit, StatementResult, Values } from './contract.ts'
import type { PreparedName } from './prepared-names.ts'
import type { ServerClient } from './server-client.ts'

/** A connection of the pool for exclusive use until it is released. */
export class Session implements Connection {
  /** Whether the connection was released, or lost. */
  isReleased = false
  /** Called once, when the connection is released or lost. */
  onRelease: (() => void) | undefined
  readonly #client: ServerClient & PoolClient

  constructor(client: ServerClient & PoolClient, onRelease?: () => void) {
    this.#client = client
    this.onRelease = onRelease
    // A lost connection leaves the pool even if its user does not release it: Kysely does not after a failed `begin`.
    client.onLost = () => this.release(true)
  }

  query(text: string, values?: Values, prepared?: PreparedName): Promise<StatementResult>
  query<Cursor extends Submittable>(cursor: Cursor): Cursor
  query(statement: string | Submittable, values?: Values, prepared?: PreparedName): unknown {
    if (this.isReleased) return Promise.reject(new Error('Connection terminated: it was released.'))
    if (typeof statement !== 'string') return this.#client.openCursor(statement)
    const sent = this.#client.send(statement, values, prepared)
    return statement === 'commit' ? sent.then(checkCommitted) : sent
  }

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

  cancel(): Promise<void> {
    return cancelStatement(this.#client)
  }

  disableLimit(limit: ConnectionLimit): void {
    this.#client.disableLimit(limit)
  }

  release(isBroken = false): void {
    if (this.isReleased) return
    this.isReleased = true
    this.#client.reset()
    this.#client.release(isBroken)
    this.onRelease?.()
  }
}

/** PostgreSQL answers the commit of a transaction in which a statement has failed with a rollback, without an error. */
function checkCommitted(result: StatementResult): StatementResult {
  if (result.command === 'ROLLBACK')
    throw new Error('The transaction was rolled back: one of its statements has failed.')
  return result
}
