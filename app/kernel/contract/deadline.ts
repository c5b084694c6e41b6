import type { ServerResponse } from 'node:http'

/** Time in milliseconds; tests inject their own clock. */
export interface Clock {
  now(): number
  /** Calls the function once, after a delay. Returns the function that cancels it. */
  after(delay: number, call: () => void): () => void
  /** Calls the function at an interval. Returns the function that stops it. */
  every(interval: number, call: () => void): () => void
}

/** The longest delay of a timer of Node.js, about 24 days. After an overflow, a timer does not wait at all. */
export const maxTimerSeconds = 2_147_483

export const systemClock: Clock = {
  now: performance.now.bind(performance),
  after(delay, call) {
    const timer = setTimeout(call, delay).unref()
    return () => clearTimeout(timer)
  },
  every(interval, call) {
    const timer = setInterval(call, interval).unref()
    return () => clearInterval(timer)
  },
}

/** Creates the deadline of a request. Returns null if there is no limit. */
export type StartDeadline = (response: Pick<ServerResponse, 'headersSent'>) => Deadline | null

/**
 * The time limit of a request. Applies until the first byte of the response is sent or a commit has succeeded, and not
 * while it is suspended.
 */
export interface Deadline {
  /** Whether the request has failed with 503. Work that still runs must have no effect. */
  readonly hasExpired: boolean
  /** Milliseconds until the deadline. */
  readonly remaining: number
  /** Stops the timer, when the work of the request is done. */
  end(): void
  /** Throws a 503 if no time is left. */
  check(): void
  /** Returns the result of the work of the request; rejects with a 503 if the deadline expires first. Called once. */
  limit<T>(work: Promise<T>): Promise<T>
  /** Rejects with a 503 if the deadline expires before the work is done. */
  within<T>(work: Promise<T>): Promise<T>
  /** Runs a commit. The deadline does not apply meanwhile, nor afterwards if the commit has succeeded. */
  commit<T>(work: () => Promise<T>, hasCommitted?: (result: T) => boolean): Promise<T>
  suspend(): void
  resume(): void
  /** Calls the listener when the time is over, even if suspended. Returns the function that unsubscribes. */
  onExpire(listener: () => void): () => void
}
