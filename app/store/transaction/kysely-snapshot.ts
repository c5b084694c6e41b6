import { CompiledQuery } from 'kysely'
import type { Orm, SnapshotConnection } from '../connection/types.ts'

/**
 * Begins a snapshot by Kysely. On the embedded database, which has one connection, other requests wait for its end, and
 * PGlite keeps statements of the job queue out of the transaction.
 */
export async function beginKyselySnapshot(orm: Orm): Promise<SnapshotConnection> {
  const transaction = await orm.em
    .getKysely()
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
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
