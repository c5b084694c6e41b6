import { Pool } from 'pg'
import type { Logger } from '#kernel/store'
import { defaultLimits } from '../connection/orm-options.ts'
import type { DirectQuery } from '../connection/types.ts'
import { type Setup, type Pool as StorePool, sessionOf } from '../driver/session.ts'
import { createLanes } from '../driver-pipelined/pipelined-pool.ts'
import { hasNoConnection, isUnreachable, tookTooLong } from '../errors/sql-errors.ts'
import type { ReplicaOptions } from './replicas.ts'
import { replayPosition, watchPosition } from './wal-position.ts'

/** A standby of the primary. */
export interface Replica {
  readonly query: DirectQuery
  /** How far it has followed the primary; less than nothing while it is away. */
  readonly position: bigint
  /** It did not answer: it is not asked again before it is heard of. */
  lose(): void
  /** Waits until it has come so far; not for long, and not again before it has. */
  follow(position: bigint): Promise<void>
  close(): Promise<void>
}

/** Milliseconds a write waits. */
const patience = 100

const away = -1n

export async function openReplica(
  url: string,
  { primary, limits, pooled, horizon, logger }: ReplicaOptions,
): Promise<Replica> {
  // The types of columns are read as the primary's are. Who hangs is given up on soon after the server would have.
  const silence = (limits.statement + 1) * 1000
  const pool = new Pool({ ...primary.pool.options, connectionString: url, query_timeout: silence })
  // No pooler stands in front of it, whatever stands in front of the primary.
  const named = pooled ? defaultLimits.prepared : limits.prepared
  const setup: Setup = { session: sessionOf(limits), named, silence }
  pool.on('error', () => {}) // told by the watch
  pool.on('connect', (client) => client.on('error', () => {}))
  let position = away
  let missed = 0n

  const tell = reporter(new URL(url).host, logger)
  const move = (to: bigint | null) => {
    position = to ?? away
    tell(to === null ? 'away' : to < horizon.position ? 'behind' : 'there')
  }
  const watch = await watchPosition(url, replayPosition, move)
  return {
    query: createLanes(pool as unknown as StorePool, setup).query,
    get position() {
      return position
    },
    lose: () => move(null),
    async follow(to) {
      if (position === away || position < missed || position >= to) return
      if (!(await watch.reaches(to, patience))) missed = to
    },
    async close() {
      await watch.close()
      await pool.end()
    },
  }
}

/** Whether it is asked; one that has just been found may catch up before it is worth a word. */
function reporter(replica: string, logger: Logger | undefined): (state: 'away' | 'behind' | 'there') => void {
  let latest = ''
  return (state) => {
    if (state === latest) return
    if (state === 'there') logger?.info({ replica }, 'A replica is there')
    if (state === 'behind' && latest === 'there') logger?.warn({ replica }, 'A replica is too far behind to be asked')
    if (state === 'away') logger?.warn({ replica }, 'A replica is not there, or follows nobody')
    latest = state
  }
}

/** What a replica cannot answer is asked of the primary, and so is the rest of the unit. */
export function withFallback(replica: Replica, primary: DirectQuery): DirectQuery {
  let query = replica.query
  return async (sql, parameters, deadline) => {
    const asked = query
    try {
      return await asked(sql, parameters, deadline)
    } catch (error) {
      if (asked === primary || isBusy(error, replica)) throw error
      if (isUnreachable(error)) replica.lose()
      query = primary
      return primary(sql, parameters, deadline)
    }
  }
}

/** It is there, and has too much to do: so would the primary. */
function isBusy(error: unknown, { position }: Replica): boolean {
  return tookTooLong(error) || (hasNoConnection(error) && position !== away)
}
