/** The name of a part of a plan, with the type of its values. */
export class PlanPart<Value> {
  declare readonly value: Value
}

/** The part of a resource type that decides whether its parts can be kept. */
interface PlannedType {
  readonly hiddenForSome: readonly unknown[]
}

interface QueryPlanOptions<Type, Relation> {
  /** The types whose resources are shown, as far as they are known before rows are read. */
  readonly types: readonly Type[]
  readonly isSingle?: boolean
  /** The to-one includes whose rows the provider may read together with the one row that is addressed. */
  readonly includes?: readonly Relation[]
  readonly joinsPage?: boolean
  /** Whether `beforeRender` of a plugin runs for the rows of a document. */
  readonly completesRows?: boolean
  /** The types whose scopes are computed before the snapshot of the read begins. */
  readonly scoped?: readonly Type[]
}

/** How the rows of a query are read and shown: decided once for all requests with queries of the same shape. */
export class QueryPlan<Type extends PlannedType, Relation> {
  /** How the one row that is addressed is read: `ReadOptions` of a provider. */
  readonly addressed: { readonly addressed: true; readonly includes: readonly Relation[] }
  /** Whether the provider may read the page of the relation together with its parent. */
  readonly joinsPage: boolean
  readonly completesRows: boolean
  readonly scoped: readonly Type[]
  /** Whether one statement is enough, so that the read needs no snapshot. */
  isSingle: boolean
  readonly #types: ReadonlySet<PlannedType>
  readonly #parts = new Map<object, Map<PlanPart<unknown>, unknown>>()

  constructor(options: QueryPlanOptions<Type, Relation>) {
    const { types, isSingle = true, includes = [], joinsPage = false, completesRows = false, scoped = [] } = options
    this.#types = new Set(types)
    this.isSingle = isSingle
    this.addressed = { addressed: true, includes }
    this.joinsPage = joinsPage
    this.completesRows = completesRows
    this.scoped = scoped
  }

  /** A function of the application has sent a statement, too: later requests begin in a snapshot. Called without the plan. */
  readonly onSecondStatement = (): void => {
    this.isSingle = false
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

  /**
   * Keeps a part that depends on the fields of a type that are shown. It is decided again for each request if `hiddenFor` hides some
   * of them from some requesters, and the plan was made without this type.
   */
  keepOfType<Value>(type: PlannedType, part: PlanPart<Value>, value: Value): Value {
    return type.hiddenForSome.length === 0 || this.#types.has(type) ? this.keep(type, part, value) : value
  }
}
