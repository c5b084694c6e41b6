import type { ServerResponse } from 'node:http'
import createError, { type HttpError } from 'http-errors'
import { type Clock, type Deadline, type StartDeadline, systemClock } from '#kernel/store'

type ResponseState = Pick<ServerResponse, 'headersSent'>

export function createDeadlines(limit: number, clock: Clock = systemClock): StartDeadline {
  return (response) => (limit === 0 ? null : new RequestDeadline(clock, limit, response))
}

class RequestDeadline implements Deadline {
  hasExpired = false
  readonly end: () => void
  readonly #clock: Clock
  readonly #at: number
  readonly #response: ResponseState
  #listeners: Set<() => void> | undefined
  #reject: ((error: HttpError) => void) | undefined
  #suspended = 0
  #isCommitted = false
  #isTimeOver = false

  constructor(clock: Clock, limit: number, response: ResponseState) {
    this.#clock = clock
    this.#at = clock.now() + limit
    this.end = clock.after(limit, () => this.#pass())
    this.#response = response
  }

  get remaining(): number {
    return this.#at - this.#clock.now()
  }

  check(): void {
    if (this.hasExpired || (this.#at <= this.#clock.now() && this.#applies)) throw deadlineExceeded()
  }

  limit<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#reject = reject
    work.then(resolve, reject)
    return promise
  }

  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const listener = () => {
        if (this.hasExpired) reject(deadlineExceeded())
      }
      this.#listeners ??= new Set()
      const listeners = this.#listeners.add(listener)
      work.then(
        (result) => {
          listeners.delete(listener)
          resolve(result)
        },
        (error) => {
          listeners.delete(listener)
          reject(error)
        },
      )
    })
  }

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
    if (this.#isTimeOver) this.#expire()
  }

  onExpire(listener: () => void): () => void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
    return () => this.#listeners?.delete(listener)
  }

  #pass(): void {
    this.#isTimeOver = true
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
