import { MikroORM } from '@mikro-orm/postgresql'
import { type Database, type DatabaseOptions, type Orm, ormOptions } from './database.ts'
import { prepareReads } from './prepared.ts'
import { StartupError } from './startup-error.ts'

export async function openServer(options: DatabaseOptions, databaseUrl: string): Promise<Database> {
  const url = new URL(databaseUrl)
  const orm = (await MikroORM.init({
    // A connection pooler refuses statement_timeout as a start-up parameter, so it is set in the session.
    ...ormOptions(options, { timezone: 'UTC', statement_timeout: '10s' }),
    dbName: databaseName(url),
    pool: { max: 10 },
    driverOptions: {
      connectionString: databaseUrl,
      connectionTimeoutMillis: 5_000,
      onPoolCreated: giveUpLostConnections,
    },
  })) as unknown as Orm
  await checkReachable(orm, url)
  return { orm, kind: 'server', close: () => orm.close() }
}

interface Client {
  query(...args: unknown[]): unknown
  release(error?: boolean): void
  once(event: 'end', listener: () => void): void
  off(event: 'end', listener: () => void): void
}

/**
 * A connection that is lost while it is in use leaves the pool at once. After a failed `begin` or `rollback` nobody
 * gives it back, and a pool that lost all its connections that way would be empty for ever.
 */
function giveUpLostConnections(pool: { connect(): Promise<Client> }): void {
  const connect = pool.connect.bind(pool)
  pool.connect = async () => {
    const client = await connect()
    prepareReads(client)
    const { release } = client
    const lost = () => client.release(true)
    client.once('end', lost)
    client.release = (error) => {
      client.release = () => {}
      client.off('end', lost)
      release(error)
    }
    return client
  }
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
