import cluster from 'node:cluster'
import {
  type IRateLimiterStoreOptions,
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible'
import type { App } from '#kernel/plugin'

export interface RateLimitVariables {
  readonly RATE_LIMIT_SECONDS: number
  readonly RATE_LIMIT_STORE: 'memory' | 'postgres' | 'redis'
  readonly REDIS_URL?: string
}

export interface Limiter {
  consume: RateLimiterAbstract['consume']
  close(): Promise<void>
}

/** Creates the limiter of RATE_LIMIT_STORE: in the memory of the process, or shared by all processes. */
export async function createLimiter(
  app: App,
  variables: RateLimitVariables,
  { name, size }: { readonly name: string; readonly size: number },
): Promise<Limiter> {
  const options = { keyPrefix: `rate-limit-${name}-${size}`, points: size, duration: variables.RATE_LIMIT_SECONDS }
  const memory = new RateLimiterMemory(options)
  // Falls back to the memory of the process while the store is unreachable; rejected clients cause no further queries.
  const shared = { ...options, insuranceLimiter: memory, inMemoryBlockOnConsumed: size + 1 }
  if (variables.RATE_LIMIT_STORE === 'postgres') return withTimeout(await inPostgres(app, shared), memory)
  if (variables.RATE_LIMIT_STORE === 'redis')
    return withTimeout(await inRedis(app, shared, variables.REDIS_URL as string), memory)
  if (!cluster.isWorker) return toLimiter(memory)
  // Counts the requests of all workers in the memory of the primary process.
  return withTimeout(toLimiter(new RateLimiterCluster(options)), memory)
}

function toLimiter(limiter: RateLimiterAbstract): Limiter {
  return { consume: (key, cost) => limiter.consume(key, cost), close: async () => {} }
}

/** Milliseconds until a query of the store times out, and until the store is tried again after a time-out. */
const timeout = 500
const retryDelay = 2_000

/** Falls back to memory if the store does not respond in time. */
function withTimeout({ consume, close }: Limiter, memory: RateLimiterAbstract): Limiter {
  let retryAt = 0
  return {
    close,
    consume(key, cost) {
      if (performance.now() < retryAt) return memory.consume(key, cost)
      const { promise, resolve, reject } = Promise.withResolvers<RateLimiterRes>()
      const timer = setTimeout(() => {
        retryAt = performance.now() + retryDelay
        memory.consume(key, cost).then(resolve, reject)
      }, timeout)
      consume(key, cost)
        .finally(() => clearTimeout(timer))
        .then(resolve, reject)
      return promise
    },
  }
}

type SharedOptions = Omit<IRateLimiterStoreOptions, 'storeClient'>

/** In a separate schema, which migrations ignore. */
const table = { schemaName: 'rate_limit', tableName: 'requests' }

async function inPostgres({ store, logger }: App, options: SharedOptions): Promise<Limiter> {
  const query = async ({ text, values }: { text: string; values: unknown[] }) => ({
    rows: await store.query(text, values),
  })
  const client = { query: (text: string | { text: string; values: unknown[] }) => query(toStatement(text)) }
  const report = (error: Error) =>
    logger?.warn(
      { err: error },
      'No table for the rate limit could be created; requests are counted in memory. Check that the database user may create a schema.',
    )
  await store.query(`create schema if not exists ${table.schemaName}`).catch(report)
  const limiter = await new Promise<RateLimiterPostgres>((resolve) => {
    const created = new RateLimiterPostgres(
      { ...options, storeClient: client, storeType: 'pool', ...table, clearExpiredByTimeout: true },
      (error) => {
        if (error) report(error)
        resolve(created)
      },
    )
  })
  return toLimiter(limiter)
}

function toStatement(text: string | { text: string; values: unknown[] }): { text: string; values: unknown[] } {
  return typeof text === 'string' ? { text, values: [] } : text
}

async function inRedis({ logger }: App, options: SharedOptions, url: string): Promise<Limiter> {
  const { createClient } = await import('@redis/client')
  const client = createClient({ url, disableOfflineQueue: true, commandOptions: { timeout } })
  client.on('error', (error) =>
    logger?.warn({ err: error }, 'Redis is unreachable; requests are counted in memory. Check REDIS_URL.'),
  )
  client.connect().catch(() => {}) // logged by the listener; the client reconnects
  const limiter = new RateLimiterRedis({
    ...options,
    storeClient: client,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
  })
  return {
    consume: (key, cost) => limiter.consume(key, cost),
    close: async () => client.destroy(),
  }
}
