/** Runs one test file with one mutant (0: none). */
export interface RunRequest {
  readonly mutant: number
  readonly file: string
  /** The tests to run; null for all tests of the file. */
  readonly titles: readonly string[] | null
  /** Whether the mutant may change the boot of an application, so that the one of the project is started again. */
  readonly isBoot: boolean
}

export interface RunResult {
  /** The first failed test or hook; null if all tests pass. */
  readonly failure: string | null
  /** The title of the failed test; null if all pass or a hook for all tests fails. */
  readonly failedTest: string | null
  readonly milliseconds: number
  /** The tests that were run. */
  readonly titles: readonly string[]
  /** The mutants that are reached, if no mutant is active. */
  readonly hits: readonly Hit[]
  /** The mutants that were reached while modules were loaded. */
  readonly loadHits: readonly number[]
  readonly rss: number
}

export interface Hit {
  readonly mutant: number
  /** The tests that reach the mutant themselves. */
  readonly titles: readonly string[]
  /** Whether a hook for all tests reaches it, as in the boot of an application. */
  readonly isBoot: boolean
}
