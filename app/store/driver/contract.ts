// The interface of the driver: three functions of a pool and five of a connection. `index.ts` exports it.

import type { Deadline, PoolState, Row, StatementOutcome } from '#kernel/store'

/** A connection pool. */
export interface Pool {
  /** Runs a statement outside of transactions, on a shared connection if it is fast. Cancels it at the deadline. */
  query(sql: string, values: Values, deadline?: Deadline | null): Promise<Row[]>
  /** Resolves to a connection for exclusive use. `onRelease` is called when it is released, or if there is none. */
  connect(onRelease?: () => void): Promise<Connection>
  /** Closes all connections, each when it is released. */
  end(): Promise<void>
  readonly state: PoolState
}

/** A connection for exclusive use, until it is released. */
export interface Connection {
  /** Sends a statement without waiting for the answers to earlier ones. */
  query(sql: string, values?: Values): Promise<StatementResult>
  /** Sends one statement and releases the connection. Cancels the statement at the deadline. */
  queryAndRelease(sql: string, values: Values, deadline?: Deadline | null): Promise<Row[]>
  /** Cancels the running statement, which fails with SQLSTATE 57014. */
  cancel(): Promise<void>
  /** Lets statements take any time, or return any number of bytes, until the connection is released. */
  disableLimit(limit: ConnectionLimit): void
  /** Gives the connection back to the pool, or closes it. Further calls have no effect. */
  release(isBroken?: boolean): void
}

export type Values = readonly unknown[]

export interface StatementResult {
  readonly rows: Row[]
  /** The SQL command, INSERT for example. */
  readonly command: string
  readonly rowCount: number
}

/** A limit of a connection that can be disabled. */
export type ConnectionLimit = 'socket time-out' | 'result bytes'

export interface PoolOptions {
  readonly connectionString: string
  readonly limits: PoolLimits
  /** The first statement of every connection; null if a connection pooler configures the sessions. */
  readonly session: string | null
  /** Milliseconds without a byte from the server after which a connection with a running statement is closed. */
  readonly socketTimeout: number
  /** Parsers of values by the OID of their type. Those of `pg` parse the other types. */
  readonly parsers: Readonly<Record<number, (text: string) => unknown>>
  readonly observer: DriverObserver
}

export interface PoolLimits {
  /** Size of the connection pool. */
  readonly connections: number
  /** Seconds after which a request for a connection fails. */
  readonly wait: number
  /** Prepared statements per connection; 0 prepares none. */
  readonly prepared: number
  /** Bytes of the rows that one statement returns; 0 disables the limit. */
  readonly resultBytes: number
}

/** Functions that the driver calls before a statement is sent, and before a connection is acquired. */
export interface DriverObserver {
  /** Returns the function to call with the outcome of the statement, if any. */
  beginStatement(sql: string, values: Values): ((outcome: StatementOutcome) => void) | undefined
  /** Returns the function to call when the wait has ended, if any. */
  beginWait(): (() => void) | undefined
}
