import { MikroORM } from '@mikro-orm/postgresql'
import type { PoolState } from '#kernel/store'
import { forgetTransaction, type Pool, type Setup, setupOf, startClient } from '../driver/session.ts'
import { createLanes, type Lanes } from '../driver-pipelined/pipelined-pool.ts'
import { RowClient } from '../driver-pipelined/row-client.ts'
import { checkPooler } from './check-pooler.ts'
import { defaultLimits, ormOptions } from './orm-options.ts'
import { StartupError } from './startup-error.ts'
import type { Database, DatabaseOptions, Orm } from './types.ts'

export async function openServer(options: DatabaseOptions, databaseUrl: string): Promise<Database> {
  const url = new URL(databaseUrl)
  const limits = options.databaseLimits ?? defaultLimits
  const setup = setupOf(limits, options.databasePooler)
  let created: { readonly pool: Pool; readonly lanes: Lanes } | undefined
  const orm = (await MikroORM.init({
    ...ormOptions(options),
    dbName: databaseName(url),
    pool: { max: limits.connections },
    driverOptions: {
      connectionString: databaseUrl,
      connectionTimeoutMillis: limits.wait * 1000,
      pipeline: true,
      Client: RowClient,
      onPoolCreated: (pool: Pool) => {
        created = { pool, lanes: createLanes(pool, setup) }
        watchOver(pool, setup)
      },
    },
  })) as unknown as Orm
  await checkReachable(orm, url)
  const { pool, lanes } = created as unknown as NonNullable<typeof created>
  const { query } = lanes
  const replicas = await prepare(orm, async () => {
    if (setup.session === null) await checkPooler(query, limits)
    if (!options.replicaUrls?.length) return null
    const { openReplicas } = await import('../replicas/replicas.ts')
    return openReplicas({ ...options, databaseUrl, limits, pooled: setup.session === null, primary: { pool, query } })
  })
  return {
    orm,
    kind: 'server',
    query,
    connect: () => pool.connect(),
    ...(replicas && { replicas }),
    keepsSession: setup.session !== null,
    statementTimeout: limits.statement * 1000,
    pool: () => stateOf(pool, lanes),
    async close() {
      await replicas?.close()
      await orm.close()
    },
  }
}

/**
 * A connection that is lost while it is in use leaves the pool at once. After a failed `begin` or `rollback` nobody
 * gives it back, and a pool that lost all its connections that way would be empty for ever.
 */
function watchOver(pool: Pool, setup: Setup): void {
  const connect = pool.connect.bind(pool)
  pool.connect = async () => {
    const client = await connect()
    const { release } = client
    const lost = () => client.release(true)
    client.once('end', lost)
    client.release = (error) => {
      client.release = () => {}
      client.off('end', lost)
      forgetTransaction(client)
      release(error)
    }
    await startClient(client, setup)
    return client
  }
}

function stateOf({ totalCount, idleCount, waitingCount }: Pool, lanes: Lanes): PoolState {
  return { total: totalCount, idle: idleCount + lanes.idleCount, waiting: waitingCount }
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

/** Nothing stays open where it fails. */
async function prepare<T>(orm: Orm, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await orm.close()
    throw error
  }
}

function databaseName(url: URL): string {
  return decodeURIComponent(url.pathname.slice(1))
}

/** A host name with several addresses fails with an AggregateError, whose own message is empty. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join(', ')
  return error instanceof Error ? error.message : String(error)
}
