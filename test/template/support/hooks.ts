import type { Context } from 'mocha'
import { takeUnseenCodes } from '#test/support/error-codes.ts'
import { compareReads } from './compare-plans.ts'
import { clearLibrary, closeLibrary } from './library/index.ts'

const comparison = process.env.COMPARE_PLANS === 'true' ? compareReads() : null
const attempted = new Set<string>()

/** True in a parallel worker process; mocha ends it, and calls `afterAll` after each of its files. */
const isWorker = process.env.MOCHA_WORKER_ID !== undefined

/** Empties the library after every suite, so that every suite starts with an empty one. */
export const mochaHooks = {
  beforeAll(this: Context) {
    for (const suite of this.test?.parent?.suites ?? []) suite.afterAll(clearLibrary)
  },
  beforeEach(this: Context) {
    if (!comparison) return
    // A test that counts calls fails when its reads are compared: `npm run template -- plans` runs it again without.
    const title = `${this.currentTest?.file} ${this.currentTest?.fullTitle()}`
    comparison.isPaused = attempted.has(title)
    attempted.add(title)
  },
  async afterAll() {
    if (!isWorker) await closeLibrary()
    comparison?.throwDifferences()
  },
}

/** Runs once, in the first process. */
export function mochaGlobalTeardown(): void {
  if (process.env.WHOLE_SUITE === undefined) return
  const unseen = takeUnseenCodes()
  if (unseen.length > 0) {
    throw new Error(`No test receives these error codes over HTTP: ${unseen.join(', ')}.`)
  }
}
