import { poolExhaustedMessage } from '../errors/sql-errors.ts'

/** A connection pool of one connection: lends it to one caller at a time, in the order of the calls. */
export interface FifoQueue {
  /** Rejects if the connection is not free after the time-out. */
  acquire(): Promise<void>
  release(): void
}

export function createFifoQueue(timeout: number): FifoQueue {
  const waiting = new Set<() => void>()
  let isTaken = false
  return {
    async acquire() {
      if (!isTaken) {
        isTaken = true
        return
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.add(resolve)
      const timer = setTimeout(() => {
        waiting.delete(resolve)
        reject(new Error(poolExhaustedMessage))
      }, timeout)
      await promise.finally(() => clearTimeout(timer))
    },
    release() {
      const [next] = waiting
      if (next) waiting.delete(next)
      else isTaken = false
      next?.()
    },
  }
}
