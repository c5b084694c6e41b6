import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '#store'
import type { SnapshotConnection } from '#store/connection/types.ts'
import { beginKyselySnapshot } from '#store/transaction/begin.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'

/** Runs a function outside of the read that calls it, as another request does. */
const outside = AsyncLocalStorage.snapshot()

/** A database on which another transaction commits between two statements of a read. */
export interface InterleavedDatabase {
  readonly database: Database
  /** Runs the write before the statement with this number, counted from 1 from now on. */
  arm(statement: number, write: readonly string[]): void
  /** Resolves when the write is committed. Throws if it has not begun. */
  written(): Promise<void>
}

export async function interleavedDatabase(): Promise<InterleavedDatabase> {
  const database = await libraryDatabase()
  let armed: { statement: number; readonly write: readonly string[] } | null = null
  let writing: Promise<void> | null = null

  const commit = (write: readonly string[]) =>
    outside(() =>
      database.orm.em.fork().transactional(async (em) => {
        for (const sql of write) await em.execute(sql)
      }),
    )
  const beforeStatement = async () => {
    if (!armed || --armed.statement > 0) return
    const { write } = armed
    armed = null
    writing = commit(write)
    // The embedded database has one connection: the write waits for the end of the snapshot.
    if (database.kind === 'server') await writing
  }
  const interleave = (connection: SnapshotConnection): SnapshotConnection => ({
    async query(sql, parameters) {
      await beforeStatement()
      return connection.query(sql, parameters)
    },
    cancel: () => connection.cancel(),
    end: (statement) => connection.end(statement),
  })
  const begin = database.beginSnapshot ?? (() => beginKyselySnapshot(database.orm))
  const { query } = database
  return {
    database: {
      ...database,
      beginSnapshot: async () => interleave(await begin()),
      ...(query && {
        async query(sql, parameters, deadline) {
          await beforeStatement()
          return query(sql, parameters, deadline)
        },
      }),
    },
    arm(statement, write) {
      armed = { statement, write }
      writing = null
    },
    async written() {
      if (!writing) throw new Error('The read has sent fewer statements than expected.')
      await writing
    },
  }
}
