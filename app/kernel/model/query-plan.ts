import type { Relation } from './field.ts'
import type { ReadOptions } from './provider.ts'

/** The name of a part of a plan, with the type of its values. */
export class PlanPart<Value> {
  declare readonly value: Value
}

interface QueryPlanOptions {
  readonly isSingle: boolean
  /** The to-one includes whose rows the provider may read together with the one row that is addressed. */
  readonly includes: readonly Relation[]
  readonly joinsPage: boolean
  readonly completesRows: boolean
}

/** What is decided once for all requests with the same query. */
export class QueryPlan {
  /** How the one row that is addressed is read. */
  readonly addressed: ReadOptions
  /** Whether the provider may read the page of the relation together with its parent. */
  readonly joinsPage: boolean
  /** Whether `beforeRender` of a plugin runs for the rows of a document. */
  readonly completesRows: boolean
  readonly #parts = new Map<object, Map<PlanPart<unknown>, unknown>>()
  #isSingle: boolean

  constructor({ isSingle, includes, joinsPage, completesRows }: QueryPlanOptions) {
    this.#isSingle = isSingle
    this.addressed = { addressed: true, includes }
    this.joinsPage = joinsPage
    this.completesRows = completesRows
  }

  /** Whether one statement is enough, so that the read needs no snapshot. */
  get isSingle(): boolean {
    return this.#isSingle
  }

  /** A function of the application has sent a statement, too: later requests begin in a snapshot. */
  requireSnapshot(): void {
    this.#isSingle = false
  }

  /** The part that was decided for an object, such as a resource type; creates it on first use. */
  partOf<Value>(owner: object, part: PlanPart<Value>, create: () => Value): Value {
    let parts = this.#parts.get(owner)
    if (!parts) {
      parts = new Map()
      this.#parts.set(owner, parts)
    }
    let value = parts.get(part) as Value | undefined
    if (value === undefined) {
      value = create()
      parts.set(part, value)
    }
    return value
  }
}
