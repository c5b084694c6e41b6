import {
  type ReadCase,
  readCases,
  readCasesByRow,
  readLeaks,
  unauthorizedChanges,
  type WriteCase,
  writeCases,
  writeCasesByRow,
} from '#test/conformance/leaks/cases.ts'
import { requestText } from '#test/conformance/leaks/findings.ts'
import type { Decision } from '#test/conformance/leaks/row-denials.ts'
import { readKeys } from '#test/conformance/leaks/rows.ts'
import { findIncludes, type LeakRun, startRun } from '#test/conformance/leaks/run.ts'
import type { AppSettings } from './app-under-test.ts'
import type { Prover } from './prover.ts'

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
 * Replaces every policy by one that denies rows of one type at a time, with every ability, and sends all requests to
 * those rows: provider, persister and hooks of a type must obey any policy that the type gets later.
 */
export async function proveDenials(
  surroundings: AppSettings,
  prover: Prover,
  names: readonly string[],
  progress: (line: string) => void,
): Promise<void> {
  if (surroundings.disabled.includes('authorization')) return
  for (const [decision, cases] of Object.entries(decisions) as [Decision, Cases][]) {
    const run = await startRun({ ...surroundings, decision, onWrite: () => {} }, false)
    try {
      await runCases(run, cases, prover, names, (line) => progress(`policies that decide ${decision}: ${line}`))
    } finally {
      await run.close()
    }
  }
}

async function runCases(
  run: LeakRun,
  { reads, writes }: Cases,
  prover: Prover,
  names: readonly string[],
  progress: (line: string) => void,
): Promise<void> {
  const includes = await findIncludes(run)
  for (const type of run.stored) {
    if (names.length > 0 && !names.includes(type.name)) continue
    if ((await readKeys(run.app, type)).length === 0) continue
    prover.startType(type.name)
    progress(type.name)
    for (const readCase of reads)
      report(prover, await readLeaks(run, type, readCase, includes), `${readCase.title} ${type.name}`)
    for (const writeCase of writes)
      report(prover, await unauthorizedChanges(run, type, writeCase), `${writeCase.title} ${type.name}`)
    run.denials.deny([], [])
  }
}

function report(prover: Prover, findings: Awaited<ReturnType<typeof readLeaks>>, when: string): void {
  if (findings.length === 0) prover.check(true, '', '', '')
  for (const finding of findings) {
    prover.check(false, finding.rule, requestText(finding), `when ${when}: ${finding.message}`)
  }
}
