import { Pool } from 'pg'

/** How far the log of a server goes, in bytes since its beginning: all that is committed is behind it. */
export const insertPosition = `select (pg_current_wal_insert_lsn() - '0/0')::text as position`

/** How far a standby has followed that log; null on a server that follows none. */
export const replayPosition = `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end - '0/0')::text as position`

/** Milliseconds between two questions, and those for an answer. */
const pause = 250
const patience = 2_000

export interface Watch {
  close(): Promise<void>
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
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const look = async () => {
    const position = await ask(pool, question)
    if (closed) return
    tell(position)
    timer = setTimeout(look, pause).unref()
  }
  await look()
  return {
    async close() {
      closed = true
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
