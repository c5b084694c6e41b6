import type { Awaitable } from '#kernel/store'
import { ResultTooLarge } from '#store/driver/index.ts'
import { isCancelled, isPoolExhausted, isUnreachable } from '#store/errors/sql-state.ts'
import type { Readable, ReadSource } from '#store/transaction/read-source.ts'
import type { Replica } from './replica.ts'

/**
 * Serves a read from the replica, and from the primary after the first failure, or if `choose` finds no replica. Rejects
 * with a 503 if the deadline expires while `choose` waits, and sends no statement afterwards.
 */
export function replicaSource(choose: () => Awaitable<Replica | undefined>, primary: Readable): ReadSource {
  let chosen: Awaitable<Replica | undefined>
  let isChosen = false
  let replica: Replica | undefined
  const readable = async (): Promise<Readable> => {
    if (!isChosen) chosen = choose()
    isChosen = true
    replica = await chosen
    return replica ?? primary
  }
  const failsOver = (error: unknown): boolean => {
    if (!replica || isOverloaded(error, replica)) return false
    if (isUnreachable(error)) replica.markUnreachable()
    chosen = undefined
    replica = undefined
    return true
  }
  return {
    failsOver,
    async query(sql, parameters, deadline) {
      const chosenServer = readable()
      const current = await (deadline ? deadline.within(chosenServer) : chosenServer)
      deadline?.check()
      try {
        return await current.query(sql, parameters, deadline)
      } catch (error) {
        if (current === primary || !failsOver(error)) throw error
        return primary.query(sql, parameters, deadline)
      }
    },
    beginSnapshot: async () => (await readable()).beginSnapshot(),
  }
}

/** Whether a reachable replica is overloaded, or the result is too large: the primary would be overloaded, too. */
function isOverloaded(error: unknown, { isReachable }: Replica): boolean {
  return error instanceof ResultTooLarge || isCancelled(error) || (isPoolExhausted(error) && isReachable)
}
