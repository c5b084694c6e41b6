import { setTimeout } from 'node:timers/promises'
import type { Requester } from '#kernel/store'
import type { Replicas } from '#store/connection/types.ts'
import { primarySource, type Readable } from '#store/transaction/read-source.ts'
import { createLagWindow } from './lag-window.ts'
import { clientKeys, createReadYourWrites } from './read-your-writes.ts'
import { openReplica, type Replica, type ReplicasOptions } from './replica.ts'
import { replicaSource } from './replica-source.ts'
import { pollPosition, primaryPosition } from './wal-position.ts'

/** Milliseconds a read waits for the position of the primary. */
const refreshWait = 100

export async function openReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { primary, limits, databaseUrl, replicaUrls = [] } = options
  const lagWindow = createLagWindow(limits.replicaLag * 1000)
  const writes = createReadYourWrites(lagWindow, limits.replicaLag, options.peers)
  const poll = await pollPosition(databaseUrl, primaryPosition, (position) => {
    if (position !== null) lagWindow.add(position)
  })
  const replicas = await Promise.all(replicaUrls.map((url) => openReplica(url, options, lagWindow)))

  /** Monotonic reads: prefers the same replica for a client each time, so that its reads do not go back in time. */
  const chooseAfter = (requester: Requester | undefined, claimed: bigint): Replica | undefined => {
    const required = writes.requiredBy(requester, claimed)
    const first = hash(clientKeys(requester).join()) % replicas.length
    const ordered = [...replicas.slice(first), ...replicas.slice(0, first)]
    return ordered.find(({ position }) => position >= required)
  }

  /**
   * For a cookie with a position that was not observed yet: the write is newer than the last poll, or the cookie is forged.
   * Polls the primary and ignores a position beyond its own, which would keep all reads of the client on the primary.
   */
  const chooseAfterPoll = async (requester: Requester | undefined, claimed: bigint): Promise<Replica | undefined> => {
    await Promise.race([poll.refresh(), setTimeout(refreshWait, undefined, { ref: false })])
    return chooseAfter(requester, claimed <= lagWindow.latest ? claimed : 0n)
  }

  return {
    positionStatement: primaryPosition,
    sourceFor(requester) {
      if (writes.isPinned(requester)) return primarySource(primary)
      const claimed = writes.claimedBy(requester)
      if (claimed > lagWindow.latest) return replicaSource(() => chooseAfterPoll(requester, claimed), primary)
      const replica = chooseAfter(requester, claimed)
      return replica ? replicaSource(() => replica, primary) : primarySource(primary)
    },
    async recordWrite(requester, position) {
      const reached = position ?? (await readPosition(primary))
      writes.record(requester, reached)
      if (reached !== null) await Promise.all(replicas.map((replica) => replica.waitFor(reached)))
    },
    states: () => replicas.map(({ state }) => state),
    async close() {
      await Promise.all([poll, ...replicas].map((opened) => opened.close()))
    },
  }
}

/** Returns null if the primary does not answer: the write is committed all the same. */
async function readPosition({ query }: Readable): Promise<bigint | null> {
  const [row] = await query(primaryPosition, []).catch(() => [])
  return row ? BigInt(row.position as string) : null
}

function hash(text: string): number {
  let number = 0
  for (let index = 0; index < text.length; index++) number = (number * 31 + text.charCodeAt(index)) >>> 0
  return number
}
