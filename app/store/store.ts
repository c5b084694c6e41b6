import { setTimeout } from 'node:timers/promises'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { createQueue, QueueNotOpen } from '#jobs'
import type { Deadline, Requester, RowKeys, Store, Unit, UnitOptions } from '#kernel/store'
import type { Database, DirectQuery, Orm } from './connection/types.ts'
import { pendingMigrations } from './data/migration-status.ts'
import { missingColumns } from './data/missing-columns.ts'
import { isDeadlock, isRetryable, throwReadError, toApiError } from './errors/sql-errors.ts'
import { toStatementError } from './errors/statement-errors.ts'
import { observeStore } from './observers.ts'
import { countThrough } from './read/count.ts'
import { sqlProvider } from './read/provider.ts'
import { tableOf } from './sql/compiler.ts'
import { describeEntity } from './sql/describe-entity.ts'
import { beginKyselySnapshot } from './transaction/kysely-snapshot.ts'
import { currentRead } from './transaction/read-connection.ts'
import { primarySource } from './transaction/read-source.ts'
import { runRead } from './transaction/run-read.ts'
import { createTransaction, hasTransactionListeners, type Transaction } from './transaction/write-transaction.ts'
import { runIn, StoreUnit, workInside } from './unit.ts'
import { storePersister } from './write/persister.ts'
import { createStatementWriter } from './write/statement-writer.ts'

const retries = 3

/** A database, or only its entities: for scripts that send no statement. */
type Opened = Pick<Database, 'orm'> & Partial<Database>

/** The built-in data layer on MikroORM. Statements go directly to the driver if the database has a `query` function. */
export function createStore(opened: Opened): Store {
  const {
    orm,
    url,
    query: direct,
    connectForWrite: connect,
    pool,
    replicas,
    keepsSession = true,
    statementTimeout = 0,
  } = opened
  const { beginSnapshot = () => beginKyselySnapshot(orm), checkDiskSpace, rowQueue, writes } = opened
  const query: DirectQuery = direct ?? ((sql, parameters) => runIn(orm.em.fork(), sql, parameters))
  const primary = primarySource({ query, beginSnapshot })
  const queue = createQueue({ orm, url, listens: keepsSession }, write)
  return {
    queue,
    provider: sqlProvider,
    persister: storePersister,
    statements: createStatementWriter(orm),
    transactional: true,
    countThrough,
    describe(entity) {
      const meta = orm.getMetadata().find(entity)
      return meta ? describeEntity(meta) : null
    },

    read(work, requester, { isSingle = false, onSecondStatement } = {}) {
      const deadline = requester?.request?.deadline ?? null
      const outer = currentRead(orm)
      try {
        if (outer) return work(new StoreUnit(orm, queue, outer, deadline)).catch(throwReadError)
        const source = replicas?.sourceFor(requester) ?? primary
        return runRead({ orm, queue, source, deadline, isSingle, onSecondStatement }, work)
      } catch (error) {
        return Promise.reject(error)
      }
    },
    write,
    async query(sql, parameters = []) {
      await currentRead(orm)?.releaseConnection()
      return query(sql, parameters)
    },
    pendingMigrations: () => pendingMigrations({ orm }),
    missingColumns: () => missingColumns({ orm }),
    ...(pool && { pool }),
    ...(replicas && { replicas: () => replicas.states() }),
    observe: observeStore,
  }

  function openUnit(
    deadline: Deadline | null,
    isSingle: boolean,
  ): { readonly unit: StoreUnit; readonly transaction: TransactionControl } {
    if (!direct || !connect || hasTransactionListeners(orm)) {
      const unit = new StoreUnit(orm, queue, undefined, deadline)
      return { unit, transaction: managedTransaction(unit.entityManager, deadline, writes) }
    }
    const positionStatement = replicas?.positionStatement
    const options = { orm, connect, outside: direct, deadline, statementTimeout, positionStatement }
    const transaction = createTransaction(options)
    return { unit: new StoreUnit(orm, queue, transaction, deadline, isSingle), transaction }
  }

  /** Retries the whole unit, with a new EntityManager, after a retryable database error or until the queue is open. */
  async function write<T>(
    work: (unit: Unit) => Promise<T>,
    requester?: Requester,
    options: UnitOptions = {},
  ): Promise<T> {
    const { rows, isSingle = false } = options
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

const none: readonly string[] = []

/** The rows as texts. Types that share a table share its rows; those without an entity have none. */
function rowNames(orm: Orm, rows: RowKeys): string[] {
  const names: string[] = []
  for (const [{ entity }, keys] of rows) {
    const meta = orm.getMetadata().find(entity)
    if (meta) for (const key of keys) names.push(`${tableOf(meta.root)} ${key}`)
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

/** A transaction that MikroORM manages: its transaction events need one. */
function managedTransaction(
  em: SqlEntityManager,
  deadline: Deadline | null,
  writes: Database['writes'],
): TransactionControl {
  return {
    async begin() {
      await writes?.acquire()
      await em.begin().catch((error) => {
        writes?.release()
        throw error
      })
    },
    async commit() {
      await em.commit()
      writes?.release()
    },
    async rollback() {
      const transaction = em.getTransactionContext()
      await em.rollback().finally(() => writes?.release())
      // Work that continues after the deadline must not write outside of the transaction.
      if (deadline?.hasExpired && transaction) em.setTransactionContext(transaction)
    },
  }
}

/** Begins and ends a transaction; one without `begin` begins with its first statement. */
interface TransactionControl extends Pick<Transaction, 'commit' | 'rollback'>, Partial<Pick<Transaction, 'position'>> {
  begin?(): Promise<void>
}
