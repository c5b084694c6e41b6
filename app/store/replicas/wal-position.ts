import { Pool } from 'pg'
import { coalesce } from './coalesce.ts'

/**
 * How far the log of a server goes, in bytes since its beginning: all that is committed is behind it. Standbys are sent
 * what is on disk.
 */
export const primaryPosition = `select (case current_setting('synchronous_commit')
  when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0')::text as position`

/** How far a standby has followed that log; null on a server that follows none. */
export const replayPosition = `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end - '0/0')::text as position`

/** Milliseconds between two questions, those while somebody waits, and those for an answer. */
const pause = 250
const shortPause = 1
const patience = 2_000

export interface Watch {
  /** Asks more often until the server has come so far; false when it does not in that time. */
  reaches(position: bigint, milliseconds: number): Promise<boolean>
  /** Asks now. Callers share a question, so that they cannot make the server busy. */
  refresh(): Promise<void>
  close(): Promise<void>
}

interface Waiter {
  readonly position: bigint
  readonly settle: (isThere: boolean) => void
}

/**
 * Asks a server again and again where it is, and tells it, or null when there is no answer; the first time before it
 * returns. The connection is its own: one that all the others wait for would make a busy server look like a lost one.
 */
export async function watchPosition(
  url: string,
  question: string,
  tell: (position: bigint | null) => void,
): Promise<Watch> {
  const timeouts = { connectionTimeoutMillis: patience, query_timeout: patience, idleTimeoutMillis: 0 }
  const pool = new Pool({ connectionString: url, max: 1, application_name: 'positions', ...timeouts })
  pool.on('error', () => {}) // the next question tells
  const waiters = new Set<Waiter>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const look = async () => {
    timer = undefined
    const position = await ask(pool, question)
    if (isClosed) return
    tell(position)
    for (const { position: awaited, settle } of waiters) {
      if (position === null || position >= awaited) settle(position !== null)
    }
    clearTimeout(timer) // of a look that ended meanwhile
    timer = setTimeout(look, waiters.size > 0 ? shortPause : pause).unref()
  }
  await look()
  const refresh = coalesce(() => {
    clearTimeout(timer)
    return look()
  })
  return {
    refresh,
    reaches(position, milliseconds) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const waiter: Waiter = { position, settle: resolve }
      const tooLate = setTimeout(resolve, milliseconds, false)
      waiters.add(waiter)
      if (timer) {
        clearTimeout(timer)
        look()
      }
      return promise.finally(() => {
        clearTimeout(tooLate)
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

async function ask(pool: Pool, question: string): Promise<bigint | null> {
  try {
    const { rows } = await pool.query<{ position: string | null }>(question)
    const position = rows[0]?.position
    return position ? BigInt(position) : null
  } catch {
    return null
  }
}
