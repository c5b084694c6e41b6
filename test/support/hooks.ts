import { config } from 'chai'
import { closeProjectApp, takeDirty } from './app.ts'
import { closeTestDatabase, dropTestDatabases, resetTestDatabase } from './database.ts'

/** Disables chai's proxies: the compiler finds misspelt assertions, and the proxies are slow. */
config.useProxy = false

/** True in a parallel worker process; mocha ends it, and calls `afterAll` after each of its files. */
const isWorker = process.env.MOCHA_WORKER_ID !== undefined

/** Loads the demo data before a test if an earlier test has written, so that every test starts with the same rows. */
export const mochaHooks = {
  async beforeEach() {
    if (takeDirty()) await resetTestDatabase()
  },
  async afterAll() {
    if (isWorker) return
    await closeProjectApp()
    await closeTestDatabase()
  },
}

/** Runs once, in the first process. */
export async function mochaGlobalTeardown(): Promise<void> {
  await dropTestDatabases()
}
