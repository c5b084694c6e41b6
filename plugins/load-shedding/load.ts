import { performance } from 'node:perf_hooks'

/** The load of the process. */
export interface Load {
  /** Requests in flight. */
  inFlight: number
  isTooHigh(): boolean
}

/** Returns null if neither limit is set. */
export function createLoad(variables: Readonly<Record<string, unknown>>): Load | null {
  const maxInFlight = Number(variables.MAX_IN_FLIGHT ?? 0) || Number.POSITIVE_INFINITY
  const maxDelay = Number(variables.MAX_EVENT_LOOP_DELAY ?? 0) || Number.POSITIVE_INFINITY
  if (maxInFlight === Number.POSITIVE_INFINITY && maxDelay === Number.POSITIVE_INFINITY) return null
  const delay = createDelayMeter()
  return {
    inFlight: 0,
    isTooHigh() {
      return delay() > maxDelay || this.inFlight >= maxInFlight
    },
  }
}

/**
 * Returns a function that measures, in milliseconds, how long the current iteration of the event loop has lasted. A
 * request that is read late in a long iteration has waited that long already.
 */
function createDelayMeter(): () => number {
  let iteration = -1
  let startedAt = 0
  return () => {
    const now = performance.now()
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    if (loopCount !== iteration) {
      iteration = loopCount
      startedAt = now
    }
    return now - startedAt
  }
}
