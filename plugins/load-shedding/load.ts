/** How much there is to do. */
export interface Load {
  /** Requests that are being worked on. */
  inFlight: number
  isTooHigh(): boolean
}

/** Null when neither limit is set. */
export function watchLoad(variables: Readonly<Record<string, unknown>>): Load | null {
  const maxInFlight = Number(variables.MAX_IN_FLIGHT ?? 0) || Number.POSITIVE_INFINITY
  const maxDelay = Number(variables.MAX_EVENT_LOOP_DELAY ?? 0) || Number.POSITIVE_INFINITY
  if (maxInFlight === Number.POSITIVE_INFINITY && maxDelay === Number.POSITIVE_INFINITY) return null
  const delay = turnWatch()
  return {
    inFlight: 0,
    isTooHigh() {
      return delay() > maxDelay || this.inFlight >= maxInFlight
    },
  }
}

/**
 * For how long, in milliseconds, the event loop has been at the requests of its current turn: others wait for it unseen,
 * and whoever is seen late in a long turn has waited so long already.
 */
function turnWatch(): () => number {
  let turn = -1
  let began = 0
  return () => {
    const now = performance.now()
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    if (loopCount !== turn) {
      turn = loopCount
      began = now
    }
    return now - began
  }
}
