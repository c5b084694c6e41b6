import { createQueue } from '#jobs'
import type { Store } from '#kernel/store'
import type { Database, DirectQuery } from './connection/types.ts'
import { throwReadError } from './errors/api-errors.ts'
import { pendingMigrations } from './migrations/migration-status.ts'
import { missingColumns } from './migrations/missing-columns.ts'
import { observeStore } from './observers.ts'
import { countThrough } from './read/count.ts'
import { sqlProvider } from './read/sql-provider.ts'
import { describeEntity } from './sql/describe-entity.ts'
import { describeTable } from './sql/describe-table.ts'
import { beginKyselySnapshot } from './transaction/begin.ts'
import { currentRead } from './transaction/read-connection.ts'
import { primarySource } from './transaction/read-source.ts'
import { runRead } from './transaction/run-read.ts'
import { createWrite } from './transaction/run-write.ts'
import { runIn, StoreUnit } from './unit.ts'
import { storePersister } from './write/entity-writer.ts'
import { createStatementWriter } from './write/statement-writer.ts'

/** A database, or only its entities: for scripts that send no statement. */
type Opened = Pick<Database, 'orm'> & Partial<Database>

/** The built-in data layer on MikroORM. Statements go directly to the driver if the database has a `query` function. */
export function createStore(opened: Opened): Store {
  const {
    orm,
    url,
    query: direct,
    beginSnapshot = () => beginKyselySnapshot(orm),
    pool,
    replicas,
    keepsSession = true,
  } = opened
  const query: DirectQuery = direct ?? ((sql, parameters) => runIn(orm.em.fork(), sql, parameters))
  const primary = primarySource({ query, beginSnapshot })
  const queue = createQueue({ orm, url, listens: keepsSession }, (...work) => write(...work))
  const write = createWrite(opened, queue)
  return {
    queue,
    provider: sqlProvider,
    persister: storePersister,
    statements: createStatementWriter(orm),
    transactional: true,
    countThrough,
    describe(entity) {
      const meta = orm.getMetadata().find(entity)
      return meta ? { ...describeEntity(meta), table: () => describeTable(meta, orm) } : null
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
      return query(sql, parameters).catch(throwReadError)
    },
    pendingMigrations: () => pendingMigrations({ orm }),
    missingColumns: () => missingColumns({ orm }),
    ...(pool && { pool }),
    ...(replicas && { replicas: () => replicas.states() }),
    observe: observeStore,
  }
}
