import { LruMap } from '#kernel/store'

/** A statement text that was sent often enough to be prepared, and its name on every connection that prepares it. */
export class PreparedName {
  readonly name: string
  readonly text: string
  /** Moving average of the execution time, in milliseconds. */
  duration = 0

  constructor(name: string, text: string) {
    this.name = name
    this.text = text
  }

  recordDuration(milliseconds: number): void {
    this.duration += (milliseconds - this.duration) / 8
  }
}

/** Executions after which a text gets a name. */
const minExecutions = 3
/** Limit of texts whose executions are counted. */
const maxCounted = 1_000
/** Longest text that gets a name: a prepared statement costs the server a multiple of it on every connection. */
const maxTextLength = 8_192

/** The texts that have a name. */
export const preparedNames = new LruMap<string, PreparedName>()
const executions = new LruMap<string, number>()
let nameCount = 0

/** Drops the name of a text whose plan is outdated on every connection. A later execution prepares it under another name. */
export function dropPreparedName(text: string): void {
  preparedNames.delete(text)
}

/**
 * Counts an execution of the text and returns its name. A name is never used for a second text. A new name beyond `max`
 * evicts the least recently used one. Returns undefined for a text without parameters, which is unlikely to be sent
 * again, for a long text, and for one that was not executed often enough.
 */
export function prepareName(text: string, values: readonly unknown[], max: number): PreparedName | undefined {
  if (values.length === 0 || text.length > maxTextLength) return undefined
  const existing = preparedNames.get(text)
  if (existing !== undefined) return existing
  const count = (executions.get(text) ?? 0) + 1
  if (count < minExecutions) {
    executions.set(text, count, maxCounted)
    return undefined
  }
  executions.delete(text)
  const prepared = new PreparedName(`statement_${nameCount++}`, text)
  preparedNames.set(text, prepared, max)
  return prepared
}
