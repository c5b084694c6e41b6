import type { ServerResponse } from 'node:http'
import createError, { type HttpError } from 'http-errors'

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

type ResponseState = Pick<ServerResponse, 'headersSent'>

/** Creates the deadline of a request. Returns null if there is no limit. */
export type StartDeadline = (response: ResponseState) => Deadline | null

export function createDeadlines(limit: number, clock: Clock = systemClock): StartDeadline {
  return (response) => (limit === 0 ? null : new Deadline(clock, limit, response))
}

/**
 * The time limit of a request. Applies until the first byte of the response is sent or a commit has succeeded, and not
 * while it is suspended.
 */
export class Deadline {
  /** Whether the request has failed with 503. Work that still runs must have no effect. */
  hasExpired = false
  /** Stops the timer, when the work of the request is done. */
  readonly end: () => void
  readonly #clock: Clock
  readonly #at: number
  readonly #response: ResponseState
  #listeners: Set<() => void> | undefined
  #reject: ((error: HttpError) => void) | undefined
  #suspended = 0
  #isCommitted = false
  #hasPassed = false

  constructor(clock: Clock, limit: number, response: ResponseState) {
    this.#clock = clock
    this.#at = clock.now() + limit
    this.end = clock.after(limit, () => this.#pass())
    this.#response = response
  }

  /** Milliseconds until the deadline. */
  get remaining(): number {
    return this.#at - this.#clock.now()
  }

  /** Throws a 503 if no time is left. */
  check(): void {
    if (this.hasExpired || (this.#at <= this.#clock.now() && this.#applies)) throw deadlineExceeded()
  }

  /** Returns the result of the work of the request; rejects with a 503 if the deadline expires first. Called once. */
  limit<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#reject = reject
    work.then(resolve, reject)
    return promise
  }

  /** Rejects with a 503 if the deadline expires before the work is done. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const ignore = this.onPass(() => {
        if (this.hasExpired) reject(deadlineExceeded())
      })
      work.then(resolve, reject).then(ignore)
    })
  }

  /** Runs a commit. The deadline does not apply meanwhile, nor afterwards if the commit has succeeded. */
  commit<T>(work: () => Promise<T>, hasCommitted = (_result: T): boolean => true): Promise<T> {
    this.suspend()
    return work().then(
      (result) => {
        this.#isCommitted ||= hasCommitted(result)
        this.resume()
        return result
      },
      (error) => {
        this.resume()
        throw error
      },
    )
  }

  suspend(): void {
    this.#suspended++
  }

  resume(): void {
    this.#suspended--
    if (this.#hasPassed) this.#expire()
  }

  /** Calls the listener when the time is over, even if suspended. Returns the function that unsubscribes. */
  onPass(listener: () => void): () => void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
    return () => this.#listeners?.delete(listener)
  }

  #pass(): void {
    this.#hasPassed = true
    this.#expire()
  }

  #expire(): void {
    this.hasExpired ||= this.#applies
    for (const listener of this.#listeners ?? []) listener()
    if (this.hasExpired) this.#reject?.(deadlineExceeded())
  }

  get #applies(): boolean {
    return !this.#isCommitted && this.#suspended === 0 && !this.#response.headersSent
  }
}

function deadlineExceeded(): HttpError {
  return createError(503, 'The request took too long.', { headers: { 'Retry-After': '5' } })
}
