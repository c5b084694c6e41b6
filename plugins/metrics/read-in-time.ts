import { setTimeout } from 'node:timers/promises'
import type { Awaitable } from '#kernel/plugin'

/** Milliseconds. The primary process waits five seconds for the metrics of all workers. */
const timeout = 1_000

type Values<Value> = readonly Value[]

/**
 * A function that reads the values of a metric: none if that fails or takes too long, so that the other metrics are shown. The
 * first failure after a success is reported.
 */
export function readInTime<Value>(
  read: () => Awaitable<Values<Value>>,
  report: (error: unknown) => void = () => {},
): () => Promise<Values<Value>> {
  let isFailing = false
  return async () => {
    const timer = new AbortController()
    const late = setTimeout(timeout, null, { ref: false, signal: timer.signal }).then(() => {
      throw new Error(`No answer within ${timeout} ms.`)
    })
    try {
      const values = await Promise.race([(async () => read())(), late])
      isFailing = false
      return values
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
      return []
    } finally {
      timer.abort()
    }
  }
}
