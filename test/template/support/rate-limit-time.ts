import { mock } from 'node:test'
import { freezeClock } from '#test/support/clock.ts'

/** Milliseconds after which the memory of the process replaces a store of rate limits that has not responded. */
const timeout = 500

/** In each test of the suite, the store has any time to respond and no window ends: a slow machine changes no count. */
export function stopTimeOfRateLimits(): void {
  freezeClock('2026-01-01T00:00:00Z')
  const { setTimeout } = globalThis
  beforeEach(() => {
    mock.method(globalThis, 'setTimeout', (run: () => void, milliseconds: number, ...args: []) =>
      setTimeout(milliseconds === timeout ? () => {} : run, milliseconds, ...args),
    )
  })
  afterEach(() => mock.restoreAll())
}
