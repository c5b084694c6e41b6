import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Deadline, Row } from '#kernel/store'
import type { Orm, SnapshotConnection } from '../connection/types.ts'
import type { StatementResult } from '../driver/index.ts'
import type { TransactionEnd } from './begin.ts'
import { toKysely } from './kysely-transaction.ts'
import type { ReadConnection } from './read-connection.ts'
import type { Readable } from './read-source.ts'

/**
 * A transaction in which all statements of a read see one state of the database. It begins with the first statement, on
 * a connection that no other request shares.
 */
export class Snapshot implements ReadConnection {
  readonly orm: Orm
  isOver = false
  readonly #source: Readable
  readonly #deadline: Deadline | null
  #opening: Promise<SnapshotConnection> | undefined
  #connection: SnapshotConnection | undefined
  readonly #joined: SqlEntityManager[] = []
  #inFlight = 0
  #failure: { readonly error: unknown } | undefined
  #wasReleased = false

  constructor(orm: Orm, source: Readable, deadline: Deadline | null) {
    this.orm = orm
    this.#source = source
    this.#deadline = deadline
  }

  /**
   * The first error of the database. Undefined if there was none, and after `releaseConnection`, when the read must not start
   * again.
   */
  get failure(): { readonly error: unknown } | undefined {
    return this.#wasReleased ? undefined : this.#failure
  }

  /** Runs a statement inside the snapshot; after its end, outside. */
  readonly run = (sql: string, values: readonly unknown[]): Promise<Row[]> =>
    this.isOver
      ? this.#source.query(sql, values, this.#deadline)
      : this.#send(sql, values).then(this.#takeRows, this.#fail)

  join(em: SqlEntityManager): void {
    if (this.isOver) return
    this.#joined.push(em)
    const send = async (sql: string, values: readonly unknown[]) => {
      if (this.isOver) throw readIsFinished()
      this.#deadline?.check()
      const result = await this.#send(sql, values).catch(this.#fail)
      this.#inFlight--
      return result
    }
    em.setTransactionContext(toKysely(this.orm, send))
  }

  /** Ends the transaction. A later statement begins another one. */
  async releaseConnection(): Promise<void> {
    this.#wasReleased = true
    const opening = this.#opening
    const connection = await opening?.catch(() => undefined)
    if (!opening || this.#opening !== opening) return
    this.#opening = undefined
    this.#connection = undefined
    connection?.end('commit')
  }

  /** Ends the transaction and releases the connection, without waiting for the server. */
  end(statement: TransactionEnd): void {
    this.isOver = true
    // Work that continues after the deadline must not send statements outside of the snapshot.
    if (!this.#deadline?.hasExpired) {
      for (const em of this.#joined) em.resetTransactionContext()
      if (this.#connection) {
        this.#connection.end(statement)
        return
      }
    }
    this.#opening?.then(
      (connection) => this.#release(connection, statement),
      () => {},
    )
  }

  /** A running statement is cancelled after the deadline only: otherwise its answer is near. */
  #release(connection: SnapshotConnection, statement: TransactionEnd): void {
    if (this.#inFlight === 0 || !this.#deadline?.hasExpired) connection.end(statement)
    else connection.cancel().then(() => connection.end(statement))
  }

  #send(sql: string, values: readonly unknown[]): Promise<StatementResult> {
    this.#inFlight++
    return this.#connection ? this.#connection.query(sql, values) : this.#sendFirst(sql, values)
  }

  /** Begins the transaction; again, if `releaseConnection` has ended it meanwhile. */
  #sendFirst(sql: string, values: readonly unknown[]): Promise<StatementResult> {
    this.#opening ??= this.#source.beginSnapshot()
    const opening = this.#opening
    return opening.then((connection) => {
      if (this.isOver) throw readIsFinished()
      if (this.#opening !== opening) return this.#sendFirst(sql, values)
      this.#deadline?.check()
      this.#connection = connection
      return connection.query(sql, values)
    })
  }

  readonly #takeRows = ({ rows }: StatementResult): Row[] => {
    this.#inFlight--
    return rows
  }

  readonly #fail = (error: unknown): never => {
    this.#inFlight--
    this.#failure ??= { error }
    throw error
  }
}

function readIsFinished(): Error {
  return new Error('The read is finished.')
}
