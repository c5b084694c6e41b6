import type { Rec, Relation } from './fields/definition.ts'
import type { Page, Paginator, Window } from './query.ts'
import { remember } from './remember.ts'
import type { ResourceType } from './resource.ts'

export interface Member {
  readonly type: ResourceType
  readonly record: Rec
}

/** What a relation of one record leads to. */
export interface Edge {
  readonly members: readonly Member[]
  /** The row each member was read from, when it carries values of the association. */
  readonly rows?: readonly Rec[]
  /** Its members stand among the included resources. */
  readonly included?: boolean
  /** Set when the relation was read as a page. */
  readonly page?: {
    readonly page: Page
    readonly window: Window
    readonly paginator: Paginator
    readonly search: string
  }
}

interface PivotNote {
  readonly relation: Relation
  readonly row: Rec
}

/** The related data of one answer, beside the records. One canonical record per type and key. */
export class Graph {
  readonly #records = new Map<ResourceType, Map<unknown, Rec>>()
  readonly #edges = new Map<Relation, Map<Rec, Edge>>()
  readonly #included = new Map<Rec, ResourceType>()
  readonly #pivots = new Map<Rec, PivotNote>()
  readonly #totals = new Map<Relation, Map<Rec, number>>()
  readonly #withheld = new Map<Relation, Set<Rec>>()

  /** The one record that stands for this row in the whole document. */
  intern(type: ResourceType, record: Rec): Rec {
    const records = remember(this.#records, type, () => new Map<unknown, Rec>())
    return remember(records, record[type.id.property], () => record)
  }

  /** Undefined when the relation was not loaded for this record. */
  get(record: Rec, relation: Relation): Edge | undefined {
    return this.#edges.get(relation)?.get(record)
  }

  set(record: Rec, relation: Relation, edge: Edge): void {
    remember(this.#edges, relation, () => new Map<Rec, Edge>()).set(record, edge)
  }

  /** How many members the relation has; undefined when they were not counted. */
  total(record: Rec, relation: Relation): number | undefined {
    return this.#totals.get(relation)?.get(record)
  }

  setTotal(record: Rec, relation: Relation, total: number): void {
    remember(this.#totals, relation, () => new Map<Rec, number>()).set(record, total)
  }

  /** The record may not show what the relation leads to. */
  withhold(record: Rec, relation: Relation): void {
    remember(this.#withheld, relation, () => new Set<Rec>()).add(record)
  }

  isWithheld(record: Rec, relation: Relation): boolean {
    return this.#withheld.get(relation)?.has(record) ?? false
  }

  /** The association row a resource is shown with; of several, the first. */
  notePivot(record: Rec, relation: Relation, row: Rec): void {
    remember(this.#pivots, record, () => ({ relation, row }))
  }

  pivotOf(record: Rec): PivotNote | undefined {
    return this.#pivots.get(record)
  }

  include(members: readonly Member[]): void {
    for (const { type, record } of members) this.#included.set(record, type)
  }

  /** Everything included, each once, without what is primary data already. */
  included(primary: readonly Member[]): Member[] {
    const shown = new Set(primary.map((member) => member.record))
    const members: Member[] = []
    for (const [record, type] of this.#included) if (!shown.has(record)) members.push({ type, record })
    return members
  }
}
