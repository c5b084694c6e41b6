import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '#kernel/store'

/** Fixes the time of `Date` in each test of the suite, for the application as well. Timers are not affected. */
export function freezeClock(moment: string): void {
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: new Date(moment) }))
  afterEach(() => mock.timers.reset())
}

/** A clock for deadlines and shutdown, which only a test advances. */
export interface ManualClock extends Clock {
  /** The number of timers of `after` that have neither run nor been cancelled. */
  readonly timers: number
  /** The number of timers of `every` that have not been cancelled. */
  readonly intervals: number
  /** Moves the time without running timers, as while the event loop is blocked. */
  skip(milliseconds: number): void
  /** Moves the time and runs the timers. */
  advance(milliseconds: number): void
}

/** Advances the clock in steps until the work is done. */
export async function advanceUntil(clock: ManualClock, work: Promise<unknown>, step: number): Promise<void> {
  let isDone = false
  work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    clock.advance(step)
    await setImmediate()
  }
}

/** The same, but only while a timer is pending: no time passes during work that waits for something else. */
export async function advanceTimersUntil<T>(clock: ManualClock, work: Promise<T>, step: number): Promise<T> {
  let isDone = false
  const settled = work.finally(() => {
    isDone = true
  })
  settled.catch(() => {}) // the caller receives the error
  while (!isDone) {
    if (clock.timers > 0) clock.advance(step)
    await setImmediate()
  }
  return settled
}

export function manualClock(): ManualClock {
  const timers = new Set<() => void>()
  const periodic = new Set<() => void>()
  let now = 0
  return {
    get timers() {
      return timers.size
    },
    get intervals() {
      return periodic.size
    },
    now: () => now,
    after(delay, call) {
      const at = now + delay
      const timer = () => {
        if (now < at) return
        timers.delete(timer)
        call()
      }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    every(_interval, call) {
      const timer = () => call()
      periodic.add(timer)
      return () => periodic.delete(timer)
    },
    skip(milliseconds) {
      now += milliseconds
    },
    advance(milliseconds) {
      now += milliseconds
      for (const timer of [...timers, ...periodic]) timer()
    },
  }
}
