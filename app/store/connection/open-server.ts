import type { Configuration } from '@mikro-orm/core'
import { PostgreSqlConnection, PostgreSqlPlatform } from '@mikro-orm/postgresql'
import { AbstractSqlDriver } from '@mikro-orm/sql'
import { PostgresDialect, type PostgresPool } from 'kysely'
import Cursor from 'pg-cursor'
import { encodeArray, type Pool } from '../driver/index.ts'
import { createFifoQueue } from '../fifo-queue.ts'
import { beginWait } from '../observers.ts'
import { RowQueue } from '../row-queue.ts'
import { encodeTime, parseUnusualTime } from '../sql/values/times.ts'
import { beginSnapshotOn } from '../transaction/begin.ts'
import { checkPooler } from './check-pooler.ts'
import { initOrm } from './init-orm.ts'
import { connectionsForWrites, openServerPool, sessionStatement } from './open-server-pool.ts'
import { defaultLimits, ormOptions } from './orm-options.ts'
import { StartupError } from './startup-error.ts'
import type { Database, DatabaseOptions, Orm, Replicas } from './types.ts'

/** Opens a connection pool to a PostgreSQL server, and to its replicas. */
export async function openServer(options: DatabaseOptions, databaseUrl: string): Promise<Database> {
  const url = new URL(databaseUrl)
  const limits = options.databaseLimits ?? defaultLimits
  const isPooled = options.databasePooler === 'transaction'
  const session = isPooled ? null : sessionStatement(limits)
  const socketTimeout = (limits.wait + limits.statement) * 1000
  const pool = await openServerPool({ connectionString: databaseUrl, limits, session, socketTimeout }, options.clock)
  const orm = await mapOnServer(options, url, pool)
  await checkReachable(orm, url)
  const query = pool.query.bind(pool)
  const beginSnapshot = () => pool.connect().then(beginSnapshotOn)
  const writes = createFifoQueue(limits.wait * 1000, connectionsForWrites(limits.connections))
  const releaseWrite = () => writes.release()
  let replicas: Replicas | null = null
  try {
    if (isPooled) await checkPooler(query, limits)
    if (options.replicaUrls?.length) {
      const { openReplicas } = await import('#replicas')
      replicas = await openReplicas({ ...options, databaseUrl, limits, isPooled, primary: { query, beginSnapshot } })
    }
  } catch (error) {
    await orm.close()
    throw error
  }
  return {
    orm,
    kind: 'server',
    url: databaseUrl,
    query,
    connect: () => pool.connect(),
    connectForWrite() {
      const waiting = writes.acquire()
      return waiting ? waiting.finally(beginWait()).then(() => pool.connect(releaseWrite)) : pool.connect(releaseWrite)
    },
    writes,
    rowQueue: new RowQueue(limits.statement * 1000, options.clock),
    beginSnapshot,
    ...(replicas && { replicas }),
    keepsSession: !isPooled,
    statementTimeout: limits.statement * 1000,
    pool() {
      const { state } = pool
      return { ...state, waiting: state.waiting + writes.waiting }
    },
    async close() {
      await replicas?.close()
      await orm.close()
    },
  }
}

function mapOnServer(options: DatabaseOptions, url: URL, pool: Pool): Promise<Orm> {
  const dialect = new PostgresDialect({ pool: pool as unknown as PostgresPool, cursor: Cursor })
  return initOrm({
    ...ormOptions(options),
    driver: ServerDriver as never,
    dbName: databaseName(url),
    // A function, because MikroORM copies a plain object deeply.
    driverOptions: () => dialect,
  })
}

class ServerPlatform extends PostgreSqlPlatform {
  override marshallArray(items: string[]): string {
    return encodeArray(items)
  }

  override parseDate(value: string): Date {
    return (typeof value === 'string' ? parseUnusualTime(value) : undefined) ?? super.parseDate(value)
  }

  override formatDate(value: Date): string {
    return encodeTime(value)
  }
}

class ServerDriver extends AbstractSqlDriver<PostgreSqlConnection> {
  constructor(config: Configuration) {
    super(config, new ServerPlatform(), PostgreSqlConnection, ['kysely', 'pg'])
  }
}

async function checkReachable(orm: Orm, url: URL): Promise<void> {
  await orm.connect()
  const check = await orm.checkConnection()
  if (check.ok) return
  await orm.close()
  const server = `${url.hostname || 'localhost'}:${url.port || 5432}`
  throw new StartupError(
    `PostgreSQL at ${server} (database "${databaseName(url)}") cannot be used: ${describeConnectionError(check.error)}.`,
  )
}

function databaseName(url: URL): string {
  return decodeURIComponent(url.pathname.slice(1))
}

/** A host name with several addresses fails with an AggregateError, whose own message is empty. */
function describeConnectionError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeConnectionError).join(', ')
  return error instanceof Error ? error.message : String(error)
}
