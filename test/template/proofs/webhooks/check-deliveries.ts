import { isDeepStrictEqual } from 'node:util'

/** A row of the change log. */
export interface LoggedChange {
  readonly sequence: number
  readonly type: string
  readonly id: string
  readonly kind: string
  readonly members: readonly string[]
  readonly changedAt: string
}

/** What has arrived at one receiver: a change by its sequence, with what was said about it. */
export interface Arrival extends Omit<LoggedChange, 'sequence'> {
  /** Undefined if the delivery does not belong to a change of the log. */
  readonly sequence: number | undefined
}

export interface Findings {
  readonly missing: number[]
  readonly foreign: string[]
  readonly disordered: string[]
  /** Changes that have arrived more than once. */
  readonly repeated: number
}

/** Compares the arrivals at one receiver, in their order, with the changes that it must receive. */
export function checkArrivals(expected: readonly LoggedChange[], arrivals: readonly Arrival[]): Findings {
  const bySequence = new Map(expected.map((change) => [change.sequence, change]))
  const counts = new Map<number, number>()
  const latest = new Map<string, number>()
  const foreign: string[] = []
  const disordered: string[] = []
  for (const arrival of arrivals) {
    const change = bySequence.get(arrival.sequence ?? Number.NaN)
    if (!change || !isDeepStrictEqual({ ...arrival }, { ...change })) {
      foreign.push(JSON.stringify(arrival))
      continue
    }
    const resource = `${change.type} ${change.id}`
    const before = latest.get(resource) ?? 0
    if (change.sequence < before) disordered.push(`${resource}: ${change.sequence} after ${before}`)
    latest.set(resource, Math.max(before, change.sequence))
    counts.set(change.sequence, (counts.get(change.sequence) ?? 0) + 1)
  }
  const missing = expected.flatMap(({ sequence }) => (counts.has(sequence) ? [] : [sequence]))
  const repeated = [...counts.values()].filter((count) => count > 1).length
  return { missing, foreign, disordered, repeated }
}
