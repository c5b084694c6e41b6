import type { EntityShape } from '../schema/entity-shape.ts'
import type { EntityClass } from '../schema/entity-types.ts'
import type { Relation, Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Context, Requester } from './context.ts'
import type { Persister, StatementWriter } from './persister.ts'
import type { Provider } from './provider.ts'

/** The data layer. */
export interface Store {
  readonly provider: Provider
  readonly persister: Persister
  readonly statements: StatementWriter
  /** Whether all writes of a unit are rolled back if it fails. */
  readonly transactional: boolean
  /** Null if the store does not have the entity. */
  describe(entity: EntityClass<object>): EntityShape | null
  /** Counts the rows at the end of a path of relations, for each parent in their order, by one statement. */
  countThrough(path: readonly Relation[], parents: readonly Row[], context: Context): Promise<number[]>
  /**
   * Runs a unit whose statements all see one state of the database (snapshot), which includes the writes of the requester
   * (read-your-writes). A unit inside another read joins its snapshot. The work may run again from the start.
   */
  read<T>(work: (unit: Unit) => Promise<T>, requester?: Requester, options?: UnitOptions): Promise<T>
  /**
   * Runs a unit in a transaction. Retries it from the start after a serialization failure or a deadlock. Units that change
   * the same rows may run one after the other.
   */
  write<T>(work: (unit: Unit) => Promise<T>, requester?: Requester, options?: UnitOptions): Promise<T>
  /** Runs a statement of a plugin outside of any unit. Throws a 503 if the database cannot answer, as a read does. */
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  /** Returns the names of migrations that have not run. Throws if the database is unavailable. */
  pendingMigrations(): Promise<readonly string[]>
  /**
   * Returns the columns and tables of entities that the database lacks, such as `albums.subtitle`. Throws if the database
   * is unavailable.
   */
  missingColumns(): Promise<readonly string[]>
  /** The state of the connection pool, if there is one. */
  pool?(): PoolState
  /** Adds an observer of the process. Returns the function that removes it. Without observers, there is no cost. */
  observe?(observer: StoreObserver): () => void
}

/** Stored rows by type and key. */
export type RowKeys = ReadonlyMap<ResourceType, ReadonlySet<unknown>>

/**
 * Observes statements, for tracing and logs. The functions run in the async context of the work that sends the
 * statement, and must not throw.
 */
export interface StoreObserver {
  /** Called before a statement is sent. The function that it returns is called with the outcome. */
  onStatement?(statement: Statement): ((outcome: StatementOutcome) => void) | undefined
  /** Called before a connection is acquired. The function that it returns is called afterwards, also after a failure. */
  onWait?(): (() => void) | undefined
}

/** A statement as the driver sends it. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** The SQL with `?` in place of literals, which may be values of clients: for logs and traces. */
  text(): string
}

export interface StatementOutcome {
  /** The number of rows that were returned or written. */
  readonly rows: number
  readonly error?: unknown
}

export interface UnitOptions {
  /**
   * Of a read: one statement is probably enough, so that it needs no snapshot. If it is not, the work runs again in one. Of a
   * write: the statement that writes is the only one, so that it commits by itself, unless `requireTransaction` is called.
   */
  readonly isSingle?: boolean
  /** Called before the work runs again because one statement was not enough. */
  readonly onSecondStatement?: () => void
  /** The rows that a write changes, as far as they are known before. */
  readonly rows?: RowKeys
}

/** The unit of work of one operation or batch. The store adds its access to entities by declaration merging. */
export interface Unit {
  /** Whether the unit has entities, which a hook may have changed. */
  readonly hasEntities: boolean
  /** The values of an entity as they are stored: another object after a change is saved. Undefined for other objects. */
  storedValues(entity: object): object | undefined
  /** Writes the pending changes of entities. */
  saveEntities(): Promise<void>
  /** Runs the work. Its queries do not write pending changes before. */
  withoutAutoFlush<T>(work: () => Promise<T>): Promise<T>
  /**
   * Writes the pending changes of entities, then removes all entities from the unit: the next operation of a batch
   * starts with the rows of the database, as a request of its own does.
   */
  releaseEntities(): Promise<void>
  /** Runs a statement of a plugin inside the transaction. */
  run(sql: string, parameters: readonly unknown[]): Promise<Row[]>
  /** How many statements were sent, and how often hooks and functions of authors have used entities. */
  readonly useCount: number
  /** Keeps the transaction open until the end of the unit, also if one statement is enough for its writes. */
  requireTransaction(): void
  /** Whether a statement has committed the writes by itself: an error can no longer roll them back. */
  readonly hasCommitted: boolean
  /**
   * Whether the database refused a row of a statement: other rows may be written. After other errors of the database the unit
   * is repeated, or the statement may have been executed.
   */
  isRowRefusal(error: unknown): boolean
  /** Calls the function if the unit fails: for writes that are not part of its transaction. */
  onRollback(undo: () => void): void
  /** Adds a job to the queue with the commit. Returns its id. */
  enqueue(job: string, data: object): Promise<string>
  /** Removes a job from the queue. A running job is cancelled: its `finish` returns false. */
  dequeue(job: string, id: string): Promise<void>
}

/** Numbers of connections. */
export interface PoolState {
  readonly total: number
  readonly idle: number
  /** Requests that wait for a connection. */
  readonly waiting: number
}
