import type { Context } from 'mocha'
import { takeUnseenCodes } from '#test/support/error-codes.ts'
import { compareReads } from './compare-plans.ts'
import { clearLibrary, closeLibrary } from './library/index.ts'

if (process.env.COMPARE_PLANS === 'true') compareReads()

/** True in a parallel worker process; mocha ends it, and calls `afterAll` after each of its files. */
const isWorker = process.env.MOCHA_WORKER_ID !== undefined

/** Empties the library after every suite, so that every suite starts with an empty one. */
export const mochaHooks = {
  beforeAll(this: Context) {
    for (const suite of this.test?.parent?.suites ?? []) suite.afterAll(clearLibrary)
  },
  async afterAll() {
    if (!isWorker) await closeLibrary()
  },
}

/** Runs once, in the first process. */
export function mochaGlobalTeardown(): void {
  const unseen = takeUnseenCodes()
  if (process.env.WHOLE_SUITE && unseen.length > 0) {
    throw new Error(`No test receives these error codes over HTTP: ${unseen.join(', ')}.`)
  }
}
