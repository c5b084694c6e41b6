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

/** Prints the table of a section; texts of more than 120 characters are cut. */
export function formatSection({ title, findings, skipped }: Section): string {
  const rows = findings.map((finding) => Object.values(finding).map(toCell))
  const text = skipped ?? (rows.length > 0 ? formatTable(rows) : '(none)')
  return `${title}\n${text.replace(/^/gm, '  ')}\n`
}

function toCell(value: Finding[string]): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

/** The findings that set the exit code. */
export function countFaults(sections: readonly Section[], isStrict: boolean): number {
  const counted = sections.filter(({ severity }) => severity === 'fault' || (isStrict && severity === 'warning'))
  return counted.reduce((sum, { findings }) => sum + findings.length, 0)
}
