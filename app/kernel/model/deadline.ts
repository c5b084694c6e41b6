import type { ServerResponse } from 'node:http'
import createError, { type HttpError } from 'http-errors'

/** Time as deadlines measure it, in milliseconds; tests bring their own. */
export interface Clock {
  now(): number
  /** Calls back again and again; returns the function that ends it. */
  every(interval: number, tick: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  every(interval, tick) {
    const timer = setInterval(tick, interval).unref()
    return () => clearInterval(timer)
  },
}

type Answer = Pick<ServerResponse, 'headersSent'>

/** Creates the deadline of a request; null when there is no limit. */
export type StartDeadline = (answer: Answer) => Deadline | null

/** The longest time between two looks at the clock. */
const longestTick = 500

/**
 * All requests have the same time, so the Set of those under way is in the order in which they expire: one timer looks
 * at the oldest of them, instead of one timer per request. It runs only while requests are under way.
 */
export function createDeadlines(limit: number, clock: Clock = systemClock): StartDeadline {
  if (limit === 0) return () => null
  const pending = new Set<Deadline>()
  let stop: (() => void) | undefined
  const tick = () => {
    for (const deadline of pending) {
      if (deadline.remaining > 0) break
      pending.delete(deadline)
      deadline.pass()
    }
    if (pending.size > 0) return
    stop?.()
    stop = undefined
  }
  return (answer) => {
    const deadline = new Deadline(clock, limit, answer, pending)
    pending.add(deadline)
    stop ??= clock.every(Math.min(longestTick, limit / 20), tick)
    return deadline
  }
}

/**
 * The time by which a request must be answered. It applies until the first byte of the answer is sent or a commit has
 * succeeded, and not while it is suspended.
 */
export class Deadline {
  readonly #clock: Clock
  readonly #at: number
  readonly #answer: Answer
  readonly #pending: Set<Deadline>
  #listeners: Set<() => void> | undefined
  #giveUp: ((error: HttpError) => void) | undefined
  #suspended = 0
  #isCommitted = false
  #hasPassed = false
  #hasExpired = false

  constructor(clock: Clock, limit: number, answer: Answer, pending: Set<Deadline>) {
    this.#clock = clock
    this.#at = clock.now() + limit
    this.#answer = answer
    this.#pending = pending
  }

  /** Milliseconds that are left. */
  get remaining(): number {
    return this.#at - this.#clock.now()
  }

  /** Whether the request was given up: work that is still under way must have no effect any more. */
  get hasExpired(): boolean {
    return this.#hasExpired
  }

  /** Throws a 503 when no time is left. */
  check(): void {
    if (this.#hasExpired || (this.#applies && this.remaining <= 0)) throw deadlineExceeded()
  }

  /** The whole work of a request: the deadline ends with it. Called once. */
  finish<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject
      work.then(
        (result) => {
          this.#pending.delete(this)
          resolve(result)
        },
        (error) => {
          this.#pending.delete(this)
          reject(error)
        },
      )
    })
  }

  /** Rejects with a 503 when the deadline expires before the work is done. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const ignore = this.onPass(() => {
        if (this.#hasExpired) reject(deadlineExceeded())
      })
      work.then(resolve, reject).finally(ignore)
    })
  }

  /** Does not apply while the work is under way, nor afterwards if it has committed. The outcome of the work decides. */
  async commit<T>(work: () => Promise<T>, hasCommitted = (_result: T): boolean => true): Promise<T> {
    this.suspend()
    try {
      const result = await work()
      this.#isCommitted ||= hasCommitted(result)
      return result
    } finally {
      this.resume()
    }
  }

  suspend(): void {
    this.#suspended++
  }

  resume(): void {
    this.#suspended--
    if (this.#hasPassed) this.#expire()
  }

  /** Calls back when the time is over, also while the deadline is suspended. Returns the function that unsubscribes. */
  onPass(listener: () => void): () => void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
    return () => this.#listeners?.delete(listener)
  }

  /** The time is over. */
  pass(): void {
    this.#hasPassed = true
    this.#expire()
  }

  #expire(): void {
    this.#hasExpired ||= this.#applies
    for (const listener of this.#listeners ?? []) listener()
    if (this.#hasExpired) this.#giveUp?.(deadlineExceeded())
  }

  get #applies(): boolean {
    return !this.#isCommitted && this.#suspended === 0 && !this.#answer.headersSent
  }
}

function deadlineExceeded(): HttpError {
  return createError(503, 'The request took too long.', { headers: { 'Retry-After': '5' } })
}
