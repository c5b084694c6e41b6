import { MikroORM } from '@mikro-orm/postgresql'
import type { PoolState } from '#kernel'
import { type Client, type Pool, sessionOf, startClient } from './clients.ts'
import { type Database, type DatabaseOptions, defaultLimits, type Orm, ormOptions } from './database.ts'
import { StartupError } from './startup-error.ts'

export async function openServer(options: DatabaseOptions, databaseUrl: string): Promise<Database> {
  const url = new URL(databaseUrl)
  const limits = options.databaseLimits ?? defaultLimits
  const session = sessionOf(limits)
  let pool: Pool | undefined
  let connect: Pool['connect'] | undefined
  const orm = (await MikroORM.init({
    ...ormOptions(options),
    dbName: databaseName(url),
    pool: { max: limits.connections },
    driverOptions: {
      connectionString: databaseUrl,
      connectionTimeoutMillis: limits.wait * 1000,
      onPoolCreated: (created: Pool) => {
        pool = created
        connect = created.connect.bind(created)
        watchOver(created, session)
      },
    },
  })) as unknown as Orm
  await checkReachable(orm, url)
  return {
    orm,
    kind: 'server',
    close: () => orm.close(),
    query: (sql, values) => queryDirectly(connect as Pool['connect'], session, sql, values),
    pool: () => stateOf(pool as Pool),
  }
}

/**
 * A connection that is lost while it is in use leaves the pool at once. After a failed `begin` or `rollback` nobody
 * gives it back, and a pool that lost all its connections that way would be empty for ever.
 */
function watchOver(pool: Pool, session: string): void {
  const connect = pool.connect.bind(pool)
  pool.connect = async () => {
    const client = await connect()
    const { release } = client
    const lost = () => client.release(true)
    client.once('end', lost)
    client.release = (error) => {
      client.release = () => {}
      client.off('end', lost)
      release(error)
    }
    await startClient(client, session)
    return client
  }
}

/** Whoever asks gives the connection back, whatever happens to it. */
async function queryDirectly(
  connect: Pool['connect'],
  session: string,
  sql: string,
  values: readonly unknown[],
): Promise<Record<string, unknown>[]> {
  const client: Client = await connect()
  await startClient(client, session)
  try {
    return (await client.query(sql, values)).rows
  } finally {
    client.release()
  }
}

function stateOf({ totalCount, idleCount, waitingCount }: Pool): PoolState {
  return { total: totalCount, idle: idleCount, waiting: waitingCount }
}

async function checkReachable(orm: Orm, url: URL): Promise<void> {
  await orm.connect()
  const check = await orm.checkConnection()
  if (check.ok) return
  await orm.close()
  const place = `${url.hostname || 'localhost'}:${url.port || 5432}`
  throw new StartupError(
    `PostgreSQL at ${place} (database "${databaseName(url)}") cannot be used: ${reason(check.error)}.`,
  )
}

function databaseName(url: URL): string {
  return decodeURIComponent(url.pathname.slice(1))
}

/** A host name with several addresses fails with an AggregateError, whose own message is empty. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join(', ')
  return error instanceof Error ? error.message : String(error)
}
