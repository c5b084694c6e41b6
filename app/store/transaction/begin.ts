// Begins, commits and rolls back all transactions of the process.

import type { SqlEntityManager } from '@mikro-orm/sql'
import { CompiledQuery, type ControlledTransaction } from 'kysely'
import type { Orm, SnapshotConnection } from '../connection/types.ts'
import type { Connection, StatementResult } from '../driver/index.ts'

export type TransactionEnd = 'commit' | 'rollback'

/** Sends `begin`. Statements may be sent behind it, before its answer. */
export function beginOn(connection: Connection): Promise<StatementResult> {
  return connection.query('begin')
}

/** Commits or rolls back. Rejects if the server answers a commit with a rollback, because a statement has failed. */
export function endOn(connection: Connection, end: TransactionEnd): Promise<StatementResult> {
  return connection.query(end)
}

/** Begins a snapshot, without waiting for the answer. If that fails, so does every statement. */
export function beginSnapshotOn(connection: Connection): SnapshotConnection {
  let isBegun = false
  const begun = connection.query('begin isolation level repeatable read read only').then(() => {
    isBegun = true
    snapshot.query = connection.query.bind(connection)
  })
  begun.catch(() => {}) // every statement reports it
  const snapshot: SnapshotConnection = {
    // A statement that succeeds although `begin` has failed was not part of the snapshot.
    query: (sql, values) =>
      connection.query(sql, values).then((result) => (isBegun ? result : begun.then(() => result))),
    cancel: () => connection.cancel(),
    // The next user of the connection sends its statements behind this one. A lost connection leaves the pool by itself.
    end(statement) {
      connection.query(statement).catch(() => {})
      connection.release()
    },
  }
  return snapshot
}

/**
 * Begins a snapshot by Kysely. On the embedded database, which has one connection, other requests wait for its end, and
 * PGlite keeps statements of the job queue out of the transaction.
 */
export async function beginKyselySnapshot(orm: Orm): Promise<SnapshotConnection> {
  const transaction = await beginByKysely(orm, 'snapshot')
  return {
    async query(sql, parameters) {
      const { rows } = await transaction.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql, [...parameters]))
      return { rows, command: 'SELECT', rowCount: rows.length }
    },
    // PGlite blocks the event loop while it executes a statement, so that there is never one to cancel.
    cancel: async () => {},
    // Kysely releases the connection of a failed commit by the rollback.
    end: (statement) =>
      void transaction[statement]()
        .execute()
        .catch(() => transaction.rollback().execute())
        .catch(() => {}),
  }
}

/** Begins a transaction by Kysely. A snapshot refuses writes. */
export function beginByKysely(orm: Orm, kind: 'write' | 'snapshot'): Promise<ControlledTransaction<unknown>> {
  const beginning = orm.em.getKysely<unknown>().startTransaction()
  return kind === 'write'
    ? beginning.execute()
    : beginning.setIsolationLevel('repeatable read').setAccessMode('read only').execute()
}

/** Begins a transaction that MikroORM manages, with its transaction events. */
export function beginByOrm(em: SqlEntityManager): Promise<void> {
  return em.begin()
}

export function endByOrm(em: SqlEntityManager, end: TransactionEnd): Promise<void> {
  return em[end]()
}

/** Runs the work in a transaction that MikroORM manages: for scripts, migrations and seeds. */
export function inTransaction<T>(em: SqlEntityManager, work: (em: SqlEntityManager) => Promise<T>): Promise<T> {
  return em.transactional(work)
}
