import { Pool } from 'pg'
import { coalesce } from './coalesce.ts'

/** The position of a primary in its WAL, in bytes: all committed writes are before it. Replicas receive flushed bytes only. */
export const primaryPosition = `select (case current_setting('synchronous_commit')
  when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0')::text as position`

/** The position that a replica has replayed; null on a server that is not in recovery. */
export const replayPosition = `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end - '0/0')::text as position`

/** Milliseconds between two polls, between two while a caller waits for a position, and until a poll times out. */
const interval = 250
const shortInterval = 1
const timeout = 2_000

interface PositionPoll {
  /** Polls more often until the server has reached the position. Resolves to false after the time-out. */
  reaches(position: bigint, milliseconds: number): Promise<boolean>
  /** Polls now. Concurrent callers share a poll, so that they cannot overload the server. */
  refresh(): Promise<void>
  close(): Promise<void>
}

/**
 * Polls the WAL position of a server, for the first time before it returns. Calls back with the position, or with null if
 * there is no answer. Uses a connection of its own, because an exhausted connection pool would count as an unreachable server.
 */
export async function pollPosition(
  url: string,
  statement: string,
  onPosition: (position: bigint | null) => void,
): Promise<PositionPoll> {
  const timeouts = { connectionTimeoutMillis: timeout, query_timeout: timeout, idleTimeoutMillis: 0 }
  const pool = new Pool({ connectionString: url, max: 1, application_name: 'positions', ...timeouts })
  pool.on('error', () => {}) // the next poll reports it
  const waiters = new Set<{ position: bigint; finish: (isReached: boolean) => void }>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const poll = async () => {
    timer = undefined
    const position = await queryPosition(pool, statement)
    if (isClosed) return
    onPosition(position)
    for (const { position: required, finish } of waiters) {
      if (position === null || position >= required) finish(position !== null)
    }
    clearTimeout(timer) // another poll may have ended meanwhile
    timer = setTimeout(poll, waiters.size > 0 ? shortInterval : interval).unref()
  }
  await poll()
  const refresh = coalesce(() => {
    clearTimeout(timer)
    return poll()
  })
  return {
    refresh,
    reaches(position, milliseconds) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const waiter = { position, finish: resolve }
      const timeoutTimer = setTimeout(resolve, milliseconds, false)
      waiters.add(waiter)
      if (timer) {
        clearTimeout(timer)
        poll()
      }
      return promise.finally(() => {
        clearTimeout(timeoutTimer)
        waiters.delete(waiter)
      })
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await pool.end()
    },
  }
}

async function queryPosition(pool: Pool, statement: string): Promise<bigint | null> {
  try {
    const { rows } = await pool.query<{ position: string | null }>(statement)
    const position = rows[0]?.position
    return position ? BigInt(position) : null
  } catch {
    return null
  }
}
