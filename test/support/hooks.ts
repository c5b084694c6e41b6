import { config } from 'chai'
import type { Context } from 'mocha'
import { clearLibrary, closeLibrary } from '#test/template/support/library/index.ts'
import { closeProjectApp, takeDirty } from './app.ts'
import { closeTestDatabase, dropTestDatabases, resetTestDatabase } from './database.ts'
import { takeUnseenCodes } from './error-codes.ts'

/** Disables chai's proxies: the compiler finds misspelt assertions, and the proxies are slow. */
config.useProxy = false

/** True in a parallel worker process; mocha ends it, and calls `afterAll` after each of its files. */
const isWorker = process.env.MOCHA_WORKER_ID !== undefined

/**
 * Loads the demo data before a test if an earlier test has written, so that every test starts with the same rows. Empties
 * the library after every suite, so that every suite starts with an empty one.
 */
export const mochaHooks = {
  beforeAll(this: Context) {
    for (const suite of this.test?.parent?.suites ?? []) suite.afterAll(clearLibrary)
  },
  async beforeEach() {
    if (takeDirty()) await resetTestDatabase()
  },
  async afterAll() {
    if (isWorker) return
    await closeProjectApp()
    await closeLibrary()
    await closeTestDatabase()
  },
}

/** Runs once, in the first process. */
export async function mochaGlobalTeardown(): Promise<void> {
  await dropTestDatabases()
  const unseen = takeUnseenCodes()
  if (process.env.WHOLE_SUITE && unseen.length > 0) {
    throw new Error(`No test receives these error codes over HTTP: ${unseen.join(', ')}.`)
  }
}
