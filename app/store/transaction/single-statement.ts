import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Deadline, Row } from '#kernel/store'
import type { DirectQuery, Orm } from '../connection/types.ts'
import { toKysely } from './kysely-transaction.ts'
import type { ReadConnection } from './read-connection.ts'

/**
 * The connection of a read that needs one statement, which has a snapshot of its own. Refuses a second statement, and
 * every statement of the EntityManager: the read then starts again in a snapshot.
 */
export class SingleStatement implements ReadConnection {
  readonly orm: Orm
  /** Whether a statement was refused, even if a hook has caught the error. */
  isExceeded = false
  isOver = false
  readonly #query: DirectQuery
  #joined: SqlEntityManager[] | undefined
  #isSent = false

  constructor(orm: Orm, query: DirectQuery) {
    this.orm = orm
    this.#query = query
  }

  readonly run = (sql: string, values: readonly unknown[], deadline?: Deadline | null): Promise<Row[]> => {
    if (this.#isSent && !this.isOver) return this.#refuse()
    this.#isSent = true
    return this.#query(sql, values, deadline)
  }

  join(em: SqlEntityManager): void {
    if (this.isOver) return
    this.#joined ??= []
    this.#joined.push(em)
    em.setTransactionContext(toKysely(this.orm, () => this.#refuse()))
  }

  /** From here on statements are sent on their own: the read must not start again after a write. */
  async releaseConnection(): Promise<void> {
    if (this.isExceeded) await this.#refuse()
    this.end()
  }

  end(): void {
    this.isOver = true
    for (const em of this.#joined ?? []) em.resetTransactionContext()
  }

  #refuse(): Promise<never> {
    this.isExceeded = true
    return Promise.reject(new Error('The read needs more than one statement and starts again in a snapshot.'))
  }
}
