import { type Candidate, candidateShape } from './candidate.ts'
import type { Cost } from './measure.ts'

export interface Entry {
  readonly candidate: Candidate
  readonly cost: Cost
}

export interface Measure {
  readonly name: string
  /** Zero if the measure does not apply to the request. */
  readonly of: (cost: Cost) => number
}

const accepted = (read: (cost: Cost) => number) => (cost: Cost) => (cost.status < 400 ? read(cost) : 0)
const refused = (read: (cost: Cost) => number) => (cost: Cost) => (cost.status < 400 ? 0 : read(cost))

export const measures: readonly Measure[] = [
  { name: 'CPU time, accepted', of: accepted(({ cpu }) => cpu) },
  { name: 'CPU time, refused', of: refused(({ cpu }) => cpu) },
  { name: 'bytes, accepted', of: accepted(({ bytes }) => bytes) },
  { name: 'bytes, refused', of: refused(({ bytes }) => bytes) },
  { name: 'SQL statements', of: ({ statements }) => statements },
  { name: 'wall time', of: ({ wall }) => wall },
  { name: 'memory', of: ({ memory }) => memory },
  { name: 'resources', of: accepted(({ resources }) => resources) },
  { name: 'identifiers', of: accepted(({ identifiers }) => identifiers) },
]

/** The most expensive candidates by each measure, one per shape of a request. */
export class Archive {
  readonly #entries = new Map<Measure, Entry[]>()
  readonly #size: number

  constructor(size: number) {
    this.#size = size
  }

  /** Returns whether the cost is among the highest by any measure. */
  isExpensive(cost: Cost): boolean {
    return measures.some((measure) => {
      const list = this.entries(measure)
      const least = list.length < this.#size ? 0 : measure.of((list.at(-1) as Entry).cost)
      return measure.of(cost) > least
    })
  }

  add(entry: Entry): void {
    const shape = candidateShape(entry.candidate)
    for (const measure of measures) {
      const others = this.entries(measure).filter(({ candidate }) => candidateShape(candidate) !== shape)
      const same = this.entries(measure).find(({ candidate }) => candidateShape(candidate) === shape)
      const best = same && measure.of(same.cost) >= measure.of(entry.cost) ? same : entry
      const sorted = [...others, best].sort((one, other) => measure.of(other.cost) - measure.of(one.cost))
      this.#entries.set(measure, sorted.filter(({ cost }) => measure.of(cost) > 0).slice(0, this.#size))
    }
  }

  /** Returns the entries, the most expensive first. */
  entries(measure: Measure): readonly Entry[] {
    return this.#entries.get(measure) ?? []
  }
}
