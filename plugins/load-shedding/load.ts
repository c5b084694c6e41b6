import { performance } from 'node:perf_hooks'

/** The load of the process. */
export class Load {
  /** Requests in flight. */
  inFlight = 0
  readonly #maxInFlight: number
  readonly #maxDelay: number
  #iteration = -1
  #startedAt = 0

  constructor(maxInFlight: number, maxDelay: number) {
    this.#maxInFlight = maxInFlight
    this.#maxDelay = maxDelay
  }

  /**
   * Whether there are too many requests, or the current iteration of the event loop has lasted too many milliseconds: a request
   * that is read late in a long iteration has waited that long already.
   */
  isTooHigh(): boolean {
    const now = performance.now()
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    if (loopCount !== this.#iteration) {
      this.#iteration = loopCount
      this.#startedAt = now
    }
    return now - this.#startedAt > this.#maxDelay || this.inFlight >= this.#maxInFlight
  }
}

/** Returns null if neither limit is set. */
export function createLoad(variables: Readonly<Record<string, unknown>>): Load | null {
  const maxInFlight = Number(variables.MAX_IN_FLIGHT ?? 0) || Number.POSITIVE_INFINITY
  const maxDelay = Number(variables.MAX_EVENT_LOOP_DELAY ?? 0) || Number.POSITIVE_INFINITY
  return Number.isFinite(maxInFlight) || Number.isFinite(maxDelay) ? new Load(maxInFlight, maxDelay) : null
}
