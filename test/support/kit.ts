import { projectApp, startApp, type TestApp, type TestAppOptions } from './app.ts'

// All that tests of resources need, in one place; docs/testing.md shows it.

export type { TestApp, TestAppOptions } from './app.ts'
export { markDirty } from './app.ts'
export { authorizationMatrix } from './authorization-matrix.ts'
export type { Answer, Client } from './client.ts'
export { freezeClock } from './clock.ts'
export { expectConstantQueries } from './constant-queries.ts'
export { defineFactory, type Factory } from './factory.ts'
export { as } from './principals.ts'
export { statementsOf } from './statements.ts'

/** The project as it is, one application for all tests; with options an application of its own, which the caller closes. */
export function createTestApp(options?: TestAppOptions): Promise<TestApp> {
  return options ? startApp(options) : projectApp()
}
