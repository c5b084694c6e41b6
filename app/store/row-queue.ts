import { type Clock, systemClock } from '#kernel/store'
import { beginWait } from './observers.ts'

/** PostgreSQL's code for a lock that is not available in time. */
class RowLockedError extends Error {
  readonly code = '55P03'
}

/**
 * Runs writes of this process that change the same row one after the other, in the order of the calls. A write waits for its
 * turn before it takes a connection: the writes of one locked row occupy one connection instead of all of the pool.
 */
export class RowQueue {
  /** The end of the last write of each row. */
  readonly #last = new Map<string, Promise<void>>()
  readonly #timeout: number
  readonly #clock: Clock

  /** `timeout`: milliseconds after which a waiting write fails. */
  constructor(timeout: number, clock = systemClock) {
    this.#timeout = timeout
    this.#clock = clock
  }

  run<T>(rows: readonly string[], write: () => Promise<T>): Promise<T> {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const earlier = new Set<Promise<void>>()
    for (const row of rows) {
      const last = this.#last.get(row)
      if (last) earlier.add(last)
      this.#last.set(row, ended)
    }
    const end = () => {
      resolve()
      for (const row of rows) if (this.#last.get(row) === ended) this.#last.delete(row)
    }
    if (earlier.size === 0) {
      return write().then(
        (result) => {
          end()
          return result
        },
        (error) => {
          end()
          throw error
        },
      )
    }
    const turn = Promise.all(earlier)
    // Later writes wait for this one only, so that it keeps its place after a time-out.
    return this.#inTime(turn)
      .then(write)
      .finally(() => void turn.then(end))
  }

  async #inTime(turn: Promise<unknown>): Promise<void> {
    const endWait = beginWait()
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const cancel = this.#clock.after(this.#timeout, () =>
      reject(new RowLockedError('Another write of the row did not end in time.')),
    )
    await Promise.race([turn, timeout]).finally(() => {
      cancel()
      endWait?.()
    })
  }
}
