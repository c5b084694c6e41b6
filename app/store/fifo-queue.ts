import { poolExhaustedMessage } from './errors/sql-state.ts'

/** Lends a number of connections to callers, in the order of the calls. */
export interface FifoQueue {
  /** The number of callers that wait. */
  readonly waiting: number
  /** Returns a promise if no connection is free; it rejects after the time-out. */
  acquire(): Promise<void> | undefined
  release(): void
}

export function createFifoQueue(timeout: number, connections = 1): FifoQueue {
  const waiting = new Set<() => void>()
  let free = connections
  return {
    get waiting() {
      return waiting.size
    },
    acquire() {
      if (free > 0) {
        free--
        return undefined
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.add(resolve)
      const timer = setTimeout(() => {
        waiting.delete(resolve)
        reject(new Error(poolExhaustedMessage))
      }, timeout)
      return promise.finally(() => clearTimeout(timer))
    },
    release() {
      const [next] = waiting
      if (next) waiting.delete(next)
      else free++
      next?.()
    },
  }
}
