/** Returns `describe`, or `describe.skip` if the condition is false, so that the report lists the tests as pending. */
export function describeIf(condition: boolean): typeof describe | typeof describe.skip {
  return condition ? describe : describe.skip
}

/** Whether the tests run against the database server of DATABASE_URL. */
export const hasServer = Boolean(process.env.DATABASE_URL)
