import { loadTarget } from './load-target.ts'
import { keyOf, type Mutant } from './mutant.ts'
import type { Target } from './targets.ts'
import { TestProcess } from './test-process.ts'

export interface Verdict {
  readonly mutant: Mutant
  readonly outcome: 'killed' | 'survived' | 'explained'
  /** The failed test of a killed mutant. */
  readonly failure?: string
}

export interface RunOptions {
  /** Keys of the mutants that the table explains; they are not run. */
  readonly explained: ReadonlySet<string>
  readonly select: (mutant: Mutant) => boolean
  /** Whether to run only a few tests of each file. Then a test that was not run may kill a mutant that survives. */
  readonly isQuick: boolean
  readonly onVerdict: (verdict: Verdict) => void
}

/** The tests of one file that reach a mutant. */
interface Reach {
  readonly file: string
  readonly titles: readonly string[]
  /** The estimated duration of the tests. */
  readonly milliseconds: number
}

/** Tests of a file that run first. They kill most mutants; only the other mutants need all tests. */
const firstTests = 4

/** Runs every mutant of a target with the tests that reach it, the fastest test files first. */
export async function runTarget(target: Target, options: RunOptions): Promise<void> {
  const mutants = loadTarget(target).mutants.filter(options.select)
  const tests = new TestProcess(target.name)
  try {
    const reaches = await measureReach(target, tests)
    for (const mutant of mutants) {
      if (options.explained.has(keyOf(mutant))) {
        options.onVerdict({ mutant, outcome: 'explained' })
        continue
      }
      const reached = mutant.isStatic ? allTests(reaches) : (reaches.get(mutant.id) ?? [])
      const first = await runMutant(mutant, reached.map(takeFirst), tests)
      const isFinal = first.outcome === 'killed' || options.isQuick
      options.onVerdict(isFinal ? first : await runMutant(mutant, reached, tests))
    }
  } finally {
    tests.close()
  }
}

/** Runs all tests without a mutant. Throws if a test fails, because it would kill every mutant. */
async function measureReach(target: Target, tests: TestProcess): Promise<Map<number, Reach[]>> {
  const reaches = new Map<number, Reach[]>()
  for (const file of target.tests) {
    const result = await tests.run({ mutant: 0, file, titles: null })
    if (typeof result === 'string') throw new Error(`${file} without a mutant: ${result}.`)
    if (result.failure) throw new Error(`${file} fails without a mutant: ${result.failure}`)
    const { hits, titles: all, milliseconds } = result
    for (const [mutant, reachedBy] of [[0, null] as const, ...hits]) {
      const titles = reachedBy ?? all
      const reach = { file, titles, milliseconds: (milliseconds * titles.length) / Math.max(1, all.length) }
      reaches.set(mutant, [...(reaches.get(mutant) ?? []), reach])
    }
  }
  for (const reached of reaches.values()) reached.sort((a, b) => a.milliseconds - b.milliseconds)
  return reaches
}

/** Selects a few tests that are distributed over the file. */
function takeFirst({ titles, ...rest }: Reach): Reach {
  const distance = Math.max(1, Math.floor(titles.length / firstTests))
  return { ...rest, titles: titles.filter((_, index) => index % distance === 0).slice(0, firstTests) }
}

function allTests(reaches: ReadonlyMap<number, readonly Reach[]>): readonly Reach[] {
  return reaches.get(0) ?? []
}

async function runMutant(mutant: Mutant, reached: readonly Reach[], tests: TestProcess): Promise<Verdict> {
  if (mutant.isStatic) await tests.restart(mutant.id)
  try {
    for (const { file, titles } of reached) {
      const result = await tests.run({ mutant: mutant.id, file, titles })
      const failure = typeof result === 'string' ? result : result.failure
      if (failure) return { mutant, outcome: 'killed', failure }
    }
    return { mutant, outcome: 'survived' }
  } finally {
    if (mutant.isStatic) tests.close()
  }
}
