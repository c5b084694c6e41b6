import type { Database } from '#store'

/** The state of a process of the service while it serves no request. */
export interface Measurement {
  /** Bytes after a garbage collection. */
  readonly heap: number
  /** Bytes outside of the heap: buffers. */
  readonly external: number
  readonly resident: number
  /** Open handles by their kind. */
  readonly handles: Readonly<Record<string, number>>
  /** Prepared statements of the connection with the most. */
  readonly prepared: number
}

/** Measures this process, which must run with --expose-gc. */
export async function measure(database: Database): Promise<Measurement> {
  const prepared = database.kind === 'server' ? await countPreparedStatements(database) : 0
  for (let times = 0; times < 3; times++) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  const handles: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  return { heap: heapUsed, external, resident: rss, handles, prepared }
}

/** Uses all connections of the pool at the same time, because a session sees only its own prepared statements. */
async function countPreparedStatements({ connect, pool }: Database): Promise<number> {
  const sessions = await Promise.all(Array.from({ length: pool?.().total ?? 0 }, () => connect?.()))
  const counts = await Promise.all(
    sessions.map(async (session) => {
      const result = await session?.query('select count(*)::int as count from pg_prepared_statements', [])
      session?.release()
      return Number(result?.rows[0]?.count ?? 0)
    }),
  )
  return Math.max(0, ...counts)
}
