import type { Decision } from '#test/support/leaks/blindfold.ts'
import {
  type ReadCase,
  readCases,
  readCasesByRow,
  readLeaks,
  unauthorizedChanges,
  type WriteCase,
  writeCases,
  writeCasesByRow,
} from '#test/support/leaks/cases.ts'
import { requestText } from '#test/support/leaks/findings.ts'
import { keysOf } from '#test/support/leaks/rows.ts'
import { findIncludes, type LeakRun, startRun } from '#test/support/leaks/run.ts'
import type { Prover } from './prover.ts'
import type { Surroundings } from './subject.ts'

interface Cases {
  readonly reads: readonly ReadCase[]
  readonly writes: readonly WriteCase[]
}

const decisions: Readonly<Record<Decision, Cases>> = {
  'by-type': { reads: readCases, writes: writeCases },
  'by-row': { reads: [], writes: writeCasesByRow },
  'rows-by-view': { reads: readCasesByRow, writes: [] },
}

/**
 * Replaces every policy by one that denies rows of one type at a time, in every way a policy can, and tries all ways to
 * those rows: whatever policy a type gets later, its provider, persister and hooks keep to it.
 */
export async function proveDenials(
  surroundings: Surroundings,
  prover: Prover,
  names: readonly string[],
  progress: (line: string) => void,
): Promise<void> {
  if (surroundings.disabled.includes('authorization')) return
  for (const [decision, cases] of Object.entries(decisions) as [Decision, Cases][]) {
    const run = await startRun({ ...surroundings, decision, wrote: () => {} }, false)
    try {
      await tryCases(run, cases, prover, names, (line) => progress(`policies that decide ${decision}: ${line}`))
    } finally {
      await run.close()
    }
  }
}

async function tryCases(
  run: LeakRun,
  { reads, writes }: Cases,
  prover: Prover,
  names: readonly string[],
  progress: (line: string) => void,
): Promise<void> {
  const includes = await findIncludes(run)
  for (const type of run.stored) {
    if (names.length > 0 && !names.includes(type.name)) continue
    if ((await keysOf(run.app, type)).length === 0) continue
    prover.begin(type.name)
    progress(type.name)
    for (const one of reads) report(prover, await readLeaks(run, type, one, includes), `${one.title} ${type.name}`)
    for (const one of writes) report(prover, await unauthorizedChanges(run, type, one), `${one.title} ${type.name}`)
    run.blindfold.hide([], [])
  }
}

function report(prover: Prover, findings: Awaited<ReturnType<typeof readLeaks>>, when: string): void {
  if (findings.length === 0) prover.hold(true, '', '', '')
  for (const finding of findings) {
    prover.hold(false, finding.rule, requestText(finding), `when ${when}: ${finding.message}`)
  }
}
