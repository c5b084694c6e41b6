import { setTimeout } from 'node:timers/promises'
import { QueueNotOpen } from '#jobs'
import type { Deadline, Requester, RowKeys, Store, Unit, UnitOptions } from '#kernel/store'
import type { Database, Orm, StoreQueue } from '../connection/types.ts'
import { toApiError } from '../errors/api-errors.ts'
import { isDeadlock, isRetryable } from '../errors/sql-state.ts'
import { toStatementError } from '../errors/statement-errors.ts'
import { tableExpression } from '../sql/compiler.ts'
import { StoreUnit, workInside } from '../unit.ts'
import { managedTransaction, type TransactionControl } from './orm-transaction.ts'
import { currentRead } from './read-connection.ts'
import { createTransaction, hasTransactionListeners } from './write-transaction.ts'

const retries = 3
const none: readonly string[] = []

/** Creates the function that runs work in a transaction. */
export function createWrite(database: Partial<Database> & Pick<Database, 'orm'>, queue: StoreQueue): Store['write'] {
  const { orm, query, connectForWrite: connect, replicas, checkDiskSpace, rowQueue, writes } = database
  const { statementTimeout = 0 } = database

  function openUnit(
    deadline: Deadline | null,
    isSingle: boolean,
  ): { readonly unit: StoreUnit; readonly transaction: TransactionControl } {
    if (!query || !connect || hasTransactionListeners(orm)) {
      const unit = new StoreUnit(orm, queue, undefined, deadline)
      return { unit, transaction: managedTransaction(unit.entityManager, deadline, writes) }
    }
    const positionStatement = replicas?.positionStatement
    const transaction = createTransaction({
      orm,
      connect,
      outside: query,
      deadline,
      statementTimeout,
      positionStatement,
    })
    return { unit: new StoreUnit(orm, queue, transaction, deadline, isSingle), transaction }
  }

  /** Retries the whole unit, with a new EntityManager, after a retryable database error or until the queue is open. */
  return async function write<T>(
    work: (unit: Unit) => Promise<T>,
    requester?: Requester,
    { rows, isSingle = false }: UnitOptions = {},
  ): Promise<T> {
    const deadline = requester?.request?.deadline ?? null
    const names = rowQueue && rows && rows.size > 0 ? rowNames(orm, rows) : none
    const outer = currentRead(orm)
    if (outer) await outer.releaseConnection()
    let delay: Promise<void> | null = null
    for (let attempt = 1; ; attempt++) {
      try {
        if (delay) await delay
        if (checkDiskSpace) await checkDiskSpace()
        const { unit, transaction } = openUnit(deadline, isSingle)
        const run = () => runTransaction(unit, transaction, work, deadline)
        const result = await (rowQueue && names.length > 0 ? rowQueue.run(names, run) : run())
        if (replicas) await replicas.recordWrite(requester, transaction.position?.() ?? null)
        return result
      } catch (error) {
        if (error instanceof QueueNotOpen) delay = error.opened
        else if (attempt > retries || !isRetryable(error)) throw toStatementError(toApiError(error))
        else delay = setTimeout(pauseAfter(error, attempt))
      }
    }
  }
}

/** The rows as texts. Types that share a table share its rows; those without an entity have none. */
function rowNames(orm: Orm, rows: RowKeys): string[] {
  const names: string[] = []
  for (const [{ entity }, keys] of rows) {
    const meta = orm.getMetadata().find(entity)
    if (meta) for (const key of keys) names.push(`${tableExpression(meta.root)} ${key}`)
  }
  return names
}

/** Exponential backoff with jitter, in milliseconds: two transactions that collided do not meet again. */
function pauseAfter(error: unknown, attempt: number): number {
  const shortest = isDeadlock(error) ? 50 : 5
  return (1 + 2 * Math.random()) * shortest * 5 ** (attempt - 1)
}

/**
 * Saves the entities of the unit and commits the work, or rolls it back. `afterCommit` hooks use the same unit, outside of
 * the transaction.
 */
function runTransaction<T>(
  unit: StoreUnit,
  transaction: TransactionControl,
  work: (unit: Unit) => Promise<T>,
  deadline: Deadline | null,
): Promise<T> {
  return workInside(unit, async () => {
    deadline?.check()
    if (transaction.begin) await transaction.begin()
    try {
      const result = await (deadline ? deadline.within(work(unit)) : work(unit))
      if (unit.hasEntities) await (deadline ? deadline.within(unit.saveEntities()) : unit.saveEntities())
      if (unit.hasCommitted) return result
      deadline?.check()
      await (deadline ? deadline.commit(() => transaction.commit()) : transaction.commit())
      return result
    } catch (error) {
      unit.rolledBack()
      // The error of the work is thrown, not that of a rollback on a broken connection.
      await transaction.rollback().catch(() => {})
      throw error
    }
  })
}
