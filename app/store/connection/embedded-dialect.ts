import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  type TransactionSettings,
} from 'kysely'
import { logStatement } from '../driver/statement-log.ts'
import type { FifoQueue } from './fifo-queue.ts'

/**
 * Wraps Kysely's dialect of PGlite: logs statements and puts requests for the one connection in a queue. Kysely's own
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
  let logged: DatabaseConnection
  return {
    async init(options) {
      await pglite.init(options)
      connection = await pglite.acquireConnection()
      logged = logStatementsOf(connection)
    },
    async acquireConnection() {
      await queue.acquire()
      return logged
    },
    async releaseConnection() {
      queue.release()
    },
    // PGlite begins and ends a transaction by a function, without statements.
    async beginTransaction(_connection, settings) {
      logStatement('begin')
      await pglite.beginTransaction(connection, settings)
      const modes = modesOf(settings)
      try {
        if (modes) await connection.executeQuery(CompiledQuery.raw(`set transaction ${modes}`))
      } catch (error) {
        // Kysely neither rolls back nor releases the connection of a transaction that could not begin.
        await pglite.rollbackTransaction(connection)
        queue.release()
        throw error
      }
    },
    commitTransaction() {
      logStatement('commit')
      return pglite.commitTransaction(connection)
    },
    rollbackTransaction() {
      logStatement('rollback')
      return pglite.rollbackTransaction(connection)
    },
    savepoint: async (...options) => pglite.savepoint?.(...options),
    rollbackToSavepoint: async (...options) => pglite.rollbackToSavepoint?.(...options),
    releaseSavepoint: async (...options) => pglite.releaseSavepoint?.(...options),
    destroy: () => pglite.destroy(),
  }
}

/** Kysely's driver of PGlite ignores the settings. */
function modesOf({ isolationLevel, accessMode }: TransactionSettings): string {
  return [...(isolationLevel ? [`isolation level ${isolationLevel}`] : []), ...(accessMode ? [accessMode] : [])].join(
    ' ',
  )
}

function logStatementsOf(connection: DatabaseConnection): DatabaseConnection {
  return {
    executeQuery(query, options) {
      logStatement(query.sql, query.parameters)
      return connection.executeQuery(query, options)
    },
    streamQuery: (...options) => connection.streamQuery(...options),
  }
}
