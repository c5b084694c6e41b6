import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { nulCharacterError } from '#store/driver/index.ts'
import type { FifoQueue } from '#store/fifo-queue.ts'
import { beginWait } from '#store/observers.ts'
import { runObserved } from './run-observed.ts'

/**
 * Wraps Kysely's dialect of PGlite: observes statements and puts requests for the one connection in a queue. Kysely's own
 * mutex has neither an order nor a time-out; `PostgresAdapter` disables it.
 */
export function createEmbeddedDialect(dialect: Dialect, queue: FifoQueue): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(dialect.createDriver(), queue),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

function createDriver(pglite: Driver, queue: FifoQueue): Driver {
  let connection: DatabaseConnection
  let observed: DatabaseConnection
  let isReadOnly = false
  return {
    async init(options) {
      await pglite.init(options)
      connection = await pglite.acquireConnection()
      observed = observeConnection(connection)
    },
    async acquireConnection() {
      const end = beginWait()
      try {
        await queue.acquire()
      } finally {
        end?.()
      }
      return observed
    },
    async releaseConnection() {
      queue.release()
    },
    // PGlite begins and ends a transaction by a function, without statements.
    async beginTransaction(_connection, settings) {
      isReadOnly = settings.accessMode === 'read only'
      await runObserved('begin', [], () => pglite.beginTransaction(connection, settings))
      const modes = toModes(settings)
      try {
        if (modes) await connection.executeQuery(CompiledQuery.raw(`set transaction ${modes}`))
      } catch (error) {
        // Kysely neither rolls back nor releases the connection of a transaction that could not begin.
        await pglite.rollbackTransaction(connection)
        queue.release()
        throw error
      }
    },
    commitTransaction: () =>
      runObserved('commit', [], async () => {
        // Fails if a statement of the transaction has failed: the commit would roll back without an error.
        if (!isReadOnly) await connection.executeQuery(CompiledQuery.raw('select 1'))
        await pglite.commitTransaction(connection)
      }),
    rollbackTransaction: () => runObserved('rollback', [], () => pglite.rollbackTransaction(connection)),
    savepoint: async (...options) => pglite.savepoint?.(...options),
    rollbackToSavepoint: async (...options) => pglite.rollbackToSavepoint?.(...options),
    releaseSavepoint: async (...options) => pglite.releaseSavepoint?.(...options),
    destroy: () => pglite.destroy(),
  }
}

/** Kysely's driver of PGlite ignores the settings. */
function toModes({ isolationLevel, accessMode }: TransactionSettings): string {
  return [...(isolationLevel ? [`isolation level ${isolationLevel}`] : []), ...(accessMode ? [accessMode] : [])].join(
    ' ',
  )
}

function observeConnection(connection: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery(query, options) {
      if (query.sql.includes('\0')) throw nulCharacterError()
      return runObserved(query.sql, query.parameters, () => connection.executeQuery(query, options), countRows)
    },
    streamQuery: (...options) => connection.streamQuery(...options),
  }
}

function countRows({ rows, numAffectedRows }: QueryResult<unknown>): number {
  return rows.length || Number(numAffectedRows ?? 0)
}
