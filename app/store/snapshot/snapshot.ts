import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Deadline, Row } from '#kernel/store'
import type { Orm, SnapshotConnection } from '../connection/types.ts'
import { toKysely } from '../driver/kysely-transaction.ts'
import type { PreparedResult } from '../driver/prepared-query.ts'
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
  #connection: Promise<SnapshotConnection> | undefined
  readonly #joined: SqlEntityManager[] = []
  #inFlight = 0
  #failure: { readonly error: unknown } | undefined
  #hasYielded = false

  constructor(orm: Orm, source: Readable, deadline: Deadline | null) {
    this.orm = orm
    this.#source = source
    this.#deadline = deadline
  }

  /** The first error of the database. Undefined if there was none, and after `yield`: the read must not start again then. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#hasYielded ? undefined : this.#failure
  }

  /** Runs a statement inside the snapshot; after its end, outside. */
  readonly run = async (sql: string, values: readonly unknown[]): Promise<Row[]> =>
    this.isOver ? this.#source.query(sql, values, this.#deadline) : (await this.#send(sql, values)).rows

  join(em: SqlEntityManager): void {
    if (this.isOver) return
    this.#joined.push(em)
    em.setTransactionContext(toKysely(this.orm, (sql, values) => this.#send(sql, values)))
  }

  /** Ends the transaction. A later statement begins another one. */
  async yield(): Promise<void> {
    this.#hasYielded = true
    const opening = this.#connection
    const connection = await opening?.catch(() => undefined)
    if (!opening || this.#connection !== opening) return
    this.#connection = undefined
    connection?.end('commit')
  }

  /** Ends the transaction and releases the connection, without waiting for the server. */
  end(statement: 'commit' | 'rollback'): void {
    this.isOver = true
    // Work that continues after the deadline must not send statements outside of the snapshot.
    if (!this.#deadline?.hasExpired) for (const em of this.#joined) em.resetTransactionContext()
    this.#connection?.then(
      (connection) => this.#release(connection, statement),
      () => {},
    )
  }

  /** A running statement is cancelled after the deadline only: otherwise its answer is near. */
  async #release(connection: SnapshotConnection, statement: 'commit' | 'rollback'): Promise<void> {
    if (this.#inFlight > 0 && this.#deadline?.hasExpired) await connection.cancel()
    connection.end(statement)
  }

  async #send(sql: string, values: readonly unknown[]): Promise<PreparedResult> {
    this.#deadline?.check()
    this.#inFlight++
    try {
      const connection = await this.#open()
      this.#deadline?.check()
      return await connection.query(sql, values).catch(this.#fail)
    } finally {
      this.#inFlight--
    }
  }

  /** Begins again if `yield` has ended the transaction meanwhile. */
  async #open(): Promise<SnapshotConnection> {
    for (;;) {
      this.#connection ??= this.#source.beginSnapshot()
      const opening = this.#connection
      const connection = await opening.catch(this.#fail)
      if (this.isOver) throw new Error('The read is finished.')
      if (this.#connection === opening) return connection
    }
  }

  readonly #fail = (error: unknown): never => {
    this.#failure ??= { error }
    throw error
  }
}
