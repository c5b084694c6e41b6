import type { App, Statement, StoreObserver } from '#kernel/plugin'

/** Returns milliseconds; tests inject their own. */
export type Now = () => number

/** A statement of a request. */
export interface TimedStatement {
  readonly statement: Statement
  readonly startedAt: number
  /** Undefined while it runs. */
  endedAt?: number
  rows?: number
  hasFailed?: boolean
}

/** The times of one request, in milliseconds. */
export class RequestTimes implements Required<Pick<StoreObserver, 'onStatement' | 'onWait'>> {
  readonly app: App
  readonly statements: TimedStatement[] = []
  /** Time with at least one statement in flight. */
  readonly database: Stopwatch
  /** Time spent waiting for a connection. */
  readonly waiting: Stopwatch
  readonly #now: Now
  readonly #startedAt: number

  constructor(app: App, now: Now) {
    this.app = app
    this.#now = now
    this.#startedAt = now()
    this.database = new Stopwatch(now)
    this.waiting = new Stopwatch(now)
  }

  get total(): number {
    return this.#now() - this.#startedAt
  }

  onStatement(statement: Statement): ReturnType<NonNullable<StoreObserver['onStatement']>> {
    const timed: TimedStatement = { statement, startedAt: this.#now() }
    this.statements.push(timed)
    const stop = this.database.start()
    return ({ rows, error }) => {
      stop()
      timed.endedAt = this.#now()
      timed.rows = rows
      timed.hasFailed = error !== undefined
    }
  }

  onWait(): () => void {
    return this.waiting.start()
  }
}

/** Measures the time in which at least one of several overlapping activities runs. */
class Stopwatch {
  readonly #now: Now
  #running = 0
  #startedAt = 0
  #elapsed = 0

  constructor(now: Now) {
    this.#now = now
  }

  get elapsed(): number {
    return this.#elapsed + (this.#running > 0 ? this.#now() - this.#startedAt : 0)
  }

  /** Starts an activity. Returns the function that ends it. */
  start(): () => void {
    if (this.#running++ === 0) this.#startedAt = this.#now()
    return () => {
      if (--this.#running === 0) this.#elapsed += this.#now() - this.#startedAt
    }
  }
}
