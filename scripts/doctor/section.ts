import { formatTable } from '../support/table.ts'

/** One check of the doctor with what it has found. */
export interface Section {
  /** The name in the output of `--json`. */
  readonly name: string
  readonly title: string
  /** `fault`: exit code 1. `warning`: exit code 1 with --strict. `hint`: exit code 0. */
  readonly severity: 'fault' | 'warning' | 'hint'
  readonly findings: readonly Finding[]
  /** Why the check was not made. */
  readonly skipped?: string
}

/** The members are the columns of the printed table. */
export type Finding = Readonly<Record<string, string | number | readonly string[]>>

/** Returns false for a check that was made and has found nothing. */
export function isPrinted({ findings, skipped }: Section): boolean {
  return findings.length > 0 || skipped !== undefined
}

/** Prints the table of a section; texts of more than 120 characters are cut. */
export function formatSection({ title, findings, skipped }: Section): string {
  const rows = findings.map((finding) => Object.values(finding).map(toCell))
  const text = skipped ?? formatTable(rows)
  return `${title}\n${text.replace(/^/gm, '  ')}\n`
}

function toCell(value: Finding[string]): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

/** The findings that set the exit code. */
export function countFaults(sections: readonly Section[], isStrict: boolean): number {
  return countFindings(sections, 'fault') + (isStrict ? countFindings(sections, 'warning') : 0)
}

export function countFindings(sections: readonly Section[], severity: Section['severity']): number {
  const counted = sections.filter((section) => section.severity === severity)
  return counted.reduce((sum, { findings }) => sum + findings.length, 0)
}

/** The last line of the output: the numbers of faults and of warnings that are no faults. */
export function summarize(sections: readonly Section[], isStrict: boolean): string {
  const faults = countFaults(sections, isStrict)
  const warnings = isStrict ? 0 : countFindings(sections, 'warning')
  if (faults + warnings === 0) return 'Nothing to fix.'
  const counted = warnings === 0 ? '' : `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`
  return `${faults === 0 ? 'No faults' : `${faults} to fix`}${counted}.`
}
