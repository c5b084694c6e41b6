import { createPostgreSqlTypeParsers } from '@mikro-orm/sql'
import { type CustomTypesConfig, Pool, type PoolClient, types } from 'pg'
import type { Deadline, PoolState } from '#kernel/store'
import type { DatabaseLimits } from '../connection/types.ts'
import { createFifoQueue, type FifoQueue } from '../fifo-queue.ts'
import { beginWait } from '../observers.ts'
import { ServerClient, type ServerClientOptions, type Values } from './server-client.ts'
import { Session } from './session.ts'
import { timeParsers } from './time-parsers.ts'

export interface ServerPoolOptions {
  readonly connectionString: string
  readonly limits: DatabaseLimits
  /** The first statement of every connection; null if a connection pooler configures the sessions. */
  readonly session: string | null
  readonly socketTimeout: number
}

/** The connection pool of `pg`, which hands out sessions. */
export class ServerPool {
  readonly options: ServerClientOptions
  /** The connections that writes may use at the same time. */
  readonly writes: FifoQueue
  protected readonly pool: Pool

  constructor({ connectionString, limits, session, socketTimeout }: ServerPoolOptions) {
    const onConnect = session === null ? undefined : (client: ServerClient) => client.startSession(session)
    this.options = {
      connectionString,
      max: limits.connections,
      connectionTimeoutMillis: limits.wait * 1000,
      pipeline: true,
      types: typeParsers,
      Client: ServerClient as never,
      onConnect: onConnect as never,
      maxPrepared: limits.prepared,
      maxResultBytes: limits.resultBytes || Number.POSITIVE_INFINITY,
      socketTimeout,
    }
    this.writes = createFifoQueue(limits.wait * 1000, connectionsForWrites(limits.connections))
    this.pool = new Pool(this.options)
    // Lost idle connections are replaced; running statements report the loss themselves.
    this.pool.on('error', () => {})
  }

  /** Resolves to a connection for exclusive use. `onRelease` is called when it is released, or if there is none. */
  connect(onRelease?: () => void): Promise<Session> {
    const end = beginWait()
    return new Promise((resolve, reject) => {
      this.pool.connect((error, client) => {
        end?.()
        if (client) return resolve(new Session(client as PoolClient & ServerClient, onRelease))
        onRelease?.()
        reject(error)
      })
    })
  }

  /** Resolves to a connection for exclusive use by a write. */
  connectForWrite(): Promise<Session> {
    const waiting = this.writes.acquire()
    const connect = () => this.connect(this.#releaseWrite)
    return waiting ? waiting.finally(beginWait()).then(connect) : connect()
  }

  readonly #releaseWrite = (): void => this.writes.release()

  /** Resolves to a connection for exclusive use, on which a snapshot begins. */
  beginSnapshot(): Promise<Session> {
    return this.connect().then((session) => session.beginSnapshot())
  }

  /** Runs a statement outside of transactions. Cancels it at the deadline. */
  async query(sql: string, values: Values, deadline?: Deadline | null): Promise<Record<string, unknown>[]> {
    const session = await this.connect()
    return session.queryAndRelease(sql, values, deadline)
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.pool
    return { total: totalCount, idle: idleCount, waiting: waitingCount + this.writes.waiting }
  }

  /** Closes all connections, each when it is released. */
  end(): Promise<void> {
    return this.pool.end()
  }
}

/** Leaves a fifth of the connections to reads, also while writes wait for locks. A pool of one connection serves both. */
export function connectionsForWrites(connections: number): number {
  return Math.max(1, connections - Math.ceil(connections / 5))
}

/**
 * Sets the time zone and the time-outs of a session: `idle_in_transaction_session_timeout` frees the rows that a hanging
 * hook has locked. A statement, because connection poolers refuse these settings as start-up parameters.
 */
export function sessionStatement({ statement, idleTransaction }: DatabaseLimits): string {
  return `select set_config('timezone', 'UTC', false), set_config('statement_timeout', '${statement * 1000}', false),
    set_config('idle_in_transaction_session_timeout', '${idleTransaction * 1000}', false)`
}

const textArray = 1009
const varcharArray = 1015
const parseArray = types.getTypeParser(textArray as number, 'text') as (text: string) => string[]

/** Splits an array of texts without quotes, nulls and nested arrays; leaves others to pg's slower parser. */
function parseTextArray(text: string): string[] {
  const items = text.slice(1, -1)
  if (/["\\{}]|NULL/.test(items)) return parseArray(text)
  return items === '' ? [] : items.split(',')
}

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  ...createPostgreSqlTypeParsers(parseArray), // intervals and arrays of times stay texts, as MikroORM expects them
  ...timeParsers,
  [textArray]: parseTextArray,
  [varcharArray]: parseTextArray,
}

const typeParsers: CustomTypesConfig = {
  getTypeParser: (oid: number, format) => parsers[oid] ?? types.getTypeParser(oid, format as 'text'),
}
