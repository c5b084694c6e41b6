import type { MikroORM } from '@mikro-orm/core'
import type { AbstractSqlDriver, SqlEntityManager } from '@mikro-orm/sql'
import type { Deadline, Logger, PoolState } from '#kernel/store'
import type { Client } from '../driver/session.ts'
import type { Replicas } from '../replicas/replicas.ts'

export type Orm = MikroORM<AbstractSqlDriver, SqlEntityManager>

export interface Database {
  readonly orm: Orm
  readonly kind: 'embedded' | 'server'
  /** A statement outside of any transaction, straight to the driver. */
  readonly query?: DirectQuery
  /** A connection for somebody alone, who gives it back. */
  connect?(): Promise<Client>
  /** Servers that follow this one, and may be asked instead. */
  readonly replicas?: Replicas
  /** Whether a connection keeps its session, so that it can listen; a pooler gives it another in every transaction. */
  readonly keepsSession: boolean
  /** The statement_timeout of its connections, in milliseconds. */
  readonly statementTimeout?: number
  /** Its connections, when there are several. */
  pool?(): PoolState
  close(): Promise<void>
}

/** Processes on one host that know of each other. */
export interface Peers {
  /** Something that can be sent. */
  tell(said: unknown): void
  hear(listener: (said: unknown) => void): void
}

export type DirectQuery = (
  sql: string,
  parameters: readonly unknown[],
  deadline?: Deadline | null,
) => Promise<Record<string, unknown>[]>

export interface DatabaseOptions {
  /** A PostgreSQL server; null means the embedded database. */
  readonly databaseUrl: string | null
  readonly databaseLimits?: DatabaseLimits
  /** What stands between this process and the server. */
  readonly databasePooler?: 'none' | 'transaction'
  /** Servers that follow the one of `databaseUrl`. */
  readonly replicaUrls?: readonly string[]
  /** Other processes that serve the same clients. */
  readonly peers?: Peers | undefined
  /** Is told of replicas that go and come. */
  readonly logger?: Logger
  /** Where the embedded database lives; null means in memory. */
  readonly dataDir: string | null
  /** Entity classes or schemas. */
  readonly entities: readonly object[]
  readonly migrations: readonly { readonly name: string; readonly class: abstract new (...args: never[]) => object }[]
  /** Prints every statement of MikroORM. */
  readonly debug?: boolean
}

/** What a server is asked to bear; times in seconds. */
export interface DatabaseLimits {
  /** Connections. */
  readonly connections: number
  /** How long a request waits for one of them. */
  readonly wait: number
  /** How long a statement may take. */
  readonly statement: number
  /** How long a transaction may be open in which nothing happens. */
  readonly idleTransaction: number
  /** Statements that get a name on each connection. */
  readonly prepared: number
  /** How far a replica may be behind. */
  readonly replicaLag: number
}
