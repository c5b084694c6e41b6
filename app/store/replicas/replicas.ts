import type { Origin } from '#kernel/store'
import type { DatabaseLimits, DatabaseOptions, DirectQuery } from '../connection/types.ts'
import { queryAfterRefresh } from './after-refresh.ts'
import { createLagWindow } from './lag-window.ts'
import { clientKeys, createReadYourWrites } from './read-your-writes.ts'
import { openReplica, withFallback } from './replica.ts'
import { pollPosition, primaryPosition } from './wal-position.ts'

/** Replicas that serve reads with read-your-writes consistency, within the allowed replication lag. */
export interface Replicas {
  /** Returns the query function for the statements of one read. */
  queryFor(origin?: Origin): DirectQuery
  /** Called after a commit: later reads of this client see the write. Waits a short time for the replicas. */
  recordWrite(origin?: Origin): Promise<void>
  close(): Promise<void>
}

export interface ReplicasOptions extends Pick<DatabaseOptions, 'logger' | 'peers' | 'replicaUrls'> {
  readonly databaseUrl: string
  readonly limits: DatabaseLimits
  /** Whether a connection pooler is in front of the primary. */
  readonly isPooled: boolean
  readonly primary: DirectQuery
}

export async function openReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { primary, limits, databaseUrl, replicaUrls = [] } = options
  const lagWindow = createLagWindow(limits.replicaLag * 1000)
  const writes = createReadYourWrites(lagWindow, limits.replicaLag, options.peers)
  const poll = await pollPosition(databaseUrl, primaryPosition, (position) => {
    if (position !== null) lagWindow.add(position)
  })
  const replicas = await Promise.all(replicaUrls.map((url) => openReplica(url, options, lagWindow)))

  /** Monotonic reads: prefers the same replica for a client each time, so that its reads do not go back in time. */
  const queryAfter = (origin: Origin | undefined, claimed: bigint): DirectQuery => {
    const required = writes.requiredBy(origin, claimed)
    const first = hash(clientKeys(origin).join()) % replicas.length
    const ordered = [...replicas.slice(first), ...replicas.slice(0, first)]
    const replica = ordered.find(({ position }) => position >= required)
    return replica ? withFallback(replica, primary) : primary
  }

  /**
   * For a cookie with a position that was not observed yet: the write is newer than the last poll, or the cookie is forged.
   * Polls the primary and ignores a position beyond its own, which would keep all reads of the client on the primary.
   */
  const queryAfterPoll = (origin: Origin | undefined, claimed: bigint): DirectQuery =>
    queryAfterRefresh(poll.refresh, () => queryAfter(origin, claimed <= lagWindow.latest ? claimed : 0n))

  return {
    queryFor(origin) {
      const claimed = writes.claimedBy(origin)
      return claimed <= lagWindow.latest ? queryAfter(origin, claimed) : queryAfterPoll(origin, claimed)
    },
    async recordWrite(origin) {
      const [row] = await primary(primaryPosition, []).catch(() => []) // the write is committed all the same
      if (!row) return
      const position = BigInt(row.position as string)
      writes.record(origin, position)
      await Promise.all(replicas.map((replica) => replica.waitFor(position)))
    },
    async close() {
      await Promise.all([poll, ...replicas].map((opened) => opened.close()))
    },
  }
}

function hash(text: string): number {
  let number = 0
  for (let index = 0; index < text.length; index++) number = (number * 31 + text.charCodeAt(index)) >>> 0
  return number
}
