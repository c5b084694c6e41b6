import type { App, Statement } from '#kernel/plugin'

/** Returns milliseconds; tests inject their own. */
export type Now = () => number

export interface Interval {
  readonly startedAt: number
  /** Undefined while the activity runs. */
  endedAt?: number
}

/** A statement of a request. */
export interface TimedStatement extends Interval {
  readonly statement: Statement
  rows?: number
  hasFailed?: boolean
}

/** The times of one request, in milliseconds. */
export class RequestTimes {
  readonly app: App
  readonly statements: TimedStatement[] = []
  readonly waits: Interval[] = []
  readonly now: Now
  readonly #startedAt: number

  constructor(app: App, now: Now) {
    this.app = app
    this.now = now
    this.#startedAt = now()
  }

  get total(): number {
    return this.now() - this.#startedAt
  }

  /** Time with at least one statement in flight. */
  get database(): number {
    return coveredTime(this.statements, this.now())
  }

  /** Time spent waiting for a connection. */
  get waiting(): number {
    return coveredTime(this.waits, this.now())
  }
}

/** Returns the time that at least one of the intervals, which are ordered by their start, covers. */
function coveredTime(intervals: readonly Interval[], now: number): number {
  let covered = 0
  let coveredUntil = -Infinity
  for (const { startedAt, endedAt = now } of intervals) {
    covered += Math.max(0, endedAt - Math.max(startedAt, coveredUntil))
    coveredUntil = Math.max(coveredUntil, endedAt)
  }
  return covered
}
