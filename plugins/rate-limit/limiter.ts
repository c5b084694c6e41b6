import cluster from 'node:cluster'
import {
  type IRateLimiterOptions,
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
  readonly RATE_LIMIT: number
  readonly RATE_LIMIT_SECONDS: number
  readonly RATE_LIMIT_STORE: 'memory' | 'postgres' | 'redis'
  readonly REDIS_URL?: string
}

export interface Limiter {
  consume: RateLimiterAbstract['consume']
  close(): Promise<void>
}

/** Where requests are counted: in this process, or where several processes count together. */
export async function createLimiter(app: App, variables: RateLimitVariables): Promise<Limiter> {
  const counted = { keyPrefix: 'rate-limit', points: variables.RATE_LIMIT, duration: variables.RATE_LIMIT_SECONDS }
  const memory = new RateLimiterMemory(counted)
  // While the store is away every process counts for itself; who is refused is not asked about again.
  const shared = { ...counted, insuranceLimiter: memory, inMemoryBlockOnConsumed: variables.RATE_LIMIT + 1 }
  if (variables.RATE_LIMIT_STORE === 'postgres') return impatient(await inPostgres(app, shared), memory)
  if (variables.RATE_LIMIT_STORE === 'redis')
    return impatient(await inRedis(app, shared, variables.REDIS_URL as string), memory)
  return cluster.isWorker ? impatient(above(counted), memory) : toLimiter(memory)
}

/** Workers count together, in the memory of the process above them. */
function above(options: IRateLimiterOptions & { readonly keyPrefix: string }): Limiter {
  return toLimiter(new RateLimiterCluster(options))
}

function toLimiter(limiter: RateLimiterAbstract): Limiter {
  return { consume: (key) => limiter.consume(key), close: async () => {} }
}

/** How long the store has to answer, and for how long it is not asked after it did not, in milliseconds. */
const patience = 500
const pause = 2_000

/** A store that hangs is as good as one that is away: nobody waits for it. */
function impatient({ consume, close }: Limiter, memory: RateLimiterAbstract): Limiter {
  let hangsUntil = 0
  return {
    close,
    consume(key) {
      if (performance.now() < hangsUntil) return memory.consume(key)
      const { promise, resolve, reject } = Promise.withResolvers<RateLimiterRes>()
      const timer = setTimeout(() => {
        hangsUntil = performance.now() + pause
        memory.consume(key).then(resolve, reject)
      }, patience)
      consume(key)
        .finally(() => clearTimeout(timer))
        .then(resolve, reject)
      return promise
    },
  }
}

type SharedOptions = Omit<IRateLimiterStoreOptions, 'storeClient'>

/** In a schema of its own, of which migrations know nothing. */
const table = { schemaName: 'rate_limit', tableName: 'requests' }

/** In a table of the database of the application. */
async function inPostgres({ store, logger }: App, options: SharedOptions): Promise<Limiter> {
  const query = async ({ text, values }: { text: string; values: unknown[] }) => ({
    rows: await store.query(text, values),
  })
  const client = { query: (text: string | { text: string; values: unknown[] }) => query(toStatement(text)) }
  const report = (error: Error) => logger?.warn({ err: error }, 'Requests are counted in memory: no table for them')
  await store.query(`create schema if not exists ${table.schemaName}`).catch(report)
  const limiter = await new Promise<RateLimiterPostgres>((resolve) => {
    const made = new RateLimiterPostgres(
      { ...options, storeClient: client, storeType: 'pool', ...table, clearExpiredByTimeout: true },
      (error) => {
        if (error) report(error)
        resolve(made)
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
  const client = createClient({ url, disableOfflineQueue: true, commandOptions: { timeout: patience } })
  client.on('error', (error) => logger?.warn({ err: error }, 'Requests are counted in memory: Redis is away'))
  client.connect().catch(() => {}) // told above, and tried again
  const limiter = new RateLimiterRedis({
    ...options,
    storeClient: client,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
  })
  return {
    consume: (key) => limiter.consume(key),
    close: async () => client.destroy(),
  }
}
