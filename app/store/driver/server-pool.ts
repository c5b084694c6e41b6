import { Pool, type PoolClient, types } from 'pg'
import type { Deadline, PoolState, Row } from '#kernel/store'
import type { Pool as DriverPool, PoolOptions, Values } from './contract.ts'
import { ServerClient, type ServerClientOptions } from './server-client.ts'
import { Session } from './session.ts'

/** The connection pool of `pg`, which hands out sessions. */
export class ServerPool implements DriverPool {
  readonly options: ServerClientOptions
  protected readonly pool: Pool

  constructor({ connectionString, limits, session, socketTimeout, parsers, observer }: PoolOptions) {
    const onConnect = session === null ? undefined : (client: ServerClient) => client.startSession(session)
    this.options = {
      connectionString,
      max: limits.connections,
      connectionTimeoutMillis: limits.wait * 1000,
      pipeline: true,
      types: { getTypeParser: (oid: number, format) => parsers[oid] ?? types.getTypeParser(oid, format as 'text') },
      Client: ServerClient as never,
      onConnect: onConnect as never,
      maxPrepared: limits.prepared,
      maxResultBytes: limits.resultBytes || Number.POSITIVE_INFINITY,
      socketTimeout,
      observer,
    }
    this.pool = new Pool(this.options)
    // Lost idle connections are replaced; running statements report the loss themselves.
    this.pool.on('error', () => {})
  }

  connect(onRelease?: () => void): Promise<Session> {
    const end = this.options.observer.beginWait()
    return new Promise((resolve, reject) => {
      this.pool.connect((error, client) => {
        end?.()
        if (client) return resolve(new Session(client as PoolClient & ServerClient, onRelease))
        onRelease?.()
        reject(error)
      })
    })
  }

  async query(sql: string, values: Values, deadline?: Deadline | null): Promise<Row[]> {
    const session = await this.connect()
    return session.queryAndRelease(sql, values, deadline)
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.pool
    return { total: totalCount, idle: idleCount, waiting: waitingCount }
  }

  end(): Promise<void> {
    return this.pool.end()
  }
}
