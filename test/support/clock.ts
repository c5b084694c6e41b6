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

export function manualClock(): ManualClock {
  const timers = new Set<() => void>()
  let now = 0
  const add = (timer: () => void) => {
    timers.add(timer)
    return () => timers.delete(timer)
  }
  return {
    now: () => now,
    after(delay, call) {
      const at = now + delay
      const cancel = add(() => {
        if (now < at) return
        cancel()
        call()
      })
      return cancel
    },
    every: (_interval, call) => add(call),
    skip(milliseconds) {
      now += milliseconds
    },
    advance(milliseconds) {
      now += milliseconds
      for (const timer of [...timers]) timer()
    },
  }
}
