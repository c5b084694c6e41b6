import { poolExhaustedMessage } from '../errors/sql-errors.ts'

/** Lends a number of connections to callers, in the order of the calls. */
export interface FifoQueue {
  /** Whether the next caller gets a connection without waiting. */
  readonly isFree: boolean
  /** The number of callers that wait. */
  readonly waiting: number
  /** Rejects if no connection is free after the time-out. */
  acquire(): Promise<void>
  release(): void
}

export function createFifoQueue(timeout: number, connections = 1): FifoQueue {
  const waiting = new Set<() => void>()
  let free = connections
  return {
    get isFree() {
      return free > 0
    },
    get waiting() {
      return waiting.size
    },
    async acquire() {
      if (free > 0) {
        free--
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
      else free++
      next?.()
    },
  }
}
