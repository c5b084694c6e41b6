import { loadTarget } from './load-target.ts'
import { type Mutant, mutantKey } from './mutant.ts'
import type { RunRequest, RunResult } from './protocol.ts'
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
  /** The tests that reach the mutant themselves, not by a hook. */
  readonly direct: readonly string[]
  readonly isBoot: boolean
  /** The estimated duration of the tests. */
  readonly milliseconds: number
}

/** Tests of a file that run first. They kill most mutants; only the other mutants need all tests. */
const firstTests = 6

/** Runs every mutant of a target with the tests that reach it. */
export async function runTarget(target: Target, options: RunOptions): Promise<void> {
  const mutants = loadTarget(target).mutants.filter(options.select)
  const tests = new TestProcess(target.name)
  try {
    const { reaches, loadHits } = await measureReach(target, tests)
    const killers = new Map<string, Killer[]>()
    for (const found of mutants) {
      // The mutant must be active when modules are loaded.
      const mutant = { ...found, isStatic: found.isStatic || loadHits.has(found.id) }
      const { file } = mutant
      if (options.explained.has(mutantKey(mutant))) {
        options.onVerdict({ mutant, outcome: 'explained' })
        continue
      }
      const reached = (mutant.isStatic ? reaches.get(0) : reaches.get(mutant.id)) ?? []
      const former = killers.get(file) ?? []
      const stages = [onlyKillers(reached, former), reached.map(takeFirst), ...(options.isQuick ? [] : [reached])]
      const { killer, failure } = await runStages(mutant, stages, tests)
      options.onVerdict(failure === null ? { mutant, outcome: 'survived' } : { mutant, outcome: 'killed', failure })
      if (killer)
        killers.set(file, [killer, ...former.filter(({ title }) => title !== killer.title)].slice(0, formerKillers))
    }
  } finally {
    tests.close()
  }
}

/** A test that killed a mutant. */
interface Killer {
  readonly file: string
  readonly title: string
}

/** Tests that killed the previous mutants of the same file run first. */
const formerKillers = 12

function onlyKillers(reached: readonly Reach[], killers: readonly Killer[]): readonly Reach[] {
  return reached
    .map((reach) => ({
      ...reach,
      titles: killers.flatMap(({ title }) => (reach.titles.includes(title) ? [title] : [])),
    }))
    .filter(({ titles }) => titles.length > 0)
}

/** The tests that reach each mutant, and the mutants that are reached while modules are loaded. */
interface MeasuredReach {
  readonly reaches: ReadonlyMap<number, readonly Reach[]>
  readonly loadHits: ReadonlySet<number>
}

/** Runs all tests without a mutant. Throws if a test fails, because it would kill every mutant. */
async function measureReach(target: Target, tests: TestProcess): Promise<MeasuredReach> {
  const reaches = new Map<number, Reach[]>()
  const loadHits = new Set<number>()
  for (const file of target.tests) {
    const result = await tests.run({ mutant: 0, file, titles: null, isBoot: true })
    if (typeof result === 'string') throw new Error(`${file} without a mutant: ${result}.`)
    if (result.failure) throw new Error(`${file} fails without a mutant: ${result.failure}`)
    const { hits, titles: all, milliseconds } = result
    for (const mutant of result.loadHits) loadHits.add(mutant)
    for (const { mutant, titles: direct, isBoot } of [{ mutant: 0, titles: [], isBoot: true }, ...hits]) {
      const titles = isBoot ? all : direct
      const share = titles.length / Math.max(1, all.length)
      const reach = { file, titles, direct, isBoot, milliseconds: milliseconds * share }
      reaches.set(mutant, [...(reaches.get(mutant) ?? []), reach])
    }
  }
  for (const reached of reaches.values()) reached.sort((a, b) => a.milliseconds - b.milliseconds)
  return { reaches, loadHits }
}

/** Selects a few tests that are distributed over the file, if possible such that reach the mutant themselves. */
function takeFirst({ titles, direct, ...rest }: Reach): Reach {
  const [candidates, count] = direct.length > 0 ? [direct, firstTests] : [titles, 1]
  const distance = Math.max(1, Math.floor(candidates.length / count))
  return { ...rest, direct, titles: candidates.filter((_, index) => index % distance === 0).slice(0, count) }
}

/** Runs the stages, each with more tests than the one before, until a test fails. */
async function runStages(mutant: Mutant, stages: readonly (readonly Reach[])[], tests: TestProcess): Promise<Kill> {
  if (mutant.isStatic) tests.restart(mutant.id)
  try {
    const isBoot = stages.flat().some((reach) => reach.isBoot)
    for (const { file, titles } of stages.flat()) {
      const result = await runVerified({ mutant: mutant.id, file, titles, isBoot }, mutant.isStatic, tests)
      if (typeof result === 'string') return { failure: result, killer: null }
      const { failure, failedTest } = result
      if (failure !== null) return { failure, killer: failedTest === null ? null : { file, title: failedTest } }
    }
    return { failure: null, killer: null }
  } finally {
    if (mutant.isStatic) tests.close()
  }
}

/** Repeats a failed test without the mutant. If it fails again, former mutants have left a fault in the process. */
async function runVerified(request: RunRequest, isStatic: boolean, tests: TestProcess): Promise<RunResult | string> {
  const result = await tests.run(request)
  if (isStatic || typeof result === 'string' || result.failure === null) return result
  const titles = result.failedTest === null ? (request.titles ?? []).slice(0, 1) : [result.failedTest]
  const repeated = await tests.run({ ...request, mutant: 0, titles })
  if (typeof repeated !== 'string' && repeated.failure === null) return result
  tests.close()
  return tests.run(request)
}

interface Kill {
  readonly failure: string | null
  /** Null if a hook failed or the process ended. */
  readonly killer: Killer | null
}
