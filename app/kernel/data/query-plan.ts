import { freezeLists } from '../lib/freeze-lists.ts'
import type { Selection, ShownFields } from '../schema/columns.ts'
import type { Attribute, Relation } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'

/** The name of a part of a plan that a data layer decides, with the type of its values. */
export class PlanPart<Value> {
  declare readonly value: Value
}

/** Whether a read needs a snapshot. The only part of a plan that changes: functions of the application may send statements, too. */
class ReadMode {
  /** Whether one statement is enough. */
  isSingle: boolean

  constructor(isSingle: boolean) {
    this.isSingle = isSingle
  }

  /** Later requests begin in a snapshot. Called without the object. */
  readonly onSecondStatement = (): void => {
    this.isSingle = false
  }
}

/** How rows of one type are shown. */
export interface TypePlan {
  readonly shown: ShownFields
  /** The client may query relations of the primary data, whose keys in the row are not enough then. */
  readonly primary: RowsPlan
  readonly included: RowsPlan
}

/** What is read to show resources of one type, besides the columns of their rows. */
export interface RowsPlan {
  /** The chained attributes whose rows are checked after they are read, in groups with the same relations. */
  readonly chains: readonly Chain[]
  /** The linkage that is part of every response and is not rendered from a foreign key in the row. */
  readonly linked: readonly LinkedRelation[]
  /** The linkage that is rendered from a foreign key in the row. */
  readonly foreignKeys: readonly ForeignKey[]
  /** Whether the columns of the rows are enough. */
  readonly isInRow: boolean
}

interface Chain {
  readonly attributes: readonly Attribute[]
  readonly hops: readonly Relation[]
}

interface LinkedRelation {
  readonly relation: Relation
  /** Whether the row holds the key, so that only hooks of the relation run, which may hide it. */
  readonly holdsKey: boolean
}

interface ForeignKey {
  readonly relation: Relation
  /** Its name in the record. */
  readonly key: string
}

interface QueryPlanOptions {
  readonly isSingle?: boolean
  /** The to-one includes whose rows the provider may read together with the one row that is addressed. */
  readonly includes?: readonly Relation[]
  readonly joinsPage?: boolean
  /** Whether `beforeRender` of a plugin runs for the rows of a document. */
  readonly completesRows?: boolean
  /** The types whose scopes are computed before the snapshot of the read begins. */
  readonly scoped?: readonly ResourceType[]
  readonly selections: ReadonlyMap<ResourceType, Selection>
  readonly types?: ReadonlyMap<ResourceType, TypePlan>
  readonly inRow?: RowsPlan | null
}

/** How the rows of a query are read and shown: decided once for all requests with queries of the same shape. */
export class QueryPlan {
  /** How the one row that is addressed is read: `ReadOptions` of a provider. */
  readonly addressed: { readonly addressed: true; readonly includes: readonly Relation[] }
  /** Whether the provider reads the page of the relation together with its parent. */
  readonly joinsPage: boolean
  readonly completesRows: boolean
  readonly scoped: readonly ResourceType[]
  readonly mode: ReadMode
  /** The columns of the types that are shown, as far as they are known before rows are read. */
  readonly selections: ReadonlyMap<ResourceType, Selection>
  /** How rows of these types are shown. */
  readonly types: ReadonlyMap<ResourceType, TypePlan>
  /** How the rows of the only type are shown, if nothing is loaded besides them. */
  readonly inRow: RowsPlan | null
  /**
   * Decided by the first request that is executed, from the plan alone: the kernel does not depend on what a data layer derives from it.
   */
  readonly #parts = new Map<PlanPart<unknown>, unknown>()

  constructor(options: QueryPlanOptions) {
    const { isSingle = true, includes = [], joinsPage = false, completesRows = false, scoped = [] } = options
    this.mode = new ReadMode(isSingle)
    this.addressed = freezeLists({ addressed: true, includes })
    this.joinsPage = joinsPage
    this.completesRows = completesRows
    this.scoped = scoped
    this.selections = options.selections
    this.types = options.types ?? new Map()
    this.inRow = options.inRow ?? null
    freezeLists(this)
  }

  /** The part of a data layer. Undefined before it is kept. */
  find<Value>(part: PlanPart<Value>): Value | undefined {
    return this.#parts.get(part) as Value | undefined
  }

  keep<Value>(part: PlanPart<Value>, value: Value): Value {
    this.#parts.set(part, value)
    return value
  }
}
