import { mock } from 'node:test'
import type { Clock } from '#kernel/store'

/** Sets the time in each test of the suite, for the application too; timers run normally. */
export function freezeClock(moment: string): void {
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: new Date(moment) }))
  afterEach(() => mock.timers.reset())
}

/** A clock for the deadlines of requests, which only the test advances. */
export interface ManualClock extends Clock {
  /** Moves the time without running timers, as while the event loop is blocked. */
  skip(milliseconds: number): void
  /** Moves the time and runs the timers. */
  advance(milliseconds: number): void
}

export function manualClock(): ManualClock {
  const ticks = new Set<() => void>()
  let now = 0
  return {
    now: () => now,
    every(_interval, tick) {
      ticks.add(tick)
      return () => ticks.delete(tick)
    },
    skip(milliseconds) {
      now += milliseconds
    },
    advance(milliseconds) {
      now += milliseconds
      for (const tick of [...ticks]) tick()
    },
  }
}
