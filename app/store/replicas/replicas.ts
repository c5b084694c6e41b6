import { setTimeout } from 'node:timers/promises'
import type { Origin } from '#kernel/store'
import type { DatabaseLimits, DatabaseOptions, DirectQuery } from '../connection/types.ts'
import type { Pool } from '../driver/session.ts'
import { createHorizon, type Horizon } from './lag-window.ts'
import { createLatestWrites, namesOf } from './read-your-writes.ts'
import { openReplica, type Replica, withFallback } from './replica.ts'
import { primaryPosition, watchPosition } from './wal-position.ts'

/** Standbys of the primary that are asked in its place, by those who cannot notice. */
export interface Replicas {
  /** The way to the rows for one unit of reading. */
  queryFor(origin?: Origin): DirectQuery
  /** Something was committed: whoever did it reads nothing older from now on, and if possible nobody else. */
  noteWrite(origin?: Origin): Promise<void>
  close(): Promise<void>
}

export interface ReplicasOptions extends Pick<DatabaseOptions, 'logger' | 'peers' | 'replicaUrls'> {
  readonly databaseUrl: string
  readonly limits: DatabaseLimits
  /** Whether the primary stands behind a pooler. */
  readonly pooled: boolean
  readonly primary: { readonly pool: Pool; readonly query: DirectQuery }
}

/** Milliseconds a read waits for the position of the primary. */
const patience = 100

/** All of them know where the primary was. */
export interface ReplicaOptions extends ReplicasOptions {
  readonly horizon: Horizon
}

export async function openReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { primary, limits, databaseUrl, replicaUrls = [] } = options
  const horizon = createHorizon(limits.replicaLag * 1000)
  const writes = createLatestWrites(horizon, limits.replicaLag, options.peers)
  const watch = await watchPosition(databaseUrl, primaryPosition, (position) => {
    if (position !== null) horizon.note(position)
  })
  const replicas = await Promise.all(replicaUrls.map((url) => openReplica(url, { ...options, horizon })))

  /** The same one for a client each time, so that it does not see time go back. */
  const choose = (origin: Origin | undefined, claimed: bigint): Replica | undefined => {
    const needed = writes.neededBy(origin, claimed)
    const first = numberOf(namesOf(origin).join()) % replicas.length
    return [...replicas.slice(first), ...replicas.slice(0, first)].find(({ position }) => position >= needed)
  }

  const queryAfter = (origin: Origin | undefined, claimed: bigint): DirectQuery => {
    const replica = choose(origin, claimed)
    return replica ? withFallback(replica, primary.query) : primary.query
  }

  /**
   * The cookie names a position that was not observed yet: the write is newer than the last observation, or the cookie is
   * forged. The primary is asked for its position, and a position beyond it is ignored: it would keep all reads of this
   * client from the replicas.
   */
  const queryAfterCheck = (origin: Origin | undefined, claimed: bigint): DirectQuery => {
    let query: Promise<DirectQuery> | undefined
    const check = async () => {
      await Promise.race([watch.refresh(), setTimeout(patience, undefined, { ref: false })])
      return queryAfter(origin, claimed <= horizon.latest ? claimed : 0n)
    }
    return async (sql, parameters) => {
      query ??= check()
      return (await query)(sql, parameters)
    }
  }

  return {
    queryFor(origin) {
      const claimed = writes.claimedBy(origin)
      return claimed <= horizon.latest ? queryAfter(origin, claimed) : queryAfterCheck(origin, claimed)
    },
    async noteWrite(origin) {
      const [row] = await primary.query(primaryPosition, []).catch(() => []) // what is committed is not taken back
      if (!row) return
      const position = BigInt(row.position as string)
      writes.note(origin, position)
      await Promise.all(replicas.map((replica) => replica.follow(position)))
    },
    async close() {
      await Promise.all([watch, ...replicas].map((one) => one.close()))
    },
  }
}

/** The same number for the same text, and any number for others. */
function numberOf(text: string): number {
  let number = 0
  for (let index = 0; index < text.length; index++) number = (number * 31 + text.charCodeAt(index)) >>> 0
  return number
}
