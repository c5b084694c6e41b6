import type { PGlite } from '@electric-sql/pglite'
import type { MikroORM } from '@mikro-orm/core'
import type { AbstractSqlDriver, SqlEntityManager } from '@mikro-orm/sql'
import type { Queue } from '#app/jobs/contract.ts'
import type { ReplicaState } from '#app/replicas/replica-state.ts'
import type { Clock, Deadline, Logger, PoolState, Requester, Row } from '#kernel/store'
import type { Connection, PoolLimits, StatementResult } from '../driver/index.ts'
import type { FifoQueue } from '../fifo-queue.ts'
import type { RowQueue } from '../row-queue.ts'
import type { TransactionEnd } from '../transaction/begin.ts'
import type { ReadSource } from '../transaction/read-source.ts'

export type Orm = MikroORM<AbstractSqlDriver, SqlEntityManager>

export interface Database {
  readonly orm: Orm
  readonly kind: 'embedded' | 'server'
  readonly url?: string
  /** Runs a statement outside of transactions, without MikroORM. */
  readonly query?: DirectQuery
  /** Resolves to a connection for exclusive use, which the caller must release. */
  readonly connect?: () => Promise<Connection>
  /** The same for a write: fewer connections than the pool has, so that writes which wait for locks leave some to reads. */
  readonly connectForWrite?: () => Promise<Connection>
  /** The connections that writes may use at the same time. */
  readonly writes?: FifoQueue
  /** Orders the writes of a row before they take a connection. */
  readonly rowQueue?: RowQueue
  /** Begins a snapshot without MikroORM. */
  readonly beginSnapshot?: () => Promise<SnapshotConnection>
  readonly replicas?: Replicas
  /** Whether a connection keeps its session and can LISTEN; a connection pooler changes it with every transaction. */
  readonly keepsSession: boolean
  /** The statement_timeout of its connections, in milliseconds. */
  readonly statementTimeout?: number
  /** Throws if the disk of the embedded database is nearly full. */
  readonly checkDiskSpace?: () => Promise<void>
  readonly pool?: () => PoolState
  close(): Promise<void>
}

/** A connection for exclusive use, in a read-only transaction whose statements all see one state of the database. */
export interface SnapshotConnection {
  query(sql: string, parameters: readonly unknown[]): Promise<StatementResult>
  /** Cancels the running statement. Must resolve before `end` is called. */
  cancel(): Promise<void>
  /** Ends the transaction behind the statements already sent, and releases the connection. Does not wait for the answer. */
  end(statement: TransactionEnd): void
}

/** The queue as units of the store use it, inside their transactions. */
export interface StoreQueue extends Queue {
  add(job: string, data: object, em: SqlEntityManager): Promise<string>
  remove(job: string, id: string, em: SqlEntityManager): Promise<void>
}

/** Replicas that serve reads with read-your-writes consistency, within the allowed replication lag. */
export interface Replicas {
  /** Returns the source of one read: a replica with the primary as its fallback, or the primary. */
  sourceFor(requester?: Requester): ReadSource
  /** The statement that reads the position for `recordWrite`, after the commit. */
  readonly positionStatement: string
  /**
   * Called after a commit: later reads of this client see the write. Waits a short time for the replicas. `position`: null
   * if the connection of the write has not returned it.
   */
  recordWrite(requester: Requester | undefined, position: bigint | null): Promise<void>
  states(): readonly ReplicaState[]
  close(): Promise<void>
}

/** The other processes on this host that serve the same clients. */
export interface Peers {
  /** Sends a message, which must survive a structured clone, to all of them. */
  broadcast(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

export type DirectQuery = (sql: string, parameters: readonly unknown[], deadline?: Deadline | null) => Promise<Row[]>

export interface DatabaseOptions {
  /** URL of a PostgreSQL server; null opens the embedded database. */
  readonly databaseUrl: string | null
  readonly databaseLimits?: DatabaseLimits
  /** The pooling mode of a connection pooler between this process and the server. */
  readonly databasePooler?: 'none' | 'transaction'
  readonly replicaUrls?: readonly string[]
  readonly peers?: Peers | undefined
  /** Logs replicas that become unreachable and reachable, and failures of background work. */
  readonly logger?: Logger
  /** Directory of the embedded database; null keeps it in memory. */
  readonly dataDir: string | null
  /** An open PGlite in memory, which the caller closes; injected by tests. */
  readonly pglite?: PGlite
  /** Entity classes or schemas. */
  readonly entities: readonly object[]
  readonly migrations: readonly {
    readonly name: string
    readonly class: (abstract new (
      ...args: never[]
    ) => object) & {
      /** Extensions of PostgreSQL that the embedded database loads, as far as it has them. */
      readonly extensions?: readonly string[]
    }
    /** The path for messages, relative to the project. Undefined for the migration of a plugin. */
    readonly file?: string
  }[]
  /** The table of the applied migrations; default: `migrations`. */
  readonly migrationsTable?: string
  /** Prints every statement of MikroORM. */
  readonly debug?: boolean
  /** Measures the free disk space of the embedded database; injected by tests. */
  readonly freeBytes?: () => Promise<number>
  /** Measures the execution time of statements, and starts background work; injected by tests. */
  readonly clock?: Clock
}

/** Limits of a server; times in seconds. */
export interface DatabaseLimits extends PoolLimits {
  /** statement_timeout. */
  readonly statement: number
  /** idle_in_transaction_session_timeout. */
  readonly idleTransaction: number
  /** Replication lag beyond which a replica serves no reads. */
  readonly replicaLag: number
}
