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
  /** Whether one statement is enough, so that the read needs no snapshot. */
  isSingle: boolean
  readonly #parts = new Map<object, Map<PlanPart<unknown>, unknown>>()

  constructor({ isSingle, includes, joinsPage, completesRows }: QueryPlanOptions) {
    this.isSingle = isSingle
    this.addressed = { addressed: true, includes }
    this.joinsPage = joinsPage
    this.completesRows = completesRows
  }

  /** The part that was decided for an object, such as a resource type. Undefined if none was. */
  find<Value>(owner: object, part: PlanPart<Value>): Value | undefined {
    return this.#parts.get(owner)?.get(part) as Value | undefined
  }

  keep<Value>(owner: object, part: PlanPart<Value>, value: Value): Value {
    const parts = this.#parts.get(owner)
    if (parts) parts.set(part, value)
    else this.#parts.set(owner, new Map([[part, value]]))
    return value
  }
}
