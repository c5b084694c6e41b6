/** One change of one expression or statement of a file. */
export interface Mutant {
  /** Unique within a run; the switch in the instrumented code compares it with the active mutant. */
  readonly id: number
  readonly file: string
  readonly line: number
  /** The function, method or constant that contains the change, with a number if it contains the same change twice. */
  readonly name: string
  readonly before: string
  readonly after: string
  /** Whether the code runs when its module is loaded. Such a mutant needs a new process. */
  readonly isStatic: boolean
}

/** The text and position of a change. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly after: string
  /** The whole expression or statement that the switch encloses. */
  readonly whole: Whole
}

export interface Whole {
  readonly start: number
  readonly end: number
  readonly depth: number
  readonly kind: 'expression' | 'statement'
}

/** Identifies a mutant across edits of the file: without its line. */
export function mutantKey({ file, name, before, after }: Pick<Mutant, 'file' | 'name' | 'before' | 'after'>): string {
  return JSON.stringify([file, name, before, after])
}

export function describeMutant({ file, line, name, before, after }: Mutant): string {
  return `${file}:${line} ${name}: ${before} → ${after}`
}
