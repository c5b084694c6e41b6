import { AsyncLocalStorage } from 'node:async_hooks'
import { FlushMode, Utils } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { CompiledQuery } from 'kysely'
import type { Context, Deadline, Row, Unit } from '#kernel/store'
import type { DirectQuery, Orm, StoreQueue } from './connection/types.ts'
import { isRowRefusal } from './errors/sql-state.ts'

/** Sends statements without MikroORM. */
export interface DirectConnection {
  readonly run: DirectQuery
  /**
   * Sends a statement that commits by itself: without `begin` and `commit`, if nothing has begun. It has written nothing if it
   * returns no row.
   */
  readonly autocommit?: DirectQuery
  /** Whether that statement has committed. */
  hasCommitted?(): boolean
  /** Makes the EntityManager use the same transaction. */
  join(em: SqlEntityManager): void
}

const done = Promise.resolve()

/** The unit in whose transaction the caller works. */
const inside = new AsyncLocalStorage<StoreUnit>()

/** The unit with the members that only the store uses. Its EntityManager is created on first use. */
export class StoreUnit implements Unit {
  readonly orm: Orm
  readonly #queue: StoreQueue
  readonly #connection: DirectConnection | undefined
  readonly #deadline: Deadline | null
  #em: SqlEntityManager | undefined
  #undo: (() => void)[] = []
  #isRolledBack = false
  readonly #isSingle: boolean
  #requiresTransaction = false
  #useCount = 0

  /** `isSingle`: one statement writes, and commits by itself if nothing requires a transaction. */
  constructor(
    orm: Orm,
    queue: StoreQueue,
    connection: DirectConnection | undefined,
    deadline: Deadline | null,
    isSingle = false,
  ) {
    // On the embedded database a second connection would wait for the transaction for ever.
    if (inside.getStore()) {
      throw new Error('A unit was opened inside the transaction of another; use the unit of the operation instead.')
    }
    this.orm = orm
    this.#queue = queue
    this.#connection = connection
    this.#deadline = deadline
    this.#isSingle = isSingle
  }

  /** For hooks and functions of authors. The store uses `entityManager`. */
  get em(): SqlEntityManager {
    this.#useCount++
    return this.entityManager
  }

  get entityManager(): SqlEntityManager {
    if (!this.#em) {
      this.#deadline?.check()
      this.#em = this.orm.em.fork()
      this.#connection?.join(this.#em)
    }
    return this.#em
  }

  async releaseEntities(): Promise<void> {
    await this.saveEntities()
    this.#em?.clear()
  }

  saveEntities(): Promise<void> {
    return this.#em ? this.#em.flush() : done
  }

  async withoutAutoFlush<T>(work: () => Promise<T>): Promise<T> {
    const em = this.entityManager
    em.setFlushMode(FlushMode.COMMIT)
    try {
      return await work()
    } finally {
      em.setFlushMode()
    }
  }

  run(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    this.#useCount++
    this.#deadline?.check()
    if (this.#connection) return this.#connection.run(sql, parameters, this.#deadline)
    return runIn(this.entityManager, sql, parameters)
  }

  /** Runs a statement that writes the subject of an operation. */
  runWrite(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    const { autocommit } = this.#connection ?? {}
    return autocommit && this.commitsByItself ? autocommit(sql, parameters) : this.run(sql, parameters)
  }

  /** Whether the statement that writes commits by itself. */
  get commitsByItself(): boolean {
    return (
      this.#isSingle && this.#connection?.autocommit !== undefined && !this.#requiresTransaction && !this.hasEntities
    )
  }

  get hasEntities(): boolean {
    const work = this.#em?.getUnitOfWork()
    if (!work) return false
    return work.getPersistStack().size > 0 || work.getRemoveStack().size > 0 || work.getIdentityMap().keys().length > 0
  }

  storedValues(entity: object): object | undefined {
    return Utils.isEntity(entity) ? this.#em?.getUnitOfWork().getOriginalEntityData(entity) : undefined
  }

  get useCount(): number {
    return this.#useCount
  }

  get hasCommitted(): boolean {
    return this.#connection?.hasCommitted?.() ?? false
  }

  isRowRefusal(error: unknown): boolean {
    return isRowRefusal(error)
  }

  requireTransaction(): void {
    if (this.hasCommitted) throw new Error('The write is committed already: nothing can be added to its transaction.')
    this.#requiresTransaction = true
  }

  /** Calls `undo` immediately if the unit is rolled back already: its work may continue after the deadline. */
  onRollback(undo: () => void): void {
    if (this.#isRolledBack) undo()
    else this.#undo.push(undo)
  }

  /** Undoes the writes that are not part of the transaction, the last one first. */
  rolledBack(): void {
    this.#isRolledBack = true
    for (const undo of this.#undo.splice(0).reverse()) undo()
  }

  enqueue(job: string, data: object): Promise<string> {
    return this.#queue.add(job, data, this.entityManager)
  }

  dequeue(job: string, id: string): Promise<void> {
    return this.#queue.remove(job, id, this.entityManager)
  }
}

export function unitOf(context: Context): StoreUnit {
  return context.unit as StoreUnit
}

export function emOf(context: Context): SqlEntityManager {
  return unitOf(context).entityManager
}

export async function runIn(em: SqlEntityManager, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))
  return rows
}

/** Runs the work inside the transaction of the unit, in which no other unit can be opened. */
export function workInside<T>(unit: StoreUnit, work: () => Promise<T>): Promise<T> {
  return inside.run(unit, work)
}
