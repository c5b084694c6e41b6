import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How much there is to do. */
export interface Load {
  /** Requests that are being worked on. */
  inFlight: number
  isTooHigh(): boolean
  close(): void
}

/** How often the delay of the event loop is looked at, in milliseconds. */
const interval = 100
/** So many times in a row it may be late: one long piece of work is no overload. */
const patience = 3

/** Null when neither limit is set. */
export function watchLoad(variables: Readonly<Record<string, unknown>>): Load | null {
  const maxInFlight = Number(variables.MAX_IN_FLIGHT ?? 0) || Number.POSITIVE_INFINITY
  const maxDelay = Number(variables.MAX_EVENT_LOOP_DELAY ?? 0) || Number.POSITIVE_INFINITY
  if (maxInFlight === Number.POSITIVE_INFINITY && maxDelay === Number.POSITIVE_INFINITY) return null
  let late = 0
  const delays = monitorEventLoopDelay({ resolution: 20 })
  delays.enable()
  const timer = setInterval(() => {
    late = delays.mean / 1e6 > maxDelay ? late + 1 : 0
    delays.reset()
  }, interval).unref()
  return {
    inFlight: 0,
    isTooHigh() {
      return late >= patience || this.inFlight >= maxInFlight
    },
    close() {
      clearInterval(timer)
      delays.disable()
    },
  }
}
