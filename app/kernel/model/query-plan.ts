/** The name of a part of a plan, with the type of its values. */
export class PlanPart<Value> {
  declare readonly value: Value
}

/** What is decided once for all requests with the same query. */
export class QueryPlan {
  readonly #parts = new Map<object, Map<PlanPart<unknown>, unknown>>()
  #isSingle: boolean

  constructor(isSingle: boolean) {
    this.#isSingle = isSingle
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
