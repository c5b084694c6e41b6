/** Runs one test file with one mutant (0: none). */
export interface RunRequest {
  readonly mutant: number
  readonly file: string
  /** The tests to run; null for all tests of the file. */
  readonly titles: readonly string[] | null
}

export interface RunResult {
  /** The first failed test or hook; null if all tests pass. */
  readonly failure: string | null
  /** Whether a hook failed, which may leave an application open. */
  readonly isHookFailure: boolean
  readonly milliseconds: number
  /** The tests that were run. */
  readonly titles: readonly string[]
  /** The tests that reach each mutant, if no mutant is active. Null: a hook reaches it, for all tests of the file. */
  readonly hits: readonly (readonly [mutant: number, titles: readonly string[] | null])[]
  readonly rss: number
}
