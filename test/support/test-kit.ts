import { projectApp, startApp, type TestApp, type TestAppOptions, unrestrictedApp } from './app.ts'

// The helpers for tests of resources in one module; docs/testing.md describes it.

export type { TestApp, TestAppOptions } from './app.ts'
export { markDirty } from './app.ts'
export { authorizationMatrix } from './authorization-matrix.ts'
export type { Client, ClientResponse } from './client.ts'
export { freezeClock } from './clock.ts'
export { expectConstantQueries } from './constant-queries.ts'
export { defineFactory, type Factory } from './factory.ts'
export { as, asFirst } from './principals.ts'
export { statementsOf } from './statements.ts'

/** Returns the shared application of the project; with options starts another one, which the caller closes. */
export function createTestApp(options?: TestAppOptions): Promise<TestApp> {
  return options ? startApp(options) : projectApp()
}

/**
 * Returns the shared application of the project with policies that allow every request and show every row: a test of fields and
 * relations remains valid when a policy changes.
 */
export function createUnrestrictedApp(): Promise<TestApp> {
  return unrestrictedApp()
}
