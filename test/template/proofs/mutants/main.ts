import { appendFileSync, readFileSync } from 'node:fs'
import { readArguments } from '../../../../scripts/support/arguments.ts'
import { withTestPostgres } from '../../../../scripts/support/postgres.ts'
import { reportErrors } from '../../../../scripts/support/project.ts'
import { formatTable } from '../../../../scripts/support/table.ts'
import { explainedFile, formatRow, readExplanations } from './explained.ts'
import { loadTarget } from './load-target.ts'
import { describeMutant, type Mutant, mutantKey } from './mutant.ts'
import { runTarget, type Verdict } from './run-target.ts'
import { sample, sampleMutants, type Target, targets } from './targets.ts'

const usage = `npm run template -- prove mutants [target …] [options]

Mutation testing: changes one expression or statement at a time and runs the tests that reach it. A mutant that no test
detects needs a test, or a row in the table of explained mutants. The tests run on a PostgreSQL server, which is faster.

  --sample      only a few known mutants
  --quick       only the tests that are likely to detect a mutant
  --file path   only mutants of this file; may be repeated
  --explained   also runs the explained mutants
  --log file    appends every result to the file
  --again file  only mutants that survived according to this log
  --embedded    on the embedded database`

const { values, positionals } = readArguments({
  usage,
  options: {
    sample: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    file: { type: 'string', multiple: true, default: [] },
    explained: { type: 'boolean', default: false },
    log: { type: 'string' },
    again: { type: 'string' },
    embedded: { type: 'boolean', default: false },
  },
  positionals: Number.POSITIVE_INFINITY,
})

await reportErrors(async () => {
  if (values.embedded) return runMutants()
  await withTestPostgres((databaseUrl) => {
    process.env.DATABASE_URL = databaseUrl
    return runMutants()
  })
})

async function runMutants(): Promise<void> {
  const explanations = readExplanations()
  const stale = staleExplanations(explanations)
  const chosen = values.sample ? [sample] : targets.filter(({ name }) => isNamed(name, positionals))
  const explained = new Set(values.explained ? [] : explanations.keys())
  const rows: string[][] = []
  const survivors: Mutant[] = []
  let isReached = stale.length === 0
  for (const target of chosen) {
    const verdicts: Verdict[] = []
    const onVerdict = (verdict: Verdict) => {
      verdicts.push(verdict)
      if (values.log) appendFileSync(values.log, `${JSON.stringify(verdict)}\n`)
      progress(`${target.name} ${verdicts.length}: ${describeMutant(verdict.mutant)}`)
    }
    const isSurvivor = values.again ? survivorsIn(values.again) : () => true
    const isChosen = (mutant: Mutant) => isNamed(mutant.file, values.file) && isSurvivor(mutant)
    const select = values.sample ? isInSample : isChosen
    await runTarget(target, { explained, select, isQuick: values.quick, onVerdict })
    const survived = verdicts.filter(({ outcome }) => outcome === 'survived')
    survivors.push(...survived.map(({ mutant }) => mutant))
    rows.push(formatFigures(target, verdicts))
    isReached &&= !values.sample || verdicts.length === sampleMutants.length
    isReached &&= survived.length <= verdicts.length * (1 - target.goal)
  }
  progress('')
  for (const mutant of survivors) console.log(formatRow({ ...mutant, reason: `line ${mutant.line}` }))
  for (const key of stale) console.log(`${explainedFile} names a mutant that does not exist: ${key}`)
  console.log(formatTable([['TARGET', 'MUTANTS', 'KILLED', 'SURVIVED', 'EXPLAINED', 'SCORE', 'GOAL'], ...rows]))
  if (!isReached) process.exitCode = 1
}

/** Selects mutants whose last result in the log is that they survived. */
function survivorsIn(log: string): (mutant: Mutant) => boolean {
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  const verdicts = lines.map((line): Verdict => JSON.parse(line))
  const outcomes = new Map(verdicts.map(({ mutant, outcome }) => [mutantKey(mutant), outcome]))
  return (mutant) => outcomes.get(mutantKey(mutant)) === 'survived'
}

function isNamed(name: string, names: readonly string[]): boolean {
  return names.length === 0 || names.includes(name)
}

function isInSample({ before, after }: Mutant): boolean {
  return sampleMutants.includes(`${before} → ${after}`)
}

function staleExplanations(explanations: ReadonlyMap<string, unknown>): readonly string[] {
  const keys = new Set(targets.flatMap((target) => loadTarget(target).mutants.map(mutantKey)))
  return [...explanations.keys()].filter((key) => !keys.has(key))
}

function formatFigures({ name, goal }: Target, verdicts: readonly Verdict[]): string[] {
  const count = (outcome: Verdict['outcome']) => verdicts.filter((verdict) => verdict.outcome === outcome).length
  const survived = count('survived')
  const score = verdicts.length === 0 ? 1 : 1 - survived / verdicts.length
  return [
    name,
    `${verdicts.length}`,
    `${count('killed')}`,
    `${survived}`,
    `${count('explained')}`,
    `${(score * 100).toFixed(1)} %`,
    `${goal * 100} %`,
  ]
}

/** Overwrites one line on a terminal. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line.slice(0, process.stderr.columns)}`)
}
