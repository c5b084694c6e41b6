import { mock } from 'node:test'

/** In each test of the suite it is this moment, for the application as well; timers run as ever. */
export function freezeClock(moment: string): void {
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: new Date(moment) }))
  afterEach(() => mock.timers.reset())
}
