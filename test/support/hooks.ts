import { config } from 'chai'
import type { Context } from 'mocha'
import { closeProjectApp, takeDirty } from './app.ts'
import { closeTestDatabase, dropTestDatabases, resetTestDatabase } from './database.ts'
import { takeUnseenCodes } from './error-codes.ts'
import { clearLibrary, closeLibrary } from './library/index.ts'

/** The compiler finds a misspelt assertion; the proxies that would find it at run time cost much of the time. */
config.useProxy = false

/** One of several processes that share the files; mocha ends it, and calls `afterAll` after each of its files. */
const isWorker = process.env.MOCHA_WORKER_ID !== undefined

/**
 * Every test finds exactly the demo data; it is loaded again only after a test that wrote. Every suite finds an empty
 * library, whichever suites the same process has run before.
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
    throw new Error(`No test gets these errors to see over HTTP: ${unseen.join(', ')}.`)
  }
}
