import { AsyncLocalStorage } from 'node:async_hooks'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { CompiledQuery } from 'kysely'
import type { Context, Deadline, Unit } from '#kernel/store'
import type { DirectQuery, Orm } from './connection/types.ts'
import type { StoreQueue } from './jobs/queue.ts'

type Row = Record<string, unknown>

/** A way to the database beside MikroORM's. */
export interface Way {
  readonly run: DirectQuery
  /** Sends a statement that is all there is to do in a transaction, or does nothing. */
  readonly alone?: DirectQuery
  /** Lets MikroORM go the same way. */
  join?(em: SqlEntityManager): void
}

/** The unit as the store sees it. It needs no EntityManager, unless something asks for it or there is no other way. */
export class StoreUnit implements Unit {
  readonly orm: Orm
  readonly lids = new Map<string, string>()
  /** Whether filters of MikroORM were added that hold in this unit only. */
  ownsFilters = false
  readonly #queue: StoreQueue
  readonly #way: Way | undefined
  readonly #deadline: Deadline | null | undefined
  #em: SqlEntityManager | undefined
  #undo: (() => void)[] = []
  #isRolledBack = false

  constructor(orm: Orm, queue: StoreQueue, way?: Way, deadline?: Deadline | null) {
    refuseInside()
    this.orm = orm
    this.#queue = queue
    this.#way = way
    this.#deadline = deadline
  }

  get em(): SqlEntityManager {
    if (!this.#em) {
      this.#deadline?.check()
      const em = this.orm.em.fork()
      const { addFilter } = em
      em.addFilter = (options) => {
        this.ownsFilters = true
        addFilter.call(em, options)
      }
      this.#way?.join?.(em)
      this.#em = em
    }
    return this.#em
  }

  run(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    this.#deadline?.check()
    return this.#way ? this.#way.run(sql, parameters, this.#deadline) : runIn(this.em, sql, parameters)
  }

  /** A statement that is all there is to do, or does nothing. */
  runAlone(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return this.#way?.alone ? this.#way.alone(sql, parameters) : this.run(sql, parameters)
  }

  /** Work that goes on after the deadline is undone at once. */
  onRollback(undo: () => void): void {
    if (this.#isRolledBack) undo()
    else this.#undo.push(undo)
  }

  /** The transaction is rolled back: undoes what was written elsewhere, the last write first. */
  rolledBack(): void {
    this.#isRolledBack = true
    for (const undo of this.#undo.splice(0).reverse()) undo()
  }

  enqueue(job: string, data: object): Promise<string> {
    return this.#queue.add(job, data, this.em)
  }

  dequeue(job: string, id: string): Promise<void> {
    return this.#queue.remove(job, id, this.em)
  }
}

export function unitOf(context: Context): StoreUnit {
  return context.unit as StoreUnit
}

export function emOf(context: Context): SqlEntityManager {
  return unitOf(context).em
}

/** Runs a statement with bound parameters, inside the unit's transaction when it has one. */
export function run(sql: string, parameters: readonly unknown[], context: Context): Promise<Row[]> {
  return unitOf(context).run(sql, parameters)
}

export async function runIn(em: SqlEntityManager, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))
  return rows
}

const inside = new AsyncLocalStorage<StoreUnit>()

/** The work is done inside the transaction of the unit. */
export function workInside<T>(unit: StoreUnit, work: () => Promise<T>): Promise<T> {
  return inside.run(unit, work)
}

/** A second connection inside an open transaction would wait for ever on the embedded database. */
function refuseInside(): void {
  if (inside.getStore()) {
    throw new Error('A unit was opened inside the transaction of another; use the unit of the operation instead.')
  }
}
